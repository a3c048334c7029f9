import GatePolicy
package import GateWire
package import NIOCore

/// A request to a backend: the head sent by the client, and the changes made by the gate (RFC 9110 section 7.6).
///
/// The request is independent of the HTTP version. `RequestHeadWriter` or `RequestBlockWriter` encodes the request each
/// time it is sent on a connection.
package final class ForwardedRequest: Sendable {
    let head: RequestHead
    /// The bytes to which the ranges in `head` refer.
    let bytes: ByteBuffer
    let facts: RequestFacts
    let verdict: Verdict
    /// The client's address and protocol, and whether the fields in which the peer sends them are trusted.
    let origin: ClientAddress
    /// The host for an HTTP/1.0 request without a host.
    let upstreamAuthority: String
    /// The key that the gate adds to a WebSocket request without a key.
    let webSocketKey: WebSocketKey?
    /// The ID that the gate assigns to the request; `nil` if the client's own ID is forwarded.
    let requestID: RequestID?

    /// Creates a request, and copies the bytes of its head into `buffer`, which must be empty.
    ///
    /// `upstreamAuthority` is the backend as a `Host` value. `newRequestID` is called if the client sends no valid ID.
    package init(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        copiedInto buffer: consuming ByteBuffer = ByteBuffer(),
        verdict: Verdict,
        origin: ClientAddress,
        upstreamAuthority: String,
        webSocketKey: WebSocketKey? = nil,
        newRequestID: () -> RequestID
    ) {
        buffer.write(bytes, from: 0, to: head.end)
        self.head = head
        self.bytes = buffer
        self.facts = facts
        self.verdict = verdict
        self.origin = origin
        self.upstreamAuthority = upstreamAuthority
        self.webSocketKey = webSocketKey
        self.requestID =
            Self.clientRequestID(head, facts: facts, bytes: bytes) == nil
            ? newRequestID() : nil
    }

    var received: ReceivedHead { ReceivedHead(self.head, bytes: self.bytes) }

    /// Returns the fields that the gate adds for values that the client sends only in its version field.
    func added(in bytes: Span<UInt8>) -> AddedFields? {
        self.verdict.members?.fields(of: self.head, in: bytes)
    }

    /// Whether the request can be sent again, regardless of whether the backend has processed it.
    var isRepeatable: Bool { self.facts.isIdempotent && self.facts.framing == .none }
}

/// The client's header lines that are forwarded, and the values that the gate adds.
extension ForwardedRequest {
    /// Returns whether a header line from the client is forwarded if the backend's HTTP version has an equivalent.
    @inline(__always)
    func passes(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        switch line.role {
        case .other, .accept, .contentType, .dialect:
            !self.facts.connection.nominates(line, in: bytes)
        case .contentLength, .transferEncoding, .origin, .accessControlRequestMethod: true
        case .maxForwards: self.facts.forwardsLeft == nil
        case .expect: self.facts.expectsContinue
        case .host: !self.head.target.isAbsolute
        case .requestID: self.requestID == nil && self.isFirst(requestID: line)
        case .identity(let index):
            self.verdict.droppedFields & (1 << UInt64(index)) == 0
                && !self.facts.connection.nominates(line, in: bytes)
        case .forwarded(.for): false
        case .forwarded(.proto), .forwarded(.host), .forwarded(.standard): self.origin.isTrusted
        case .connection, .upgrade, .te, .hopByHop, .gateOwned: false
        }
    }

    private func isFirst(requestID line: FieldLine) -> Bool {
        self.facts.requestIDLine.map { self.head.fields.lines[$0] == line } ?? false
    }

    /// The range of the host that the client sent; `nil` if the client sent no host.
    var host: Range<Int>? {
        // The host in the target takes precedence over `Host` (RFC 9112 section 3.2.2).
        guard !self.head.target.isAbsolute else {
            return self.head.target.authorityStart..<self.head.target.authorityEnd
        }
        return self.facts.hostLine.map { self.head.fields.lines[$0].value }
    }

    /// The value for `Max-Forwards`; `nil` if the client's own line is forwarded, or if there is no such line.
    var maxForwards: UInt64? {
        guard let left = self.facts.forwardsLeft, left > 0 else { return nil }
        return left - 1
    }

    /// The range of the value for `X-Forwarded-Host`.
    ///
    /// The range is `nil` if the field is already present, or the host is unknown.
    var forwardedHost: Range<Int>? {
        let isSaid = self.origin.isTrusted && self.has(.forwarded(.host))
        return isSaid ? nil : self.host
    }

    /// Whether the gate adds `X-Forwarded-Proto` with the protocol of the client's connection.
    var addsForwardedProto: Bool { !self.origin.isTrusted || !self.has(.forwarded(.proto)) }

    private func has(_ role: FieldRole) -> Bool {
        self.head.fields.lines.contains { $0.role == role }
    }

    /// Writes the value of `X-Forwarded-For`: the addresses sent by a trusted proxy, and then the peer's own address.
    func writeAddresses(_ bytes: Span<UInt8>, into out: inout OutputRawSpan) {
        for line in self.forwardedAddresses {
            out.write(bytes, from: line.valueStart, to: line.valueEnd)
            out.writeStaticString(", ")
        }
        out.writeString(self.origin.address)
    }

    /// The length of the value of `X-Forwarded-For` in bytes.
    var addressCount: Int {
        self.forwardedAddresses.reduce(self.origin.address.utf8.count) { $0 + $1.value.count + 2 }
    }

    private var forwardedAddresses: [FieldLine] {
        guard self.origin.isTrusted, self.facts.forwardedForLine != nil else { return [] }
        return self.head.fields.lines.filter {
            $0.role == .forwarded(.for) && $0.valueStart < $0.valueEnd
        }
    }

    /// The protocols to which the client offers to upgrade, except versions of HTTP and TLS.
    ///
    /// After an upgrade to HTTP/2 or TLS, the gate could no longer see the requests that it must evaluate.
    var upgradeTokens: [String] {
        guard self.facts.offersUpgrade else { return [] }
        let bytes = self.bytes
        let span = bytes.readableBytesUInt8Span
        var tokens: [String] = []
        for line in self.head.fields.lines where line.role == .upgrade {
            span.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                let token = span.text(from: start, to: end)
                let name = token.lowercased()
                if !name.hasPrefix("h2") && !name.hasPrefix("http/") && !name.hasPrefix("tls/") {
                    tokens.append(token)
                }
                return true
            }
        }
        return tokens
    }

    /// Returns the client's request ID if it is a single short token that is safe in log lines, or `nil` otherwise.
    static func clientRequestID(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>
    ) -> FieldLine? {
        guard let index = facts.requestIDLine else { return nil }
        let line = head.fields.lines[index]
        guard (1...128).contains(line.valueEnd - line.valueStart) else { return nil }
        for position in line.valueStart..<line.valueEnd
        where bytes[position] <= 0x20 || bytes[position] > 0x7E || bytes[position] == 0x22 {
            return nil
        }
        return line
    }

    /// The maximum size of the head in bytes, without the fields from `added(in:)`.
    ///
    /// Each part of the received head occurs at most three times: as received, as the forwarded host, and as addresses
    /// or offered protocols.
    var mostBytes: Int {
        3 * self.head.end + 2 * self.origin.address.utf8.count + self.origin.lines.count
            + self.upstreamAuthority.utf8.count + self.verdict.upstreamFields.text.count + 512
    }
}

extension ForwardedRequest: Equatable {
    /// Returns whether both requests are the same instance.
    package static func == (one: ForwardedRequest, other: ForwardedRequest) -> Bool {
        one === other
    }
}
