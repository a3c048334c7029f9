/// A decoder for request heads, as strict as the HTTP/1.1 parser (RFC 9113 sections 8.2, 8.3 and 9.1).
///
/// A CONNECT request for a WebSocket is converted to the equivalent HTTP/1.1 handshake, without the
/// key (RFC 8441 section 5).
package struct HTTP2RequestHead {
    /// The type and the length of the body that follows the head.
    package enum Body: Equatable {
        case none
        case length(UInt64)
        /// A body of unknown length.
        case any
        /// The bytes of a WebSocket, sent once it is open (RFC 8441 section 5).
        case webSocket
    }

    package enum Fault: Error, Equatable {
        /// The head is malformed, which is a stream error (RFC 9113 section 8.1.1).
        case malformed
        /// The head is well-formed, but the request gets an error response.
        case refused(MessageFault)
    }

    /// The range of the value of `:method`.
    private var method: Range<Int>?
    /// The range of the value of `:scheme`.
    private var scheme: Range<Int>?
    /// The range of the value of `:path`.
    private var path: Range<Int>?
    /// The range of the value of `:authority`.
    private var authority: Range<Int>?
    /// The range of the value of `:protocol` in an extended CONNECT request (RFC 8441 section 4).
    private var connectProtocol: Range<Int>?
    /// Whether the method is CONNECT, including extended CONNECT (RFC 8441).
    private var isConnect = false
    private var isWebSocket = false
    private var length: UInt64?
    private var hasHost = false
    /// The number of `cookie` fields, which together form a single field value.
    private var cookieCount = 0

    private init() {}

    /// Converts a list to a head, which then refers to the bytes of the list.
    ///
    /// `endsStream` indicates whether no body follows.
    ///
    /// - Returns: The body that follows.
    package static func read(
        _ list: inout HeaderList,
        endsStream: Bool,
        limits: HeadLimits,
        into head: inout RequestHead
    ) throws(Fault) -> Body {
        guard list.isWellFormed else { throw .malformed }
        var reading = Self()
        head.hasRequestLine = false
        head.fieldsStart = list.bytes.count
        // The head takes over the lines with their roles; see `HeaderList.reuseLines(of:)`.
        var lines = list.takeLines()
        try reading.take(&lines, in: list.bytes.span, into: &head)
        head.fields.exchangeLines(with: &lines)
        let body = try reading.body(endsStream: endsStream)
        head.hasUnannouncedBody = body == .any
        reading.joinCookies(of: &list, into: &head)
        if reading.isWebSocket { Self.makeHandshake(of: &list, into: &head) }
        list.endSection()
        head.end = list.bytes.count
        if let fault = reading.fault(of: head, limits) {
            throw .refused(fault)
        }
        return body
    }

    /// Returns whether the method is `HEAD`; the list can be incomplete.
    package static func isHead(_ list: borrowing HeaderList) -> Bool {
        let bytes = list.bytes.span
        for line in list.lines where bytes.equals(":method", from: line.start, to: line.nameEnd) {
            return bytes.equals("HEAD", from: line.valueStart, to: line.valueEnd)
        }
        return false
    }

    @inline(__always)
    private func fault(of head: RequestHead, _ limits: HeadLimits) -> MessageFault? {
        if head.target.end - head.target.start > limits.target { return .targetTooLong }
        if head.fields.lines.count > limits.fields, head.fields.passedCount > limits.fields {
            return .tooManyFields
        }
        // The head of a WebSocket request was converted to a GET request.
        guard self.isConnect, !self.isWebSocket else { return nil }
        return self.connectProtocol == nil ? .unsupportedMethod : .unsupportedProtocol
    }

    private mutating func take(
        _ lines: inout [FieldLine],
        in bytes: Span<UInt8>,
        into head: inout RequestHead
    ) throws(Fault) {
        var lines = lines.mutableSpan
        var index = 0
        while index < lines.count, bytes[lines[index].start] == ASCII.colon {
            lines[index].role = try self.take(lines[index], in: bytes)
            index += 1
        }
        if index < lines.count { head.fieldsStart = lines[index].start }
        try self.begin(bytes, into: &head)
        while index < lines.count {
            // A pseudo-header field here could contradict those that have already been evaluated.
            guard bytes[lines[index].start] != ASCII.colon else { throw .malformed }
            let passes = try self.take(field: lines[index], in: bytes)
            if !passes { lines[index].role = .hopByHop }
            index += 1
        }
    }

    /// Stores a pseudo-header field, and returns its role.
    ///
    /// Only `:authority` is forwarded as a field, as `Host`.
    private mutating func take(
        _ line: FieldLine,
        in bytes: Span<UInt8>
    ) throws(Fault) -> FieldRole {
        let (start, end) = (line.start, line.nameEnd)
        switch end - start {
        case 5 where self.path == nil && bytes.equals(":path", from: start, to: end):
            self.path = line.value
        case 7 where self.method == nil && bytes.equals(":method", from: start, to: end):
            self.method = line.value
        case 7 where self.scheme == nil && bytes.equals(":scheme", from: start, to: end):
            self.scheme = line.value
        case 9
        where self.connectProtocol == nil && bytes.equals(":protocol", from: start, to: end):
            self.connectProtocol = line.value
        case 10 where self.authority == nil && bytes.equals(":authority", from: start, to: end):
            self.authority = line.value
            return .host
        default:
            throw .malformed
        }
        return .hopByHop
    }

    /// Validates and stores the method, the target and the host.
    private mutating func begin(
        _ bytes: Span<UInt8>,
        into head: inout RequestHead
    ) throws(Fault) {
        guard let method = self.method, Self.isToken(method, in: bytes) else { throw .malformed }
        head.methodStart = method.lowerBound
        head.methodEnd = method.upperBound
        let target: Range<Int>?
        self.isConnect = head.method("CONNECT", in: bytes)
        if let name = self.connectProtocol {
            guard self.isConnect, Self.isToken(name, in: bytes) else { throw .malformed }
            self.isWebSocket = bytes.matches(
                "websocket",
                from: name.lowerBound,
                to: name.upperBound
            )
        }
        if self.isConnect, self.connectProtocol == nil {
            // CONNECT has its own target form (RFC 9113 section 8.5), and is always rejected.
            guard self.scheme == nil, self.path == nil else { throw .malformed }
            target = self.authority
        } else {
            guard let scheme = self.scheme, Self.isKnown(scheme, in: bytes) else {
                throw .malformed
            }
            target = self.path
        }
        guard let target, let form = self.form(of: target, head, in: bytes) else {
            throw .malformed
        }
        head.target = RequestTarget()
        head.target.form = form
        head.target.start = target.lowerBound
        head.target.end = target.upperBound
        guard let host = self.authority else { return }
        guard !host.isEmpty,
            HostSyntax.isValid(bytes, from: host.lowerBound, to: host.upperBound)
        else { throw .malformed }
    }

    private static func isToken(_ value: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        !value.isEmpty
            && bytes.endOfToken(from: value.lowerBound, to: value.upperBound) == value.upperBound
    }

    private static func isKnown(_ scheme: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        let name: StaticString = scheme.count == 5 ? "https" : "http"
        return bytes.matches(name, from: scheme.lowerBound, to: scheme.upperBound)
    }

    /// Returns the form of a target that is a path, or `*` for `OPTIONS` (RFC 9113 section 8.3.1).
    ///
    /// Other forms are rejected, because the next hop would interpret them differently.
    @inline(__always)
    private func form(
        of target: Range<Int>,
        _ head: RequestHead,
        in bytes: Span<UInt8>
    ) -> RequestTarget.Form? {
        let (start, end) = (target.lowerBound, target.upperBound)
        guard start < end, bytes.endOfTarget(from: start, to: end) == end else { return nil }
        if self.path == nil || bytes[start] == ASCII.slash { return .origin }
        return bytes.equals("*", from: start, to: end)
            && head.method("OPTIONS", in: bytes) ? .asterisk : nil
    }

    /// Evaluates a field that is not a pseudo-header field.
    ///
    /// - Returns: Whether the field is forwarded.
    @inline(__always)
    private mutating func take(
        field line: FieldLine,
        in bytes: Span<UInt8>
    ) throws(Fault) -> Bool {
        switch line.role {
        case .connection, .transferEncoding, .upgrade: throw .malformed
        case .hopByHop:
            let isSpecific = HTTP2FieldSyntax.role(of: line, in: bytes) == .connectionSpecific
            guard !isSpecific else { throw .malformed }
        case .host:
            // Neither `:authority` nor a `host` field in its place can be empty (RFC 9113 section 8.3.1).
            guard !self.hasHost, line.valueStart < line.valueEnd else { throw .malformed }
            self.hasHost = true
            if let authority = self.authority {
                guard Self.isSame(authority, line.value, in: bytes) else { throw .malformed }
                return false
            }
        case .contentLength:
            guard self.length == nil, let length = FramingFields.contentLength(line, in: bytes)
            else {
                throw .malformed
            }
            self.length = length
        case .te:
            guard bytes.matches("trailers", from: line.valueStart, to: line.valueEnd) else {
                throw .malformed
            }
        case .other, .expect, .origin, .contentType, .accept, .requestID, .maxForwards,
            .accessControlRequestMethod, .forwarded, .gateOwned, .identity, .dialect:
            if Self.isCookie(line, in: bytes) { self.cookieCount += 1 }
        }
        return true
    }

    @inline(__always)
    private func body(endsStream: Bool) throws(Fault) -> Body {
        guard !self.isWebSocket else {
            // The bytes of a WebSocket are not content, so the request must not have a length (RFC
            // 9110 section 9.3.6).
            guard self.length == nil else { throw .malformed }
            return .webSocket
        }
        return switch (endsStream, self.length) {
        case (true, nil), (true, 0): .none
        case (true, .some): throw .malformed
        case (false, .some(let length)): .length(length)
        case (false, nil): .any
        }
    }

    @inline(__always)
    private static func isCookie(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        line.nameEnd - line.start == 6 && bytes.equals("cookie", from: line.start, to: line.nameEnd)
    }

    /// Joins all `cookie` fields into one field, as HTTP/1.1 requires (RFC 9113 section 8.2.3).
    private func joinCookies(
        of list: inout HeaderList,
        into head: inout RequestHead
    ) {
        guard self.cookieCount > 1 else { return }
        let cookies = head.fields.lines.indices.filter { index in
            Self.isCookie(head.fields.lines[index], in: list.bytes.span)
        }
        let role = head.fields.lines[cookies[0]].role
        var line = Array("cookie: ".utf8)
        let beginning = line.count
        for index in cookies {
            let crumb = head.fields.lines[index]
            head.fields.drop(at: index)
            // An empty part would leave trailing whitespace, which is not part of a value.
            guard !crumb.value.isEmpty else { continue }
            if line.count > beginning { line += "; ".utf8 }
            line += list.bytes[crumb.value]
        }
        line += "\r\n".utf8
        list.append(line: line.span, nameCount: 6, role: role)
        guard let joined = list.lines.last else { return }
        head.fields.append(joined)
    }

    /// Converts the head to an HTTP/1.1 handshake (RFC 6455 section 4.1).
    ///
    /// The resulting GET request is evaluated and forwarded as usual.
    private static func makeHandshake(of list: inout HeaderList, into head: inout RequestHead) {
        for index in head.fields.lines.indices {
            let line = head.fields.lines[index]
            let bytes = list.bytes.span
            if line.role == .contentType {
                // A denial in gRPC form has the status 200, which would open the WebSocket.
                head.fields.makeOther(at: index)
            } else if bytes.equals("sec-websocket-key", from: line.start, to: line.nameEnd) {
                head.fields.drop(at: index)
            }
        }
        let method = list.lines.count
        for (text, nameCount, role) in Self.handshake {
            let line = Array(text.utf8)
            list.append(line: line.span, nameCount: nameCount, role: role)
        }
        for line in list.lines[method...] { head.fields.append(line) }
        head.methodStart = list.lines[method].valueStart
        head.methodEnd = list.lines[method].valueEnd
    }

    /// The lines to append to those of the client.
    ///
    /// The first line only provides the method, and is not forwarded as a field.
    private static let handshake: [(String, nameCount: Int, FieldRole)] = [
        (":method: GET\r\n", 7, .hopByHop), ("connection: upgrade\r\n", 10, .connection),
        ("upgrade: websocket\r\n", 7, .upgrade),
    ]

    private static func isSame(
        _ left: Range<Int>,
        _ right: Range<Int>,
        in bytes: Span<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count
        where ASCII.lowercased(bytes[left.lowerBound + offset])
            != ASCII.lowercased(bytes[right.lowerBound + offset])
        {
            return false
        }
        return true
    }
}
