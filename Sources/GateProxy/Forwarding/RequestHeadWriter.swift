import GatePolicy
import GateWire
package import NIOCore

/// A writer of request heads for HTTP/1.1 backends (RFC 9110 section 7.6).
///
/// The writer copies runs of received lines, omits the hop-by-hop lines, and appends the gate's own fields.
package enum RequestHeadWriter {
    package static func write(_ request: ForwardedRequest, into out: inout ByteBuffer) {
        let received = request.bytes
        let bytes = received.readableBytesUInt8Span
        let added = request.added(in: bytes)
        let most = request.mostBytes + (added?.byteCount ?? 0)
        // Space is reserved once, because a check before each part costs more than writing the part.
        out.writeWithOutputRawSpan(minimumWritableBytes: most) { out in
            self.write(request, bytes, into: &out)
            added?.forEach(in: bytes) { name, value in
                out.write(name, from: 0, to: name.count)
                out.writeStaticString(": ")
                out.write(value, from: 0, to: value.count)
                out.writeStaticString("\r\n")
            }
            out.writeBytes(request.verdict.upstreamFields.text)
            out.writeStaticString("\r\n")
        }
    }

    /// Writes the head without the fields that result from the verdict.
    private static func write(
        _ request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        let head = request.head
        let facts = request.facts
        var start = head.methodStart
        if !self.passesAsReceived(requestLineOf: head, bytes: bytes) {
            head.writeRequestLine(bytes, into: &out)
            start = head.fieldsStart
        }
        if let host = facts.hostLine.map({ head.fields.lines[$0] }), host.start < start {
            self.write("host: ", host.value, in: bytes, into: &out)
        }
        self.writeClientLines(of: request, bytes, from: start, into: &out)
        if head.target.isAbsolute, let host = request.host {
            self.write("Host: ", host, in: bytes, into: &out)
        } else if request.host == nil {
            out.writeStaticString("Host: ")
            out.writeString(request.upstreamAuthority)
            out.writeStaticString("\r\n")
        }
        if head.hasUnannouncedBody { out.writeStaticString("transfer-encoding: chunked\r\n") }
        if facts.offersUpgrade { self.writeUpgrade(of: request, into: &out) }
        if let left = request.maxForwards { out.writeString("Max-Forwards: \(left)\r\n") }
        // `TE` is added again for the next hop, because the gate forwards trailers (RFC 9110 section 10.1.4).
        if facts.acceptsTrailers { out.writeStaticString("Connection: TE\r\nTE: trailers\r\n") }
        self.writeForwarded(of: request, bytes, into: &out)
        if let requestID = request.requestID {
            out.writeStaticString("X-Request-Id: ")
            requestID.write(into: &out)
            out.writeStaticString("\r\n")
        }
    }

    /// Returns whether the received request line can be sent to the backend as part of the first run.
    private static func passesAsReceived(
        requestLineOf head: RequestHead,
        bytes: Span<UInt8>
    ) -> Bool {
        // The fields are preceded by the last digit of the version, CR and LF.
        head.hasRequestLine && !head.target.isAbsolute
            && bytes[head.fieldsStart - 3] == UInt8(ascii: "1")
    }

    private static func writeClientLines(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        from start: Int,
        into out: inout OutputRawSpan
    ) {
        let head = request.head
        var runStart = start
        // The pseudo-header fields of an HTTP/2 request precede its other fields.
        for line in head.fields.lines where line.start >= start {
            guard !request.passes(line, in: bytes) else { continue }
            out.write(bytes, from: runStart, to: line.start)
            runStart = line.end
        }
        // The empty line at the end of the head is written last.
        out.write(bytes, from: runStart, to: head.end - 2)
    }

    private static func writeUpgrade(of request: ForwardedRequest, into out: inout OutputRawSpan) {
        let tokens = request.upgradeTokens
        guard !tokens.isEmpty else { return }
        out.writeString("Connection: upgrade\r\nUpgrade: \(tokens.joined(separator: ", "))\r\n")
        if let key = request.webSocketKey { out.writeString("Sec-WebSocket-Key: \(key.text)\r\n") }
    }

    private static func writeForwarded(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        let origin = request.origin
        if origin.isTrusted {
            out.writeStaticString("X-Forwarded-For: ")
            request.writeAddresses(bytes, into: &out)
            out.writeStaticString("\r\n")
            if request.addsForwardedProto {
                out.writeString(ClientAddress.protocolLine(isSecure: origin.isSecure))
            }
        } else {
            out.writeBytes(origin.lines)
        }
        if let host = request.forwardedHost {
            self.write("X-Forwarded-Host: ", host, in: bytes, into: &out)
        }
    }

    /// Writes a field added by the gate, with a value from the client.
    private static func write(
        _ name: StaticString,
        _ value: Range<Int>,
        in bytes: Span<UInt8>,
        into out: inout OutputRawSpan
    ) {
        out.writeStaticString(name)
        out.write(bytes, from: value.lowerBound, to: value.upperBound)
        out.writeStaticString("\r\n")
    }
}
