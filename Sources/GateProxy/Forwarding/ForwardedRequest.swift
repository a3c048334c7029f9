import GatePolicy
package import GateWire
package import NIOCore

/// A request that goes to a backend: the head as the client sent it, and what the gate changes in it (RFC 9110 7.6).
///
/// It is in no version of HTTP. `RequestHeadWriter` and `RequestBlockWriter` write it when there is a connection, each
/// time it is sent.
package final class ForwardedRequest: Sendable {
    let head: RequestHead
    /// The bytes that `head` has its places in.
    let bytes: ByteBuffer
    let facts: RequestFacts
    let verdict: Verdict
    /// The connection's word on the client, and whether the client's own words on that are believed.
    let origin: ClientOrigin
    /// The host of a request of HTTP/1.0 that has none.
    let upstreamAuthority: String
    /// That of a WebSocket whose client gives none.
    let webSocketKey: WebSocketKey?
    /// The name that the gate gives the request; `nil`: the client's own passes.
    let requestID: RequestID?

    /// - Parameters:
    ///   - head: The head as it was read.
    ///   - facts: What was found out about it.
    ///   - bytes: Those that it was read from, of which a copy is kept.
    ///   - buffer: An empty one, whose memory is used for the copy.
    ///   - verdict: The verdict by which the request passes.
    ///   - origin: The connection's word on the client.
    ///   - upstreamAuthority: The backend as a `Host` value.
    ///   - webSocketKey: That of a WebSocket whose client gives none.
    ///   - newRequestID: Asked for a name if the client gives none that passes.
    package init(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        copiedInto buffer: consuming ByteBuffer = ByteBuffer(),
        verdict: Verdict,
        origin: ClientOrigin,
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

    /// The head alone.
    var received: ReceivedHead { ReceivedHead(self.head, bytes: self.bytes) }

    /// The fields in which the backend is told what the client says in its version line alone.
    func added(in bytes: Span<UInt8>) -> AddedFields? {
        self.verdict.members?.fields(of: self.head, in: bytes)
    }

    /// Whether it may be sent again whatever the backend has made of it.
    var isRepeatable: Bool { self.facts.isIdempotent && self.facts.framing == .none }
}

/// The lines of the client that pass, and the values that the gate adds.
extension ForwardedRequest {
    /// Whether a line of the client goes on, as far as the version of the backend has a place for it.
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

    /// The place of the host that the client names; `nil`: it names none.
    var host: Range<Int>? {
        // The target outranks whatever Host says (RFC 9112 3.2.2).
        guard !self.head.target.isAbsolute else {
            return self.head.target.authorityStart..<self.head.target.authorityEnd
        }
        return self.facts.hostLine.map { self.head.fields.lines[$0].value }
    }

    /// The number for `Max-Forwards`; `nil`: the client's own line passes, if it has one.
    var maxForwards: UInt64? {
        guard let left = self.facts.forwardsLeft, left > 0 else { return nil }
        return left - 1
    }

    /// The place of the value of `X-Forwarded-Host`; `nil`: it is said already, or nobody knows.
    var forwardedHost: Range<Int>? {
        let isSaid = self.origin.isTrusted && self.has(.forwarded(.host))
        return isSaid ? nil : self.host
    }

    /// Whether the gate says the protocol of the client's connection.
    var saysProtocol: Bool { !self.origin.isTrusted || !self.has(.forwarded(.proto)) }

    private func has(_ role: FieldRole) -> Bool {
        self.head.fields.lines.contains { $0.role == role }
    }

    /// Writes the value of `X-Forwarded-For`: the addresses that a proxy tells that is believed, and its own.
    func writeAddresses(_ bytes: Span<UInt8>, into out: inout OutputRawSpan) {
        for line in self.toldAddresses {
            out.write(bytes, from: line.valueStart, to: line.valueEnd)
            out.writeStaticString(", ")
        }
        out.writeString(self.origin.address)
    }

    /// Bytes of the value of `X-Forwarded-For`.
    var addressCount: Int {
        self.toldAddresses.reduce(self.origin.address.utf8.count) { $0 + $1.value.count + 2 }
    }

    private var toldAddresses: [FieldLine] {
        guard self.origin.isTrusted, self.facts.forwardedForLine != nil else { return [] }
        return self.head.fields.lines.filter {
            $0.role == .forwarded(.for) && $0.valueStart < $0.valueEnd
        }
    }

    /// The protocols that the client offers.
    ///
    /// HTTP/2 is left out: behind a 101 to it the gate would no longer see the requests that it is
    /// there to judge.
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

    /// The client's own request id, if it is one short token: log lines are made of it.
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

    /// The most bytes that the head can be written in without the fields of `added(in:)`: all that it says stands
    /// there at most three times, once as it came, once as the forwarded host, and once as addresses or as protocols
    /// on offer.
    var mostBytes: Int {
        3 * self.head.end + 2 * self.origin.address.utf8.count + self.origin.lines.count
            + self.upstreamAuthority.utf8.count + self.verdict.upstreamFields.text.count + 512
    }
}

extension ForwardedRequest: Equatable {
    /// Whether they are one and the same.
    package static func == (one: ForwardedRequest, other: ForwardedRequest) -> Bool {
        one === other
    }
}
