import GatePolicy
package import GateWire
package import NIOCore

/// Writes the head of a request for a backend of HTTP/1.1: the client's lines in runs as they were
/// received, less those for this hop, plus those that the gate adds (RFC 9110 7.6).
package struct RequestHeadWriter {
    /// The connection's word on the client, and whether the client's own words on that are
    /// believed.
    let origin: ClientOrigin
    /// Sent where an HTTP/1.0 request has no Host.
    let upstreamAuthority: String

    package init(origin: ClientOrigin, upstreamAuthority: String) {
        self.origin = origin
        self.upstreamAuthority = upstreamAuthority
    }

    /// `webSocketKey`: that of a WebSocket whose client gives none.
    package func write(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        verdict: Verdict,
        webSocketKey: WebSocketKey? = nil,
        newRequestID: () -> RequestID,
        into out: inout ByteBuffer
    ) {
        let requestID =
            Self.clientRequestID(head, facts: facts, bytes: bytes) == nil ? newRequestID() : nil
        let added = verdict.members?.fields(of: head, in: bytes)
        let most = self.mostBytes(of: head, verdict: verdict) + (added?.byteCount ?? 0)
        // To make room for each piece costs more than to write it.
        out.writeWithOutputRawSpan(minimumWritableBytes: most) { out in
            self.write(
                head,
                facts: facts,
                bytes: bytes,
                verdict: verdict,
                webSocketKey: webSocketKey,
                requestID: requestID,
                added: added,
                into: &out
            )
        }
    }

    /// The most bytes that a head can be written in: all that it says stands there at most three
    /// times, once as it came, once as the forwarded host, and once as addresses or as protocols on
    /// offer.
    private func mostBytes(of head: RequestHead, verdict: Verdict) -> Int {
        3 * head.end + 2 * self.origin.address.utf8.count + self.origin.lines.count
            + self.upstreamAuthority.utf8.count + verdict.upstreamFields.count + 512
    }

    private func write(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        verdict: Verdict,
        webSocketKey: WebSocketKey?,
        requestID: RequestID?,
        added: AddedFields?,
        into out: inout OutputRawSpan
    ) {
        var start = head.methodStart
        if !Self.passesAsReceived(requestLineOf: head, bytes: bytes) {
            head.writeRequestLine(bytes, into: &out)
            start = head.fieldsStart
        }
        if let host = facts.hostLine.map({ head.fields.lines[$0] }), host.start < start {
            Self.write("host: ", host, in: bytes, into: &out)
        }
        self.writeClientLines(
            head,
            from: start,
            facts: facts,
            bytes: bytes,
            verdict: verdict,
            into: &out
        )
        if head.target.isAbsolute {
            // The target outranks whatever Host says (RFC 9112 3.2.2).
            out.writeStaticString("Host: ")
            out.write(bytes, from: head.target.authorityStart, to: head.target.authorityEnd)
            out.writeStaticString("\r\n")
        } else if facts.hostLine == nil {
            out.writeStaticString("Host: ")
            out.writeString(self.upstreamAuthority)
            out.writeStaticString("\r\n")
        }
        if head.hasUnannouncedBody { out.writeStaticString("transfer-encoding: chunked\r\n") }
        if facts.offersUpgrade, let upgrade = Self.upgradeTokens(head, facts: facts, bytes: bytes) {
            out.writeString("Connection: upgrade\r\nUpgrade: \(upgrade)\r\n")
            if let webSocketKey {
                out.writeString("Sec-WebSocket-Key: \(webSocketKey.text)\r\n")
            }
        }
        if let left = facts.forwardsLeft, left > 0 {
            out.writeString("Max-Forwards: \(left - 1)\r\n")
        }
        // Said anew for the next hop (RFC 9110 10.1.4): trailers are passed on to the client.
        if facts.acceptsTrailers { out.writeStaticString("Connection: TE\r\nTE: trailers\r\n") }
        self.writeForwarded(head, facts: facts, bytes: bytes, into: &out)
        if let requestID {
            out.writeStaticString("X-Request-Id: ")
            requestID.write(into: &out)
            out.writeStaticString("\r\n")
        }
        if let field = added?.first { Self.write(field, in: bytes, into: &out) }
        if let field = added?.second { Self.write(field, in: bytes, into: &out) }
        out.writeBytes(verdict.upstreamFields)
        out.writeStaticString("\r\n")
    }

    private static func write(
        _ field: AddedFields.Field,
        in bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        out.writeString(field.name)
        out.writeStaticString(": ")
        switch field.value {
        case .place(let place): out.write(bytes, from: place.lowerBound, to: place.upperBound)
        case .text(let text): out.writeString(text)
        }
        out.writeStaticString("\r\n")
    }

    /// Whether the request line is the one that the backend gets, so that it is the beginning of
    /// the first run.
    private static func passesAsReceived(
        requestLineOf head: RequestHead,
        bytes: Span<UInt8>
    ) -> Bool {
        // Before the fields stand the last digit of the version, CR and LF.
        head.hasRequestLine && !head.target.isAbsolute
            && bytes[head.fieldsStart - 3] == UInt8(ascii: "1")
    }

    private func writeClientLines(
        _ head: RequestHead,
        from start: Int,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        verdict: Verdict,
        into out: inout OutputRawSpan
    ) {
        let requestID = Self.clientRequestID(head, facts: facts, bytes: bytes)
        var runStart = start
        // Before the fields of HTTP/2 stand its pseudo-header fields.
        for line in head.fields.lines where line.start >= start {
            let passes =
                switch line.role {
                case .other, .accept, .contentType: !facts.connection.nominates(line, in: bytes)
                case .contentLength, .transferEncoding, .origin, .accessControlRequestMethod: true
                case .maxForwards: facts.forwardsLeft == nil
                case .expect: facts.expectsContinue
                case .host: !head.target.isAbsolute
                case .requestID: line == requestID
                case .identity(let index):
                    verdict.droppedFields & (1 << UInt64(index)) == 0
                        && !facts.connection.nominates(line, in: bytes)
                case .forwarded(.for): false
                case .forwarded(.proto), .forwarded(.host), .forwarded(.standard):
                    self.origin.isTrusted
                case .connection, .upgrade, .te, .hopByHop, .gateOwned: false
                }
            guard !passes else { continue }
            out.write(bytes, from: runStart, to: line.start)
            runStart = line.end
        }
        // The empty line is the last thing of the head; it is written at the very end.
        out.write(bytes, from: runStart, to: head.end - 2)
    }

    private func writeForwarded(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        if self.origin.isTrusted {
            self.writeTrusted(head, facts: facts, bytes: bytes, into: &out)
        } else {
            out.writeBytes(self.origin.lines)
        }
        let isSaid =
            self.origin.isTrusted && head.fields.lines.contains { $0.role == .forwarded(.host) }
        guard !isSaid else { return }
        if head.target.isAbsolute {
            out.writeStaticString("X-Forwarded-Host: ")
            out.write(bytes, from: head.target.authorityStart, to: head.target.authorityEnd)
            out.writeStaticString("\r\n")
        } else if let index = facts.hostLine {
            Self.write("X-Forwarded-Host: ", head.fields.lines[index], in: bytes, into: &out)
        }
    }

    /// Writes the value of a line under another name.
    private static func write(
        _ name: StaticString,
        _ line: FieldLine,
        in bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        out.writeStaticString(name)
        out.write(bytes, from: line.valueStart, to: line.valueEnd)
        out.writeStaticString("\r\n")
    }

    /// The client's address and protocol, as a proxy that is believed says them.
    private func writeTrusted(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        out.writeStaticString("X-Forwarded-For: ")
        if facts.forwardedForLine != nil {
            for line in head.fields.lines
            where line.role == .forwarded(.for) && line.valueStart < line.valueEnd {
                out.write(bytes, from: line.valueStart, to: line.valueEnd)
                out.writeStaticString(", ")
            }
        }
        out.writeString(self.origin.address)
        out.writeStaticString("\r\n")
        if !head.fields.lines.contains(where: { $0.role == .forwarded(.proto) }) {
            out.writeString(ClientOrigin.protocolLine(isSecure: self.origin.isSecure))
        }
    }

    /// The protocols that the client offers.
    ///
    /// HTTP/2 is left out: behind a 101 to it the gate would no longer see the requests that it is
    /// there to judge.
    static func upgradeTokens(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>
    ) -> String? {
        var tokens: [String] = []
        for line in head.fields.lines where line.role == .upgrade {
            bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                let token = bytes.text(from: start, to: end)
                let name = token.lowercased()
                if !name.hasPrefix("h2") && !name.hasPrefix("http/") && !name.hasPrefix("tls/") {
                    tokens.append(token)
                }
                return true
            }
        }
        return tokens.isEmpty ? nil : tokens.joined(separator: ", ")
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
}
