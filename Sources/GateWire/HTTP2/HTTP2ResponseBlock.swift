/// An encoder for response heads as header blocks (RFC 9113 sections 8.2 and 8.3.2).
package enum HTTP2ResponseBlock {
    /// Writes the head of a backend's response without its hop-by-hop fields (RFC 9110 section 7.6).
    ///
    /// The names and values in the block take up at most as many bytes as the head.
    package static func write(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        endsStream: Bool,
        into block: inout OutputRawSpan
    ) {
        let mayHaveLength = head.status >= 200 && head.status != 204
        let isTrailersOnly =
            endsStream && head.fields.lines.contains { self.isCallStatus($0, in: bytes) }
        HPACKWriter.writeStatus(head.status, into: &block)
        for line in head.fields.lines {
            switch line.role {
            case .connection, .hopByHop, .gateOwned, .upgrade, .transferEncoding, .te: break
            case .contentLength:
                guard mayHaveLength, !isTrailersOnly else { break }
                HPACKWriter.writeLength(bytes.extracting(line.value), into: &block)
            case .other, .host, .expect, .origin, .contentType, .accept, .requestID,
                .accessControlRequestMethod, .maxForwards, .forwarded, .identity, .dialect:
                guard !facts.connection.nominates(line, in: bytes) else { break }
                HPACKWriter.writeField(bytes, line, into: &block)
            }
        }
    }

    /// Writes the head that corresponds to a 101 response from the backend (RFC 8441 section 5).
    ///
    /// `Sec-WebSocket-Accept` and `Upgrade` are omitted, because they belong to the HTTP/1.1 handshake.
    package static func writeTunnel(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        into block: inout OutputRawSpan
    ) {
        HPACKWriter.writeStatus(200, into: &block)
        for line in head.fields.lines {
            guard case .other = line.role, !facts.connection.nominates(line, in: bytes),
                !bytes.matches("sec-websocket-accept", from: line.start, to: line.nameEnd)
            else { continue }
            HPACKWriter.writeField(bytes, line, into: &block)
        }
    }

    /// Returns whether a field is the gRPC status, which a Trailers-Only response has in its head.
    ///
    /// See gRPC over HTTP/2, "Responses".
    static func isCallStatus(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        bytes.matches("grpc-status", from: line.start, to: line.nameEnd)
    }
}
