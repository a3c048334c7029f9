package import GatePolicy

/// The facts about a request head that the gate needs to forward the request or respond to it.
///
/// The initializer performs the checks that involve more than one field line (RFC 9112 sections
/// 3.2, 6.1 and 6.3; RFC 9110 sections 7.6.1, 7.8 and 10.1.1).
@usableFromInline
package struct RequestFacts: Equatable, Sendable {
    @usableFromInline package private(set) var framing = BodyFraming.none
    @usableFromInline package private(set) var connection = ConnectionOptions()
    /// Whether the client waits for a 100 (Continue) response before it sends the body.
    package private(set) var expectsContinue = false
    /// Whether the request is a CORS preflight, which browsers send without the app's headers.
    ///
    /// A request that has a body or offers another protocol is not a preflight.
    package private(set) var isPreflight = false
    package private(set) var isHead = false
    /// Whether repeating the request has the same effect as sending it once (RFC 9110 section 9.2.2).
    package private(set) var isIdempotent = false
    /// Whether the client accepts trailers (`TE: trailers`, RFC 9110 section 10.1.4).
    package private(set) var acceptsTrailers = false
    /// The index of the `Host` field line.
    package private(set) var hostLine: Int?
    /// The index of the first `Origin` field line.
    package private(set) var originLine: Int?
    /// The index of the first `X-Request-ID` field line.
    package private(set) var requestIDLine: Int?
    /// The index of the first `X-Forwarded-For` field line.
    package private(set) var forwardedForLine: Int?
    /// The index of the first `Upgrade` field line.
    @usableFromInline package private(set) var upgradeLine: Int?
    /// The bit set of the identity fields that are present.
    ///
    /// Bit n represents the field whose role has index n.
    package private(set) var identityFields: UInt64 = 0
    /// Whether a field is present that only the gate may write or read, and that is therefore not forwarded.
    package private(set) var hasGateOwnedField = false
    /// How many more times a `TRACE` or `OPTIONS` request can be forwarded, or `nil` if there is no limit.
    package private(set) var forwardsLeft: UInt64?
    private var maxForwardsLine: Int?
    /// The form of the response if the gate responds itself.
    package private(set) var answerForm = AnswerForm.document
    /// Whether the request is a gRPC call.
    package var isCall: Bool { if case .grpc = self.answerForm { true } else { false } }
    private var hasRequestMethodField = false
    @usableFromInline let minorVersion: Int

    /// Creates the facts about a request.
    ///
    /// - Throws: The fault of a head that is ambiguous, although each of its lines is well-formed.
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
                evidence.add(contentType: bytes.extracting(line.value))
            case .accept:
                evidence.add(accept: bytes.extracting(line.value))
            case .dialect(.connect):
                evidence.add(connectVersion: bytes.extracting(line.value))
            case .dialect(.graphQL):
                evidence.addGraphQLField()
            case .identity(let field):
                self.identityFields |= 1 << UInt64(field)
            case .host:
                // The `:authority` of an HTTP/2 request was validated when it was decoded.
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
                self.hasRequestMethodField = true
            case .maxForwards:
                self.maxForwardsLine = self.maxForwardsLine ?? index
            case .forwarded(.for):
                self.forwardedForLine = self.forwardedForLine ?? index
            }
        }
        // HTTP/1.0 has no transfer codings, so a sender that uses one is broken or malicious.
        if hasTransferEncoding, head.minorVersion == 0 { throw .transferEncoding }
        if self.hostLine == nil, head.minorVersion > 0 { throw .host }
        self.framing = try framing.framing() ?? (head.hasUnannouncedBody ? .chunked : .none)
        self.readMethod(of: head, in: bytes)
        self.answerForm = evidence.form(
            method: bytes.extracting(head.methodStart..<head.methodEnd),
            target: bytes.extracting(head.target.start..<head.target.end)
        )
        if let line = self.maxForwardsLine {
            self.forwardsLeft = try Self.forwardsLeft(head, in: bytes, from: line)
        }
    }

    /// Parses `Max-Forwards`, which applies only to `TRACE` and `OPTIONS` (RFC 9110 section 7.6.2).
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
            // No real request has this many hops left, so limiting the number makes no difference.
            count = Swift.min(count, .max / 16) * 10 + UInt64(bytes[index] - 0x30)
        }
        return count
    }

    /// Replaces the form of the response, for clients that get the response through a gateway.
    package mutating func replaceForm(_ form: AnswerForm) {
        self.answerForm = form
    }

    /// Treats the request as one that is not a preflight.
    ///
    /// Called if the request has a body that its head no longer announces.
    package mutating func rejectPreflight() {
        self.isPreflight = false
    }

    private mutating func readMethod(of head: borrowing RequestHead, in bytes: Span<UInt8>) {
        self.isHead = head.method("HEAD", in: bytes)
        self.isIdempotent =
            self.isHead || head.method("GET", in: bytes) || head.method("OPTIONS", in: bytes)
            || head.method("PUT", in: bytes) || head.method("DELETE", in: bytes)
            || head.method("TRACE", in: bytes)
        self.isPreflight =
            self.hasRequestMethodField && self.originLine != nil && self.upgradeLine == nil
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

    /// Whether the client keeps the connection open for further requests (RFC 9112 section 9.3).
    @inlinable
    package var keepsAlive: Bool {
        self.minorVersion > 0
            ? !self.connection.close : self.connection.keepAlive && !self.connection.close
    }

    /// Whether the client offers to change the protocol (RFC 9110 section 7.8).
    @inlinable
    package var offersUpgrade: Bool {
        self.upgradeLine != nil && self.connection.upgrade && self.minorVersion > 0
            && self.framing == .none
    }

    /// Returns the origin of the web app that must be able to read the response, or `nil` if there is none.
    package func origin(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> String? {
        guard let index = self.originLine else { return nil }
        let line = head.fields.lines[index]
        return bytes.text(from: line.valueStart, to: line.valueEnd)
    }
}
