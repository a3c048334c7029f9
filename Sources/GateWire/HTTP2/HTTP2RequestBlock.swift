package import NIOCore

/// Writes the head of a request as a header block of HTTP/2 (RFC 9113 8.2 and 8.3.1).
package enum HTTP2RequestBlock {
    /// The fields that the gate itself writes are told from others; what says who the client is goes
    /// by like any other.
    package static let table = FieldNameTable.request(identityHeaderNames: [])

    /// `isSecure`: whether the backend is spoken to over TLS.
    package static func write(
        _ head: RequestHead,
        facts: RequestFacts,
        bytes: Span<UInt8>,
        isSecure: Bool,
        into block: inout ByteBuffer
    ) {
        block.writeHeaderBlock(
            fields: head.fields.lines.count + 4,
            bytes: head.end + self.acceptsTrailers.count
        ) { block in
            if head.method("GET", in: bytes) {
                HPACKWriter.writeIndexed(2, into: &block)
            } else if head.method("POST", in: bytes) {
                HPACKWriter.writeIndexed(3, into: &block)
            } else {
                HPACKWriter.writeField(
                    name: 2,
                    bytes,
                    from: head.methodStart,
                    to: head.methodEnd,
                    into: &block
                )
            }
            HPACKWriter.writeIndexed(isSecure ? 7 : 6, into: &block)
            // Without a host there is no authority, and an empty one is malformed (RFC 9113 8.3.1).
            if let host = facts.hostLine.map({ head.fields.lines[$0] }),
                host.valueStart < host.valueEnd
            {
                HPACKWriter.writeField(
                    name: 1,
                    bytes,
                    from: host.valueStart,
                    to: host.valueEnd,
                    into: &block
                )
            }
            HPACKWriter.writeField(
                name: 4,
                bytes,
                from: head.target.start,
                to: head.target.end,
                into: &block
            )
            for line in head.fields.lines {
                switch line.role {
                case .host, .connection, .transferEncoding, .upgrade, .te, .hopByHop: continue
                case .other, .contentLength, .expect, .origin, .contentType, .accept, .requestID,
                    .accessControlRequestMethod, .maxForwards, .forwarded, .gateOwned, .identity:
                    HPACKWriter.writeField(bytes, line, into: &block)
                }
            }
            if facts.acceptsTrailers {
                for byte in self.acceptsTrailers { block.append(byte) }
            }
        }
    }

    /// `te: trailers`, written out.
    private static let acceptsTrailers: [UInt8] =
        [0, 2] + Array("te".utf8) + [8] + Array("trailers".utf8)
}
