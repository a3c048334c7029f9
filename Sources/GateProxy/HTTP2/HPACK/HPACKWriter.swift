import NIOCore

/// Writes header blocks that leave no trace with the reader: every field stands for itself
/// (RFC 7541 6.2.2), so that there is no state to keep for each connection.
struct HPACKWriter {
    /// Names of the static table, to be found by their length and first byte.
    private static let names = Names()

    /// Tells the reader that its table is never used (RFC 7541 4.2): the first block of a
    /// connection begins with it.
    static func writeEmptyTable(into block: inout ByteBuffer) {
        block.writeInteger(UInt8(0x20))
    }

    static func writeStatus(_ status: Int, into block: inout ByteBuffer) {
        let index: UInt8? =
            switch status {
            case 200: 8
            case 204: 9
            case 206: 10
            case 304: 11
            case 400: 12
            case 404: 13
            case 500: 14
            default: nil
            }
        if let index {
            block.writeInteger(0x80 | index)
        } else {
            let digits = [status / 100, status / 10 % 10, status % 10].map { UInt8(0x30 + $0) }
            block.writeMultipleIntegers(UInt8(0x08), UInt8(3), digits[0], digits[1], digits[2])
        }
    }

    /// Writes a field; its name becomes lower case (RFC 9113 8.2).
    static func writeField(
        _ bytes: Span<UInt8>,
        _ line: FieldLine,
        into block: inout ByteBuffer
    ) {
        if let index = self.names.index(of: bytes, from: line.start, to: line.nameEnd) {
            self.writeInteger(index, prefix: 4, pattern: 0, into: &block)
        } else {
            block.writeInteger(UInt8(0))
            self.writeInteger(line.nameEnd - line.start, prefix: 7, pattern: 0, into: &block)
            let nameStart = block.writerIndex
            block.write(bytes, from: line.start, to: line.nameEnd)
            block.lowercase(from: nameStart)
        }
        let count = line.valueEnd - line.valueStart
        self.writeInteger(count, prefix: 7, pattern: 0, into: &block)
        block.write(bytes, from: line.valueStart, to: line.valueEnd)
    }

    /// Writes a field of the static table by its number.
    static func writeIndexed(_ index: UInt8, into block: inout ByteBuffer) {
        block.writeInteger(0x80 | index)
    }

    /// Writes a field whose name is that of the static table by this number.
    static func writeField(
        name index: Int,
        _ bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        into block: inout ByteBuffer
    ) {
        self.writeInteger(index, prefix: 4, pattern: 0, into: &block)
        self.writeInteger(end - start, prefix: 7, pattern: 0, into: &block)
        block.write(bytes, from: start, to: end)
    }

    static func writeInteger(
        _ value: Int,
        prefix: Int,
        pattern: UInt8,
        into block: inout ByteBuffer
    ) {
        let mask = (1 << prefix) - 1
        guard value >= mask else {
            block.writeInteger(pattern | UInt8(value))
            return
        }
        block.writeInteger(pattern | UInt8(mask))
        var rest = value - mask
        while rest >= 0x80 {
            block.writeInteger(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        block.writeInteger(UInt8(rest))
    }

    /// Finds the number of a name.
    private struct Names {
        private var buckets: [[(name: [UInt8], index: Int)]]

        init() {
            self.buckets = Array(repeating: [], count: 256)
            var known: Set<String> = []
            for (index, field) in HPACKStaticTable.fields.enumerated()
            where known.insert(field.name).inserted {
                let name = Array(field.name.utf8)
                let bucket = Self.bucket(length: name.count, first: name[0])
                self.buckets[bucket].append((name, index + 1))
            }
        }

        func index(of bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
            let bucket = Self.bucket(length: end - start, first: ASCII.lowercased(bytes[start]))
            for (name, index) in self.buckets[bucket] where name.count == end - start {
                if Self.matches(name, bytes, at: start) { return index }
            }
            return nil
        }

        private static func matches(_ name: [UInt8], _ bytes: Span<UInt8>, at start: Int) -> Bool {
            for offset in name.indices where ASCII.lowercased(bytes[start + offset]) != name[offset]
            {
                return false
            }
            return true
        }

        private static func bucket(length: Int, first: UInt8) -> Int {
            (length &* 31 &+ Int(first)) & 0xFF
        }
    }
}

extension ByteBuffer {
    /// Makes the letters lower case that were written from a place on.
    fileprivate mutating func lowercase(from start: Int) {
        let count = self.writerIndex - start
        unsafe self.withUnsafeMutableReadableBytes { bytes in
            for index in (bytes.count - count)..<bytes.count {
                unsafe bytes[index] = unsafe ASCII.lowercased(bytes[index])
            }
        }
    }
}
