import NIOCore

/// What goes out.
extension HTTP2Connection {
    /// A client that makes room for a body byte by byte earns nothing by it.
    func wrote(_ count: Int, of stream: HTTP2Stream) {
        if stream.output.isEmpty || count >= 1024 { self.control.earn(4) }
    }

    /// Writes the head of an answer.
    func writeHeaders(
        _ head: ResponseHead,
        in bytes: Span<UInt8>,
        stream: UInt32,
        endsStream: Bool
    ) {
        let start = self.outbox.beginHeaders(stream: stream, endsStream: endsStream)
        HPACKWriter.writeStatus(head.status, into: &self.outbox.frames)
        // A call that fails at once has nothing but trailers (gRPC over HTTP/2, trailers-only).
        let isTrailersOnly =
            endsStream
            && head.fields.lines.contains {
                bytes.matches("grpc-status", from: $0.start, to: $0.nameEnd)
            }
        for line in head.fields.lines {
            switch line.role {
            case .connection, .transferEncoding, .upgrade, .te, .hopByHop: continue
            case .contentLength where isTrailersOnly: continue
            case .other, .host, .contentLength, .expect, .origin, .contentType, .accept,
                .requestID, .accessControlRequestMethod, .maxForwards, .forwarded, .gateOwned,
                .identity:
                HPACKWriter.writeField(bytes, line, into: &self.outbox.frames)
            }
        }
        self.outbox.endHeaders(at: start, stream: stream)
        self.flush()
    }
}
