/// One message in the wire format of Protocol Buffers: numbers, texts and messages are all that
/// the gate has to write.
struct ProtobufMessage {
    private enum WireType: UInt64 {
        case varint = 0
        case lengthDelimited = 2
    }

    private(set) var bytes: [UInt8] = []

    /// Adds a number, which is not negative.
    mutating func add(_ field: Int, _ number: Int) {
        self.begin(field, .varint)
        self.append(varint: UInt64(number.magnitude))
    }

    mutating func add(_ field: Int, _ text: String) {
        self.begin(field, .lengthDelimited)
        self.append(varint: UInt64(text.utf8.count))
        self.bytes += text.utf8
    }

    mutating func add(_ field: Int, _ message: ProtobufMessage) {
        self.begin(field, .lengthDelimited)
        self.append(varint: UInt64(message.bytes.count))
        self.bytes += message.bytes
    }

    private mutating func begin(_ field: Int, _ type: WireType) {
        self.append(varint: UInt64(field.magnitude) << 3 | type.rawValue)
    }

    /// Seven bits in a byte, the lowest first, with the highest bit set on all but the last byte.
    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
