/// A writer for a message in the Protocol Buffers wire format.
///
/// Supports numbers, strings and nested messages.
package struct ProtobufMessage {
    private enum WireType: UInt64 {
        case varint = 0
        case lengthDelimited = 2
    }

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Adds a number, which must not be negative.
    package mutating func add(_ field: Int, _ number: Int) {
        self.begin(field, .varint)
        self.append(varint: UInt64(number.magnitude))
    }

    package mutating func add(_ field: Int, _ text: String) {
        self.add(field, text.utf8Span.span)
    }

    package mutating func add(_ field: Int, _ message: ProtobufMessage) {
        self.add(field, message.bytes.span)
    }

    package mutating func add(_ field: Int, _ bytes: [UInt8]) {
        self.add(field, bytes.span)
    }

    package mutating func add(_ field: Int, _ bytes: Span<UInt8>) {
        self.begin(field, .lengthDelimited)
        self.append(varint: UInt64(bytes.count))
        self.bytes.append(bytes)
    }

    private mutating func begin(_ field: Int, _ type: WireType) {
        self.append(varint: UInt64(field.magnitude) << 3 | type.rawValue)
    }

    /// Appends a varint: seven bits per byte, low-order bits first.
    ///
    /// All bytes except the last have the highest bit set.
    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
