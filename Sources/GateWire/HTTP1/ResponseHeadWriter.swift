package import NIOCore

/// Writes the head of a backend's response for the client: its lines in runs as they were
/// received, less those for this hop, plus those that the gate adds (RFC 9110 7.6).
package struct ResponseHeadWriter {
    /// The fate of the connection, as the client is told (RFC 9112 9.3).
    package enum Connection {
        /// HTTP/1.1 keeps a connection unless it says otherwise.
        case keep
        /// HTTP/1.0 closes it unless it says otherwise.
        case keepExplicitly
        case close
        case upgrade
    }

    /// `removesFraming`: leave `Transfer-Encoding` out, for a client that knows none.
    package static func write(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        connection: Connection,
        removesFraming: Bool,
        adding fields: [UInt8],
        into out: inout ByteBuffer
    ) {
        var runStart = head.lineStart
        if !Self.passesAsReceived(statusLineOf: head, bytes: bytes) {
            Self.write(statusLineOf: head, bytes: bytes, into: &out)
            runStart = head.fieldsStart
        }
        for line in head.fields.lines {
            let passes =
                switch line.role {
                case .connection, .hopByHop, .gateOwned: false
                case .upgrade: connection == .upgrade
                // Neither may stand where there can be no body (RFC 9112 6.1, RFC 9110 8.6).
                case .transferEncoding:
                    !removesFraming && head.status >= 200 && head.status != 204
                case .contentLength: head.status >= 200 && head.status != 204
                case .other, .host, .expect, .origin, .contentType, .accept, .requestID,
                    .accessControlRequestMethod, .maxForwards, .forwarded, .te, .identity, .dialect:
                    !facts.connection.nominates(line, in: bytes)
                }
            guard !passes else { continue }
            out.write(bytes, from: runStart, to: line.start)
            runStart = line.end
        }
        let adds = head.hasUnannouncedBody || !fields.isEmpty
        if !adds, connection == .keep { return out.write(bytes, from: runStart, to: head.end) }
        out.write(bytes, from: runStart, to: head.end - 2)
        if head.hasUnannouncedBody, !removesFraming {
            out.writeStaticString("transfer-encoding: chunked\r\n")
        }
        out.writeBytes(fields)
        switch connection {
        case .keep: break
        case .keepExplicitly: out.writeStaticString("Connection: keep-alive\r\n")
        case .close: out.writeStaticString("Connection: close\r\n")
        case .upgrade: out.writeStaticString("Connection: upgrade\r\n")
        }
        out.writeStaticString("\r\n")
    }

    /// Whether the status line is the one that the client gets, so that it is the beginning of the
    /// first run.
    private static func passesAsReceived(
        statusLineOf head: ResponseHead,
        bytes: Span<UInt8>
    ) -> Bool {
        // Before the status stand the last digit of the version and a space; behind it, one more.
        head.hasStatusLine && bytes[head.statusStart - 2] == UInt8(ascii: "1")
            && head.statusEnd - head.statusStart > 3
    }

    private static func write(
        statusLineOf head: ResponseHead,
        bytes: Span<UInt8>,
        into out: inout ByteBuffer
    ) {
        out.writeStaticString("HTTP/1.1 ")
        out.write(bytes, from: head.statusStart, to: head.statusEnd)
        // The space before an empty reason is not optional (RFC 9112 4).
        if head.statusEnd - head.statusStart == 3 { out.writeStaticString(" ") }
        // HTTP/2 has no reasons; some clients of HTTP/1.1 (h2load 1.52) take none for a failure.
        if !head.hasStatusLine { out.writeString(StatusLine.reason(head.status)) }
        out.writeStaticString("\r\n")
    }
}
