package import NIOCore

/// A response head as HTTP/2 sends it, checked and written as HTTP/1.1 (RFC 9113 8.2 and 8.3.2).
///
/// A head that passes here is read once more, by the parser that reads every response.
package struct HTTP2ResponseHead: Equatable {
    /// How much content may follow.
    package enum Content: Equatable {
        /// None, whatever the head says of a length: an answer to `HEAD`, 204, 304, or the end.
        case none
        case length(UInt64)
        /// As much as comes.
        case any
    }

    package var status: Int
    package var content: Content

    package var isInterim: Bool { self.status < 200 }

    /// Writes the head.
    ///
    /// `endsStream`: whether nothing follows; `answersHead`: whether the request was `HEAD`.
    /// - Throws: why it is malformed, an error of its stream (RFC 9113 8.1.1).
    package static func write(
        _ list: borrowing HeaderList,
        endsStream: Bool,
        answersHead: Bool,
        into out: inout ByteBuffer
    ) throws(MessageFault) -> HTTP2ResponseHead {
        let bytes = list.bytes.span
        guard !list.isTooLarge else { throw .headTooLarge }
        guard let first = list.lines.first,
            bytes.equals(":status", from: first.start, to: first.nameEnd)
        else { throw .http2 }
        let status = try self.status(first, in: bytes)
        // An end without an answer; and HTTP/2 has no 101 (RFC 9113 8.1 and 8.6).
        guard status >= 200 || (!endsStream && status != 101) else { throw .http2 }
        out.writeStaticString("HTTP/1.1 ")
        out.write(bytes, from: first.valueStart, to: first.valueEnd)
        // HTTP/2 has no reasons; some clients of HTTP/1.1 (h2load 1.52) take none for a failure.
        out.writeStaticString(" ")
        out.writeString(StatusLine.reason(status))
        out.writeStaticString("\r\n")
        let length = try self.checkFields(list)
        out.write(bytes, from: first.end, to: bytes.count)
        var head = HTTP2ResponseHead(status: status, content: .none)
        let hasContent = status >= 200 && !answersHead && status != 204 && status != 304
        switch (hasContent, endsStream, length) {
        case (false, _, _): break
        case (true, true, nil): out.writeStaticString("content-length: 0\r\n")
        case (true, true, 0): break
        case (true, true, .some): throw .contentLength
        case (true, false, .some(let length)): head.content = .length(length)
        case (true, false, nil):
            head.content = .any
            out.writeStaticString("transfer-encoding: chunked\r\n")
        }
        out.writeStaticString("\r\n")
        return head
    }

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

    /// - Returns: the length that the head speaks of.
    private static func checkFields(
        _ list: borrowing HeaderList
    ) throws(MessageFault) -> UInt64? {
        let bytes = list.bytes.span
        guard list.isWellFormed else { throw .http2 }
        var length: UInt64?
        for line in list.lines.dropFirst() {
            // There is one pseudo-header field, and it stands before the others (RFC 9113 8.3.2).
            guard bytes[line.start] != ASCII.colon else { throw .http2 }
            switch HTTP2FieldSyntax.role(of: line, in: bytes) {
            case .connectionSpecific: throw .http2
            case .contentLength:
                guard length == nil, let number = HTTP2FieldSyntax.number(line, in: bytes) else {
                    throw .contentLength
                }
                length = number
            case .other, .cookie, .host, .te: break
            }
        }
        return length
    }
}
