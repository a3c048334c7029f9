import GateWire

/// The trace context that a client sends with a request; the gate creates no spans of its own.
struct TraceContext: Equatable {
    /// The range of the trace ID, which has 32 hexadecimal digits; B3 also permits 16.
    let traceID: Range<Int>
    /// The range of the ID of the client's span, which has 16 hexadecimal digits.
    let spanID: Range<Int>

    /// The length of a `traceparent` value of version 00, in bytes.
    private static let traceparentLength = 55

    /// Parses a `traceparent` value (W3C Trace Context, section 3.2), or returns `nil` if the value is invalid.
    init?(traceparent value: Range<Int>, in bytes: Span<UInt8>) {
        let start = value.lowerBound
        guard value.count >= Self.traceparentLength,
            bytes.hasDigits(start..<start + 2), bytes[start + 2] == UInt8(ascii: "-"),
            bytes[start + 35] == UInt8(ascii: "-"), bytes[start + 52] == UInt8(ascii: "-"),
            bytes.hasDigits(start + 53..<start + 55)
        else { return nil }
        let isFirst = bytes[start] == UInt8(ascii: "0") && bytes[start + 1] == UInt8(ascii: "0")
        let isInvalid = bytes[start] == UInt8(ascii: "f") && bytes[start + 1] == UInt8(ascii: "f")
        // Later versions may append fields.
        let hasMore = value.count > Self.traceparentLength
        guard !isInvalid, !hasMore || !isFirst && bytes[start + 55] == UInt8(ascii: "-")
        else { return nil }
        self.init(start + 3..<start + 35, start + 36..<start + 52, in: bytes)
    }

    /// Parses a `b3` value, the single-header format of B3, or returns `nil` if it is invalid or contains no IDs.
    init?(b3 value: Range<Int>, in bytes: Span<UInt8>) {
        guard let length = bytes.extracting(value).position(of: UInt8(ascii: "-"), from: 0)
        else { return nil }
        let (first, second) = (value.lowerBound + length, value.lowerBound + length + 17)
        guard second <= value.upperBound,
            second == value.upperBound || bytes[second] == UInt8(ascii: "-")
        else { return nil }
        self.init(value.lowerBound..<first, first + 1..<second, in: bytes)
    }

    /// Parses a trace ID and a span ID, or returns `nil` if either is invalid.
    init?(_ traceID: Range<Int>, _ spanID: Range<Int>, in bytes: Span<UInt8>) {
        guard traceID.count == 32 || traceID.count == 16, spanID.count == 16,
            bytes.isID(traceID), bytes.isID(spanID)
        else { return nil }
        self.traceID = traceID
        self.spanID = spanID
    }
}

extension Span<UInt8> {
    /// Whether all bytes in a range are lower-case hexadecimal digits.
    fileprivate func hasDigits(_ range: Range<Int>) -> Bool {
        for index in range {
            let byte = self[index]
            guard ASCII.isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            else { return false }
        }
        return true
    }

    /// Whether a range contains an ID: lower-case hexadecimal digits that are not all zero.
    fileprivate func isID(_ range: Range<Int>) -> Bool {
        guard self.hasDigits(range) else { return false }
        for index in range where self[index] != UInt8(ascii: "0") { return true }
        return false
    }
}
