import GatePolicy

/// The parts of a request head that determine the form of a denial, collected line by line.
///
/// The body is never read. If the parts indicate different forms, the most specific form is used,
/// so that every combination has exactly one form.
struct FormEvidence {
    /// The form indicated by the first `Content-Type` that indicates any.
    private var byContentType: AnswerForm?
    private var acceptsGraphQL = false
    private var isBrowser = false
    private var sentConnectField = false
    private var sentGraphQLField = false

    mutating func add(contentType bytes: Span<UInt8>, _ line: FieldLine) {
        guard self.byContentType == nil else { return }
        self.byContentType = AnswerForm(contentType: bytes, line)
    }

    mutating func add(accept bytes: Span<UInt8>, _ line: FieldLine) {
        var (namesHTML, namesXHTML) = (false, false)
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            // One or two letters are enough to rule out these types in nearly all requests.
            let name = start + "application/".utf8.count
            guard start < end else { return true }
            switch bytes[start] | 0x20 {
            case UInt8(ascii: "t"):
                if bytes.hasMediaType("text/html", start, end) { namesHTML = true }
            case UInt8(ascii: "a") where name < end:
                switch bytes[name] | 0x20 {
                case UInt8(ascii: "x"):
                    if bytes.hasMediaType("application/xhtml+xml", start, end) { namesXHTML = true }
                case UInt8(ascii: "g"):
                    if bytes.hasMediaType("application/graphql-response+json", start, end) {
                        self.acceptsGraphQL = true
                    }
                default: break
                }
            default: break
            }
            return true
        }
        // Every browser lists both types when it opens a page. `text/html` alone is not sufficient,
        // because some HTTP libraries for apps send it by default (Java's `HttpURLConnection`).
        if namesHTML && namesXHTML { self.isBrowser = true }
    }

    mutating func add(
        _ dialect: FieldRole.Dialect,
        _ bytes: Span<UInt8>,
        _ line: FieldLine
    ) {
        switch dialect {
        case .connect:
            // A later version of the protocol may use other errors.
            if bytes.equals("1", from: line.valueStart, to: line.valueEnd) {
                self.sentConnectField = true
            }
        case .graphQL:
            self.sentGraphQLField = true
        }
    }

    /// Returns the form for a request with this head.
    @inline(__always)
    func form(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> AnswerForm {
        if let form = self.byContentType, form != .graphQL { return form }
        if self.sentConnectField { return .connect }
        if self.acceptsGraphQL { return .graphQLResponse }
        if self.byContentType != nil || self.sentGraphQLField { return .graphQL }
        if self.isBrowser { return .page }
        return Self.form(byTargetOf: head, in: bytes)
    }

    /// Returns the form for a method and a target.
    ///
    /// A Connect GET may lack the protocol's header field, and most GraphQL clients send no header field that
    /// distinguishes their requests from other JSON requests.
    private static func form(
        byTargetOf head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> AnswerForm {
        let target = bytes.extracting(head.target.start..<head.target.end)
        if head.method("POST", in: bytes) {
            var end = target.position(of: ASCII.questionMark, from: 0) ?? target.count
            if end > 0, target[end - 1] == ASCII.slash { end -= 1 }
            let start = end - Self.graphQLSegment.utf8CodeUnitCount
            return start >= 0 && target.equals(Self.graphQLSegment, from: start, to: end)
                ? .graphQL : .document
        }
        guard head.method("GET", in: bytes) || head.method("HEAD", in: bytes),
            let mark = target.position(of: ASCII.questionMark, from: 0),
            Self.namesConnect(target, from: mark + 1)
        else { return .document }
        return .connect
    }

    /// The last path segment on most GraphQL servers.
    private static let graphQLSegment: StaticString = "/graphql"
    /// The maximum number of query parameters to check; a Connect GET has at most five.
    private static let parameterLimit = 8

    /// Whether one of the first parameters of a query is `connect=v1`.
    private static func namesConnect(_ target: Span<UInt8>, from query: Int) -> Bool {
        var start = query
        for _ in 0..<Self.parameterLimit {
            let end = target.position(of: ASCII.ampersand, from: start) ?? target.count
            if target.equals("connect=v1", from: start, to: end) { return true }
            guard end < target.count else { return false }
            start = end + 1
        }
        return false
    }
}

extension AnswerForm {
    /// Returns the form for the media type of a request; `nil` for a type that does not indicate one.
    ///
    /// Sources: gRPC over HTTP/2, "Content-Type"; the gRPC-Web protocol; the Connect protocol,
    /// "Streaming-Content-Type".
    init?(contentType bytes: Span<UInt8>, _ line: FieldLine) {
        func has(_ type: StaticString) -> Bool {
            bytes.hasMediaType(type, line.valueStart, line.valueEnd)
        }
        let name = line.valueStart + "application/".utf8.count
        guard name < line.valueEnd else { return nil }
        switch bytes[name] | 0x20 {
        case UInt8(ascii: "g"):
            if has("application/grpc-web-text") {
                self = .grpcWebText
            } else if has("application/grpc-web") {
                self = .grpcWeb
            } else if has("application/grpc") {
                self = .grpc
            } else if has("application/graphql") {
                self = .graphQL
            } else {
                return nil
            }
        case UInt8(ascii: "c"):
            if has("application/connect+proto") {
                self = .connectStreamProto
            } else if has("application/connect+json") {
                self = .connectStreamJSON
            } else if has("application/connect") {
                // The stream uses another encoding. Its end-of-stream message would have to use that encoding, but
                // clients also accept the error of a unary call.
                self = .connect
            } else {
                return nil
            }
        default:
            return nil
        }
    }
}
