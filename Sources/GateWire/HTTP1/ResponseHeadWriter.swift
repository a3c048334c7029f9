package import NIOCore

/// A writer for the head of a backend's response to the client (RFC 9110 section 7.6).
///
/// The received lines are copied in runs, without hop-by-hop lines, and followed by the gate's own fields.
package struct ResponseHeadWriter {
    /// The state of the connection after the response, as stated in the response (RFC 9112 section 9.3).
    package enum Connection {
        /// The connection stays open, which is the default in HTTP/1.1.
        case keep
        /// The connection stays open, and a `Connection` field states this, as HTTP/1.0 requires.
        case keepExplicitly
        case close
        case upgrade

        /// Creates the state after a response that does not switch protocols.
        package init(keepsClient: Bool, isHTTP10: Bool) {
            self =
                switch (keepsClient, isHTTP10) {
                case (true, false): .keep
                case (true, true): .keepExplicitly
                case (false, _): .close
                }
        }
    }

    /// Writes a response head.
    ///
    /// `removesFraming` indicates whether to omit `Transfer-Encoding`, for clients that do not support it.
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
                // Neither field is allowed if the response cannot have a body (RFC 9112 section
                // 6.1, RFC 9110 section 8.6).
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

    /// Returns whether the received status line can be sent to the client as part of the first run.
    private static func passesAsReceived(
        statusLineOf head: ResponseHead,
        bytes: Span<UInt8>
    ) -> Bool {
        // The minor version is two bytes before the status code, and a space follows the status code.
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
        // The space before an empty reason phrase is required (RFC 9112 section 4).
        if head.statusEnd - head.statusStart == 3 { out.writeStaticString(" ") }
        // HTTP/2 has no reason phrases, but some HTTP/1.1 clients (h2load 1.52) fail without one.
        if !head.hasStatusLine { out.writeString(StatusLine.reason(head.status)) }
        out.writeStaticString("\r\n")
    }
}
