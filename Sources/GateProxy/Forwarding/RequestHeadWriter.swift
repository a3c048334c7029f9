import GatePolicy
import GateWire
package import NIOCore

/// Writes the head of a request for a backend of HTTP/1.1: the client's lines in runs as they were
/// received, less those for this hop, plus those that the gate adds (RFC 9110 7.6).
package enum RequestHeadWriter {
    package static func write(_ request: ForwardedRequest, into out: inout ByteBuffer) {
        let received = request.bytes
        let bytes = received.readableBytesUInt8Span
        let added = request.added(in: bytes)
        let most = request.mostBytes + (added?.byteCount ?? 0)
        // To make room for each piece costs more than to write it.
        out.writeWithOutputRawSpan(minimumWritableBytes: most) { out in
            self.write(request, bytes, added, into: &out)
        }
    }

    private static func write(
        _ request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        _ added: AddedFields?,
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
        // Said anew for the next hop (RFC 9110 10.1.4): trailers are passed on to the client.
        if facts.acceptsTrailers { out.writeStaticString("Connection: TE\r\nTE: trailers\r\n") }
        self.writeForwarded(of: request, bytes, into: &out)
        if let requestID = request.requestID {
            out.writeStaticString("X-Request-Id: ")
            requestID.write(into: &out)
            out.writeStaticString("\r\n")
        }
        if let field = added?.first { self.write(field, in: bytes, into: &out) }
        if let field = added?.second { self.write(field, in: bytes, into: &out) }
        out.writeBytes(request.verdict.upstreamFields.text)
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

    private static func writeClientLines(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        from start: Int,
        into out: inout OutputRawSpan
    ) {
        let head = request.head
        var runStart = start
        // Before the fields of HTTP/2 stand its pseudo-header fields.
        for line in head.fields.lines where line.start >= start {
            guard !request.passes(line, in: bytes) else { continue }
            out.write(bytes, from: runStart, to: line.start)
            runStart = line.end
        }
        // The empty line is the last thing of the head; it is written at the very end.
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
            if request.saysProtocol {
                out.writeString(ClientOrigin.protocolLine(isSecure: origin.isSecure))
            }
        } else {
            out.writeBytes(origin.lines)
        }
        if let host = request.forwardedHost {
            self.write("X-Forwarded-Host: ", host, in: bytes, into: &out)
        }
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

    /// Writes a value of the client in a line of the gate.
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
