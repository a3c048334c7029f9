/// The parts of a request head that determine the form of a denial, collected line by line.
///
/// The body is never read. If the parts indicate different forms, the most specific form is used.
package struct FormEvidence: Sendable {
    /// The form that the first recognized `Content-Type` indicates.
    private var byContentType: AnswerForm?
    private var acceptsGraphQL = false
    private var isBrowser = false
    private var sentConnectField = false
    private var sentGraphQLField = false

    package init() {}

    /// Adds the value of a `Content-Type` field line.
    package mutating func add(contentType value: Span<UInt8>) {
        guard self.byContentType == nil else { return }
        self.byContentType = AnswerForm(contentType: value)
    }

    /// Adds the value of an `Accept` field line.
    package mutating func add(accept value: Span<UInt8>) {
        // All media types that indicate a form contain an `h`; `application/json` and `*/*` do not.
        guard value.contains(letter: UInt8(ascii: "h")) else { return }
        var (namesHTML, namesXHTML) = (false, false)
        value.forEachMember { member in
            // One or two letters are enough to rule out the types below in nearly all requests.
            guard !member.isEmpty else { return }
            let name = member.lowerBound + "application/".utf8.count
            switch value[member.lowerBound] | 0x20 {
            case UInt8(ascii: "t"):
                if value.extracting(member).isMediaType("text/html") { namesHTML = true }
            case UInt8(ascii: "a") where name < member.upperBound:
                let type = value.extracting(member)
                switch value[name] | 0x20 {
                case UInt8(ascii: "x"):
                    if type.isMediaType("application/xhtml+xml") { namesXHTML = true }
                case UInt8(ascii: "g"):
                    if type.isMediaType("application/graphql-response+json") {
                        self.acceptsGraphQL = true
                    }
                default: break
                }
            default: break
            }
        }
        // Every browser lists both types when it opens a page. `text/html` alone is not sufficient,
        // because some HTTP libraries for apps send it by default (Java's `HttpURLConnection`).
        if namesHTML && namesXHTML { self.isBrowser = true }
    }

    /// Adds the value of a `Connect-Protocol-Version` field line.
    package mutating func add(connectVersion value: Span<UInt8>) {
        // A later version of the protocol may define other error formats.
        if value.count == 1, value[0] == UInt8(ascii: "1") { self.sentConnectField = true }
    }

    /// Adds a field line that only GraphQL clients send.
    package mutating func addGraphQLField() {
        self.sentGraphQLField = true
    }

    /// Returns the form for a request with this method and target.
    package func form(method: Span<UInt8>, target: Span<UInt8>) -> AnswerForm {
        if let form = self.byContentType, form != .graphQL { return form }
        if self.sentConnectField { return .connect }
        if self.acceptsGraphQL { return .graphQLResponse }
        if self.byContentType != nil || self.sentGraphQLField { return .graphQL }
        if self.isBrowser { return .page }
        return Self.form(byMethod: method, target: target)
    }

    /// Returns the form that the method and the target alone indicate.
    ///
    /// A Connect GET request might lack the protocol's header field, and most GraphQL clients send
    /// no header field that distinguishes their requests from other JSON requests.
    private static func form(byMethod method: Span<UInt8>, target: Span<UInt8>) -> AnswerForm {
        if method.isSame("POST") {
            var end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
            if end > 0, target[end - 1] == UInt8(ascii: "/") { end -= 1 }
            let start = end - Self.graphQLSegment.utf8CodeUnitCount
            return start >= 0 && target.extracting(start..<end).isSame(Self.graphQLSegment)
                ? .graphQL : .document
        }
        guard method.isSame("GET") || method.isSame("HEAD"),
            let mark = target.firstIndex(of: UInt8(ascii: "?")),
            Self.namesConnect(target, from: mark + 1)
        else { return .document }
        return .connect
    }

    /// The last path segment on most GraphQL servers.
    private static let graphQLSegment: StaticString = "/graphql"
    /// The maximum number of query parameters to check.
    ///
    /// A Connect GET request has at most five parameters.
    private static let parameterLimit = 8

    /// Whether one of the first `parameterLimit` parameters of the query is `connect=v1`.
    private static func namesConnect(_ target: Span<UInt8>, from query: Int) -> Bool {
        var start = query
        for _ in 0..<Self.parameterLimit {
            var end = start
            while end < target.count, target[end] != UInt8(ascii: "&") { end += 1 }
            if target.extracting(start..<end).isSame("connect=v1") { return true }
            guard end < target.count else { return false }
            start = end + 1
        }
        return false
    }
}

extension AnswerForm {
    /// Determines the form that the media type of a request indicates; returns `nil` if the type
    /// indicates none.
    ///
    /// Sources: gRPC over HTTP/2, "Content-Type"; the gRPC-Web protocol; the Connect protocol,
    /// "Streaming-Content-Type".
    init?(contentType value: Span<UInt8>) {
        func has(_ type: StaticString) -> Bool { value.isMediaType(type) }
        let name = "application/".utf8.count
        guard name < value.count else { return nil }
        switch value[name] | 0x20 {
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
                // A stream with another codec needs an end-of-stream message in that codec, but
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

extension Span<UInt8> {
    /// Whether the bytes are equal to the given string.
    fileprivate func isSame(_ word: StaticString) -> Bool {
        guard self.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { expected in
            for index in self.indices where unsafe self[index] != expected[index] { return false }
            return true
        }
    }

    /// Whether the value of an `Accept` field line contains the given lower-case media type.
    package func accepts(_ type: StaticString) -> Bool {
        guard self.count >= type.utf8CodeUnitCount else { return false }
        var isAccepted = false
        self.forEachMember { if self.extracting($0).isMediaType(type) { isAccepted = true } }
        return isAccepted
    }

    /// Calls `body` with the range of each member of a list, without surrounding whitespace.
    @inline(__always)
    fileprivate func forEachMember(_ body: (Range<Int>) -> Void) {
        var start = 0
        while start < self.count {
            let rest = self.extracting(start..<self.count)
            let end = rest.firstIndex(of: UInt8(ascii: ",")).map { start + $0 } ?? self.count
            body(self.withoutBlanks(start..<end))
            start = end + 1
        }
    }

    /// Whether the bytes are the given lower-case media type, compared case-insensitively.
    ///
    /// The bytes may also contain a suffix such as `+proto`, or parameters (RFC 9110 section 8.3.1).
    package func isMediaType(_ type: StaticString) -> Bool {
        let count = type.utf8CodeUnitCount
        guard count <= self.count else { return false }
        let isType = type.withUTF8Buffer { expected in
            for index in 0..<count where unsafe self[index].lowercased != expected[index] {
                return false
            }
            return true
        }
        guard isType, count < self.count else { return isType }
        let next = self[count]
        return next == UInt8(ascii: ";") || next == UInt8(ascii: "+") || next.isBlank
    }
}
