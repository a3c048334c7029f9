/// A decoder for response heads, as strict as the HTTP/1.1 parser (RFC 9113 sections 8.2 and 8.3.2).
package enum HTTP2ResponseHead {
    /// The length of the content that follows.
    package enum Content: Equatable {
        /// No content follows, whatever length the head states.
        ///
        /// The response is to a `HEAD` request, has the status 204 or 304, or has a head that ends the stream.
        case none
        case length(UInt64)
        /// Content of unknown length.
        case any
    }

    /// Converts a list to a head, which then refers to the bytes of the list.
    ///
    /// `endsStream` indicates whether nothing follows, and `answersHead` whether the request method
    /// was `HEAD`.
    ///
    /// - Returns: The content that follows.
    /// - Throws: The reason why the head is malformed, which is a stream error (RFC 9113 section 8.1.1).
    package static func read(
        _ list: inout HeaderList,
        endsStream: Bool,
        answersHead: Bool,
        limits: HeadLimits,
        into head: inout ResponseHead
    ) throws(MessageFault) -> Content {
        guard !list.isTooLarge, list.bytes.count + 2 <= limits.bytes else { throw .headTooLarge }
        guard list.lines.count - 1 <= limits.fields else { throw .tooManyFields }
        guard let first = list.lines.first,
            list.bytes.span.equals(":status", from: first.start, to: first.nameEnd)
        else { throw .http2 }
        let status = try self.status(first, in: list.bytes.span)
        // A stream must not end without a final response, and HTTP/2 has no status 101 (RFC 9113
        // sections 8.1 and 8.6).
        guard status >= 200 || (!endsStream && status != 101) else { throw .http2 }
        let length = try self.checkFields(list)
        let hasContent = status >= 200 && !answersHead && status != 204 && status != 304
        var content = Content.none
        switch (hasContent, endsStream, length) {
        case (false, _, _), (true, true, 0): break
        case (true, true, nil):
            list.append(line: Self.emptyContent.span, nameCount: 14, role: .contentLength)
        case (true, true, .some): throw .contentLength
        case (true, false, .some(let length)): content = .length(length)
        case (true, false, nil): content = .any
        }
        list.endSection()
        head.status = status
        head.minorVersion = 1
        head.hasStatusLine = false
        head.hasUnannouncedBody = content == .any
        head.lineStart = first.start
        head.statusStart = first.valueStart
        head.statusEnd = first.valueEnd
        head.fieldsStart = first.end
        head.end = list.bytes.count
        head.fields.removeAll()
        for line in list.lines.dropFirst() { head.fields.append(line) }
        return content
    }

    private static let emptyContent = Array("content-length: 0\r\n".utf8)

    private static func status(
        _ line: FieldLine,
        in bytes: Span<UInt8>
    ) throws(MessageFault) -> Int {
        guard line.valueEnd - line.valueStart == 3 else { throw .status }
        var status = 0
        for index in line.valueStart..<line.valueEnd {
            guard ASCII.isDigit(bytes[index]) else { throw .status }
            status = status * 10 + Int(bytes[index] - 0x30)
        }
        guard status >= 100 else { throw .status }
        return status
    }

    /// Validates all fields except `:status`.
    ///
    /// - Returns: The value of `content-length`, or `nil` if there is no such field.
    private static func checkFields(
        _ list: borrowing HeaderList
    ) throws(MessageFault) -> UInt64? {
        let bytes = list.bytes.span
        guard list.isWellFormed else { throw .http2 }
        var length: UInt64?
        for line in list.lines.dropFirst() {
            // `:status` is the only pseudo-header field, and precedes all other fields (RFC 9113
            // section 8.3.2).
            guard bytes[line.start] != ASCII.colon else { throw .http2 }
            switch HTTP2FieldSyntax.role(of: line, in: bytes) {
            case .connectionSpecific: throw .http2
            case .contentLength:
                guard length == nil, let number = FramingFields.contentLength(line, in: bytes)
                else {
                    throw .contentLength
                }
                length = number
            case .other, .cookie, .host, .te: break
            }
        }
        return length
    }
}
