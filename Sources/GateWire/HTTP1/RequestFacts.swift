package import GatePolicy

/// The facts about a request head that the gate needs to pass it on or to answer it, and the checks
/// that need more than one field line (RFC 9112 3.2, 6.1 and 6.3; RFC 9110 7.6.1, 7.8 and 10.1.1).
@usableFromInline
package struct RequestFacts: Equatable, Sendable {
    @usableFromInline package private(set) var framing = BodyFraming.none
    @usableFromInline package private(set) var connection = ConnectionOptions()
    /// The client waits for a `100` before it sends the body.
    package private(set) var expectsContinue = false
    /// A CORS preflight, which browsers send without the app's headers; one that has a body or names
    /// another protocol is none.
    package private(set) var isPreflight = false
    package private(set) var isHead = false
    /// Repeating the request has the effect of making it once (RFC 9110 9.2.2).
    package private(set) var isIdempotent = false
    /// The client reads trailers (`TE: trailers`, RFC 9110 10.1.4).
    package private(set) var acceptsTrailers = false
    /// Indices into the field lines.
    package private(set) var hostLine: Int?
    package private(set) var originLine: Int?
    package private(set) var requestIDLine: Int?
    package private(set) var forwardedForLine: Int?
    @usableFromInline package private(set) var upgradeLine: Int?
    /// One bit for each identity field that is there, by the index of its role.
    package private(set) var identityFields: UInt64 = 0
    /// Whether there is a field that the gate alone writes, or reads for a tester.
    package private(set) var hasGateOwnedField = false
    /// How often a `TRACE` or `OPTIONS` may still be forwarded; `nil`: as often as it takes.
    package private(set) var forwardsLeft: UInt64?
    private var maxForwardsLine: Int?
    /// The kind of client that reads the answer, should the gate give one.
    package private(set) var answerForm = AnswerForm.document
    /// Whether it is a call of gRPC.
    package var isCall: Bool { if case .grpc = self.answerForm { true } else { false } }
    private var asksCrossOriginMethod = false
    @usableFromInline let minorVersion: Int

    /// - Throws: the fault of a head that is well formed line by line and still ambiguous.
    package init(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(MessageFault) {
        self.minorVersion = head.minorVersion
        var framing = FramingFields()
        var evidence = FormEvidence()
        var hasTransferEncoding = false
        for index in head.fields.lines.indices {
            let line = head.fields.lines[index]
            switch line.role {
            case .other, .hopByHop, .forwarded(.proto), .forwarded(.host), .forwarded(.standard):
                continue
            case .gateOwned:
                self.hasGateOwnedField = true
            case .contentType:
                evidence.add(contentType: bytes, line)
            case .accept:
                evidence.add(accept: bytes, line)
            case .dialect(let dialect):
                evidence.add(dialect, bytes, line)
            case .identity(let field):
                self.identityFields |= 1 << UInt64(field)
            case .host:
                // The one of HTTP/2 was looked at where it was read.
                guard self.hostLine == nil,
                    line.start < head.fieldsStart
                        || HostSyntax.isValid(bytes, from: line.valueStart, to: line.valueEnd)
                else { throw .host }
                self.hostLine = index
            case .connection:
                self.connection.add(bytes, line)
            case .te:
                if head.minorVersion > 0, Self.namesTrailers(bytes, line) {
                    self.acceptsTrailers = true
                }
            case .contentLength:
                if let fault = framing.addContentLength(bytes, line) { throw fault }
            case .transferEncoding:
                hasTransferEncoding = true
                if let fault = framing.addTransferEncoding(bytes, line) { throw fault }
            case .expect:
                self.expectsContinue =
                    bytes.matches("100-continue", from: line.valueStart, to: line.valueEnd)
                    && head.minorVersion > 0
            case .upgrade:
                self.upgradeLine = self.upgradeLine ?? index
            case .origin:
                self.originLine = self.originLine ?? index
            case .requestID:
                self.requestIDLine = self.requestIDLine ?? index
            case .accessControlRequestMethod:
                self.asksCrossOriginMethod = true
            case .maxForwards:
                self.maxForwardsLine = self.maxForwardsLine ?? index
            case .forwarded(.for):
                self.forwardedForLine = self.forwardedForLine ?? index
            }
        }
        // HTTP/1.0 knows no transfer codings; a sender that uses one is broken or an attacker.
        if hasTransferEncoding, head.minorVersion == 0 { throw .transferEncoding }
        if self.hostLine == nil, head.minorVersion > 0 { throw .host }
        self.framing = try framing.framing() ?? (head.hasUnannouncedBody ? .chunked : .none)
        self.readMethod(of: head, in: bytes)
        self.answerForm = evidence.form(of: head, in: bytes)
        if let line = self.maxForwardsLine {
            self.forwardsLeft = try Self.forwardsLeft(head, in: bytes, from: line)
        }
    }

    /// To other methods `Max-Forwards` means nothing (RFC 9110 7.6.2).
    private static func forwardsLeft(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        from first: Int
    ) throws(MessageFault) -> UInt64? {
        guard head.method("TRACE", in: bytes) || head.method("OPTIONS", in: bytes) else {
            return nil
        }
        let line = head.fields.lines[first]
        let isOnce = head.fields.lines.count { $0.role == .maxForwards } == 1
        guard isOnce, line.valueStart < line.valueEnd else { throw .maxForwards }
        var count: UInt64 = 0
        for index in line.valueStart..<line.valueEnd {
            guard ASCII.isDigit(bytes[index]) else { throw .maxForwards }
            // Beyond that there are more hops than there can be, and it may be set to less.
            count = Swift.min(count, .max / 16) * 10 + UInt64(bytes[index] - 0x30)
        }
        return count
    }

    private mutating func readMethod(of head: borrowing RequestHead, in bytes: Span<UInt8>) {
        self.isHead = head.method("HEAD", in: bytes)
        self.isIdempotent =
            self.isHead || head.method("GET", in: bytes) || head.method("OPTIONS", in: bytes)
            || head.method("PUT", in: bytes) || head.method("DELETE", in: bytes)
            || head.method("TRACE", in: bytes)
        self.isPreflight =
            self.asksCrossOriginMethod && self.originLine != nil && self.upgradeLine == nil
            && self.framing == .none && head.method("OPTIONS", in: bytes)
    }

    private static func namesTrailers(_ bytes: Span<UInt8>, _ line: FieldLine) -> Bool {
        var isNamed = false
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            isNamed = bytes.matches("trailers", from: start, to: end)
            return !isNamed
        }
        return isNamed
    }

    /// Whether the client will send more on this connection (RFC 9112 9.3).
    @inlinable
    package var keepsAlive: Bool {
        self.minorVersion > 0
            ? !self.connection.close : self.connection.keepAlive && !self.connection.close
    }

    /// Whether the client offers to change the protocol (RFC 9110 7.8).
    @inlinable
    package var offersUpgrade: Bool {
        self.upgradeLine != nil && self.connection.upgrade && self.minorVersion > 0
            && self.framing == .none
    }
}
