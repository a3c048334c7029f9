import GateWire

/// Methods that write the parts of a request to log lines.
extension AccessLog {
    /// Returns `attribute` in the `otel` format, and `own` in all other formats.
    func member(_ own: StaticString, _ attribute: StaticString) -> StaticString {
        self.format == .otel ? attribute : own
    }

    /// Writes the part of a text line between the time and the status.
    func writeRequestLine(
        _ parts: LoggedParts,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        line.writeStaticString("] \"")
        let (method, path) = (parts.method, parts.path)
        if bytes[method.upperBound] == ASCII.space, method.upperBound + 1 == path.lowerBound,
            !path.isEmpty, method.count <= Limit.method, path.count <= Limit.path
        {
            // In HTTP/1.1, the method and the path are contiguous in the request head.
            let both = method.lowerBound..<path.upperBound
            self.write(both, in: bytes, atMost: both.count, into: &line)
        } else {
            self.writeMethod(parts, in: bytes, into: &line)
            line.writeStaticString(" ")
            self.writePath(parts, in: bytes, into: &line)
        }
        switch parts.version {
        case .http10: line.writeStaticString(" HTTP/1.0\" ")
        case .http11: line.writeStaticString(" HTTP/1.1\" ")
        case .http2: line.writeStaticString(" HTTP/2.0\" ")
        }
    }

    /// Writes `Referer` and `User-Agent` to a text line.
    func writeAgent(
        _ parts: LoggedParts,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        line.writeStaticString(" \"")
        self.writeField(parts.referer, in: bytes, into: &line)
        line.writeStaticString("\" \"")
        self.writeField(parts.userAgent, in: bytes, into: &line)
        line.writeStaticString("\"")
    }

    /// Writes the members of a JSON object up to `User-Agent`.
    func writeMembers(
        _ parts: LoggedParts,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        line.writeStaticString(
            self.member("\",\"method\":\"", "\",\"http.request.method\":\"")
        )
        self.writeMethod(parts, in: bytes, into: &line)
        line.writeStaticString(self.member("\",\"path\":\"", "\",\"url.path\":\""))
        self.writePath(parts, in: bytes, into: &line)
        line.writeStaticString(
            self.member("\",\"protocol\":\"HTTP/", "\",\"network.protocol.version\":\"")
        )
        switch parts.version {
        case .http10: line.writeStaticString("1.0\"")
        case .http11: line.writeStaticString("1.1\"")
        case .http2: line.writeStaticString(self.member("2.0\"", "2\""))
        }
        if parts.referer != nil {
            // OpenTelemetry attributes for header fields are lists.
            line.writeStaticString(
                self.member(",\"referer\":\"", ",\"http.request.header.referer\":[\"")
            )
            self.writeField(parts.referer, in: bytes, into: &line)
            line.writeStaticString(self.member("\"", "\"]"))
        }
        if parts.userAgent != nil {
            line.writeStaticString(
                self.member(",\"user_agent\":\"", ",\"user_agent.original\":\"")
            )
            self.writeField(parts.userAgent, in: bytes, into: &line)
            line.writeStaticString("\"")
        }
    }

    private func writeField(
        _ value: Range<Int>?,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        guard let value else { return line.writeStaticString("-") }
        self.write(value, in: bytes, atMost: Limit.field, into: &line)
    }

    /// Writes the method, which needs no escaping because it is a token (RFC 9110 section 5.6.2).
    private func writeMethod(
        _ parts: LoggedParts,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        line.writeBytes(bytes.extracting(parts.method.prefix(Limit.method)))
        if parts.method.count > Limit.method { line.writeStaticString(LogValue.ellipsis) }
    }

    private func writePath(_ parts: LoggedParts, in bytes: Span<UInt8>, into line: inout LogCursor)
    {
        // The backend receives `/` for an empty path (RFC 9112 section 3.2.1).
        if parts.path.isEmpty { line.writeStaticString("/") }
        self.write(parts.path, in: bytes, atMost: Limit.path, into: &line)
    }

    func write(
        _ value: Range<Int>,
        in bytes: Span<UInt8>,
        atMost limit: Int,
        into line: inout LogCursor
    ) {
        LogValue.write(bytes.extracting(value), as: self.format, atMost: limit, into: &line)
    }

    /// Writes the IDs of the trace and the span, under the names that OpenTelemetry recommends for JSON logs.
    func writeTrace(
        _ trace: TraceContext?,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        guard let trace else { return }
        line.writeStaticString(",\"trace_id\":\"")
        line.writeBytes(bytes.extracting(trace.traceID))
        line.writeStaticString("\",\"span_id\":\"")
        line.writeBytes(bytes.extracting(trace.spanID))
        line.writeStaticString("\"")
    }
}
