import GatePolicy
import GateWire

/// A second, simpler implementation that determines the format of a denial line by line.
enum FormPeer {
    typealias Text = [UInt8]

    static func form(of head: RequestHead, in bytes: [UInt8]) -> AnswerForm {
        func lowercased(_ range: Range<Int>) -> Text {
            bytes[range].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        }
        let lines = head.fields.lines.map { line in
            (name: lowercased(line.start..<line.nameEnd), value: lowercased(line.value))
        }
        func values(_ name: String) -> [Text] {
            lines.filter { $0.name == Text(name.utf8) }.map(\.value)
        }
        let byType = values("content-type").compactMap(Self.form(byType:)).first
        if let byType, byType != .graphQL { return byType }
        if values("connect-protocol-version").contains(Text("1".utf8)) { return .connect }
        let accepted = values("accept").map { list in
            list.split(separator: 0x2C).map { Self.trimmed($0) }
        }
        func names(_ list: [Text], _ type: String) -> Bool {
            list.contains { Self.has($0, type) }
        }
        if accepted.contains(where: { names($0, "application/graphql-response+json") }) {
            return .graphQLResponse
        }
        let marks = [
            "apollographql-client-name", "apollo-require-preflight", "x-apollo-operation-name",
        ]
        if byType != nil || marks.contains(where: { !values($0).isEmpty }) { return .graphQL }
        let isBrowser = accepted.contains {
            names($0, "text/html") && names($0, "application/xhtml+xml")
        }
        if isBrowser { return .page }
        let method = Text(bytes[head.methodStart..<head.methodEnd])
        let target = bytes[head.target.start..<head.target.end]
        return Self.form(method, target)
    }

    private static func form(_ method: Text, _ target: ArraySlice<UInt8>) -> AnswerForm {
        let parts = target.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
        if method == Text("POST".utf8) {
            let segments = parts[0].split(separator: 0x2F, omittingEmptySubsequences: false)
            // The first segment precedes the first slash.
            let last = segments.last?.isEmpty == true ? segments.dropLast().last : segments.last
            let isThere = segments.count > 1 && last.map { Text($0) } == Text("graphql".utf8)
            let isBehindSlash = segments.last?.isEmpty == true ? segments.count > 2 : true
            return isThere && isBehindSlash ? .graphQL : .document
        }
        guard [Text("GET".utf8), Text("HEAD".utf8)].contains(method), parts.count == 2 else {
            return .document
        }
        let parameters = parts[1].split(separator: 0x26, omittingEmptySubsequences: false)
        return parameters.prefix(8).contains { Text($0) == Text("connect=v1".utf8) }
            ? .connect : .document
    }

    private static func form(byType value: Text) -> AnswerForm? {
        let types: [(String, AnswerForm)] = [
            ("application/grpc-web-text", .grpcWebText),
            ("application/grpc-web", .grpcWeb),
            ("application/grpc", .grpc),
            ("application/connect+proto", .connectStreamProto),
            ("application/connect+json", .connectStreamJSON),
            ("application/connect", .connect),
            ("application/graphql", .graphQL),
        ]
        return types.first { Self.has(value, $0.0) }?.1
    }

    /// Whether a value is a media type, optionally with a suffix or parameters.
    private static func has(_ value: Text, _ type: String) -> Bool {
        guard value.starts(with: type.utf8) else { return false }
        guard let next = value.dropFirst(type.utf8.count).first else { return true }
        return [0x3B, 0x2B, 0x20, 0x09].contains(next)
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> Text {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return Text(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
