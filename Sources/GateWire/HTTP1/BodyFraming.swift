/// How the end of a message body is determined (RFC 9112 section 6.3).
@usableFromInline
package enum BodyFraming: Equatable, Sendable {
    case none
    /// The length of the body in bytes, which is greater than zero.
    case length(UInt64)
    case chunked
    /// The body ends when the connection closes, which is only possible in responses.
    case untilClose

    /// Compares two framings.
    ///
    /// This is implemented by hand because a synthesized `==` cannot be inlined into other modules.
    @inlinable
    package static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.none, .none), (.chunked, .chunked), (.untilClose, .untilClose): true
        case (.length(let one), .length(let other)): one == other
        case (.none, _), (.length, _), (.chunked, _), (.untilClose, _): false
        }
    }
}

/// The values of `Content-Length` and `Transfer-Encoding`.
///
/// Any value that two recipients could interpret differently is a fault, even where RFC 9112 allows
/// a recipient to repair it.
struct FramingFields: Equatable {
    private(set) var length: UInt64?
    private(set) var isChunked = false

    mutating func addContentLength(_ bytes: Span<UInt8>, _ line: FieldLine) -> MessageFault? {
        guard self.length == nil, let length = Self.contentLength(line, in: bytes) else {
            return .contentLength
        }
        self.length = length
        return nil
    }

    /// Returns the value of a `Content-Length` field, which can have any number of digits (RFC 9110
    /// section 8.6).
    ///
    /// Returns `nil` if the value is not a number, or is 2^63 or greater.
    static func contentLength(_ line: FieldLine, in bytes: Span<UInt8>) -> UInt64? {
        guard line.valueStart < line.valueEnd else { return nil }
        var length: UInt64 = 0
        for index in line.valueStart..<line.valueEnd {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            // The limit is far below 2^64, so adding the next digit cannot overflow.
            guard length <= UInt64(Int64.max) / 10 else { return nil }
            length = length * 10 + UInt64(bytes[index] - 0x30)
            guard length <= UInt64(Int64.max) else { return nil }
        }
        return length
    }

    mutating func addTransferEncoding(_ bytes: Span<UInt8>, _ line: FieldLine) -> MessageFault? {
        guard !self.isChunked,
            bytes.matches("chunked", from: line.valueStart, to: line.valueEnd)
        else { return self.transferEncodingFault(bytes, line) }
        self.isChunked = true
        return nil
    }

    /// Returns the fault for a transfer coding that is not just `chunked` (RFC 9112 section 6.1).
    ///
    /// The fault results in 501 for a valid list of registered codings, and otherwise in 400.
    private func transferEncodingFault(_ bytes: Span<UInt8>, _ line: FieldLine) -> MessageFault {
        var chunkedCount = self.isChunked ? 1 : 0
        var allKnown = line.valueStart < line.valueEnd
        var lastIsChunked = false
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            lastIsChunked = bytes.matches("chunked", from: start, to: end)
            chunkedCount += lastIsChunked ? 1 : 0
            allKnown =
                allKnown
                && (lastIsChunked || bytes.matches("gzip", from: start, to: end)
                    || bytes.matches("deflate", from: start, to: end)
                    || bytes.matches("compress", from: start, to: end))
            return true
        }
        return allKnown && lastIsChunked && chunkedCount == 1
            ? .unsupportedTransferCoding : .transferEncoding
    }

    /// Returns the framing, or `nil` if neither field is present.
    func framing() throws(MessageFault) -> BodyFraming? {
        switch (self.isChunked, self.length) {
        case (true, .some): throw .bothLengths
        case (true, nil): .chunked
        case (false, .some(0)): BodyFraming.none
        case (false, .some(let length)): .length(length)
        case (false, nil): nil
        }
    }
}
