/// A reader for the fields of a message in the Protocol Buffers wire format.
///
/// Groups, which do not exist in proto3, are rejected. All positions refer to the bytes that
/// contain the message.
package struct ProtobufReader {
    package enum Value: Equatable {
        case varint(UInt64)
        /// A string, a byte string or a message.
        case bytes(Range<Int>)
        /// A fixed-length number, whose value the gate never needs.
        case fixed
    }

    /// An error for a malformed message.
    package struct Fault: Error, Equatable {
        package init() {}
    }

    private var index: Int
    private let end: Int

    /// Creates a reader for the message in this range.
    package init(_ range: Range<Int>) {
        self.index = range.lowerBound
        self.end = range.upperBound
    }

    /// Reads the next field, or returns `nil` at the end of the message.
    package mutating func next(
        in bytes: Span<UInt8>
    ) throws(Fault) -> (number: UInt64, value: Value)? {
        guard self.index < self.end else { return nil }
        let key = try self.varint(in: bytes)
        let number = key >> 3
        guard number > 0, number < 1 << 29 else { throw Fault() }
        switch key & 7 {
        case 0: return (number, .varint(try self.varint(in: bytes)))
        case 1:
            try self.skip(8)
            return (number, .fixed)
        case 2:
            let count = try self.varint(in: bytes)
            let start = self.index
            try self.skip(count)
            return (number, .bytes(start..<self.index))
        case 5:
            try self.skip(4)
            return (number, .fixed)
        default: throw Fault()
        }
    }

    private mutating func skip(_ count: UInt64) throws(Fault) {
        guard count <= UInt64(self.end - self.index) else { throw Fault() }
        self.index += Int(count)
    }

    private mutating func varint(in bytes: Span<UInt8>) throws(Fault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while self.index < self.end, shift < 64 {
            let byte = bytes[self.index]
            self.index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Fault()
    }
}
