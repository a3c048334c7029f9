import NIOCore

/// A stateless encoder for header blocks.
///
/// Every field is a literal without indexing or an entry of the static table (RFC 7541 sections
/// 6.2.2 and 6.1), so connections need no encoder state. `ByteBuffer.writeHeaderBlock` reserves the
/// space for a whole block once, because a check before each byte would cost more than writing the
/// fields.
package struct HPACKWriter {
    /// The indices of the names in the static table.
    private static let names = NameTable(
        HPACKStaticTable.fields.enumerated().map { index, field in (field.name, index + 1) }
    )

    /// The maximum overhead in bytes of a field beyond its name and value; a whole status field is no longer.
    fileprivate static let overhead = 16

    /// Writes a dynamic table size update that sets the size to zero (RFC 7541 section 4.2).
    ///
    /// This must be at the start of the first block of a connection.
    static func writeEmptyTable(into block: inout OutputRawSpan) {
        block.append(UInt8(0x20))
    }

    /// The number of bytes that `writeEmptyTable(into:)` writes.
    static let emptyTableCount = 1

    static func writeStatus(_ status: Int, into block: inout OutputRawSpan) {
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
            block.append(0x80 | index)
        } else {
            block.append(0x08)
            block.append(3)
            for digit in [status / 100, status / 10 % 10, status % 10] {
                block.append(UInt8(0x30 + digit))
            }
        }
    }

    /// Writes a field, with its name converted to lower case (RFC 9113 section 8.2).
    @inline(__always)
    package static func writeField(
        _ bytes: Span<UInt8>,
        _ line: FieldLine,
        into block: inout OutputRawSpan
    ) {
        if case .contentType = line.role {
            // The role determines the name, so that no lookup is necessary.
            self.writeInteger(Self.contentTypeName, prefix: 4, into: &block)
        } else {
            self.writeName(bytes, from: line.start, to: line.nameEnd, into: &block)
        }
        self.writeInteger(line.valueEnd - line.valueStart, prefix: 7, into: &block)
        block.write(bytes, from: line.valueStart, to: line.valueEnd)
    }

    /// Writes a field that the static table contains, by its index.
    package static func writeIndexed(_ index: UInt8, into block: inout OutputRawSpan) {
        block.append(0x80 | index)
    }

    /// Writes a field whose name is in the static table, at the index `name`.
    package static func writeField(
        name index: Int,
        _ bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        into block: inout OutputRawSpan
    ) {
        self.writeInteger(index, prefix: 4, into: &block)
        self.writeInteger(end - start, prefix: 7, into: &block)
        block.write(bytes, from: start, to: end)
    }

    /// Writes a `content-length` field.
    package static func writeLength(_ length: Int, into block: inout OutputRawSpan) {
        self.writeInteger(Self.lengthName, prefix: 4, into: &block)
        block.append(UInt8(OutputRawSpan.digits(of: length)))
        block.write(decimal: length)
    }

    /// Writes a `content-length` field, given the digits of its value.
    static func writeLength(_ digits: Span<UInt8>, into block: inout OutputRawSpan) {
        self.writeField(
            name: Self.lengthName,
            digits,
            from: 0,
            to: digits.count,
            into: &block
        )
    }

    /// The index of `content-length` in the static table (RFC 7541 Appendix A).
    private static let lengthName = 28
    /// The index of `content-type` in the static table.
    private static let contentTypeName = 31
    /// The maximum size of a `content-length` field, in bytes.
    static let lengthFieldSpace = 24

    /// Writes the name of a field and the length of its value; the caller must then write the value.
    ///
    /// The name is converted to lower case. `valueCount` is the number of bytes of the value.
    package static func beginField(
        _ name: Span<UInt8>,
        valueCount: Int,
        into block: inout OutputRawSpan
    ) {
        self.writeName(name, from: 0, to: name.count, into: &block)
        self.writeInteger(valueCount, prefix: 7, into: &block)
    }

    @inline(__always)
    private static func writeName(
        _ bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        into block: inout OutputRawSpan
    ) {
        if case .found(let index) = self.names.match(bytes, from: start, to: end) {
            self.writeInteger(index, prefix: 4, into: &block)
        } else {
            block.append(0)
            self.writeInteger(end - start, prefix: 7, into: &block)
            for index in start..<end { block.append(ASCII.lowercased(bytes[index])) }
        }
    }

    /// Writes an integer, with zeros in the other bits of its first byte (RFC 7541 section 5.1).
    @inline(__always)
    private static func writeInteger(_ value: Int, prefix: Int, into block: inout OutputRawSpan) {
        let mask = (1 << prefix) - 1
        guard value >= mask else { return block.append(UInt8(value)) }
        block.append(UInt8(mask))
        var rest = value - mask
        while rest >= 0x80 {
            block.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        block.append(UInt8(rest))
    }
}

extension ByteBuffer {
    /// Reserves space for a header block, and writes the block.
    ///
    /// `fields` is the maximum number of fields. `bytes` is the maximum total size of their names
    /// and values, and of anything else that `write` writes.
    package mutating func writeHeaderBlock(
        fields: Int,
        bytes: Int,
        _ write: (inout OutputRawSpan) -> Void
    ) {
        let most = bytes + (fields + 1) * HPACKWriter.overhead
        self.writeWithOutputRawSpan(minimumWritableBytes: most, initializingWith: write)
    }

    /// Reserves space for another field, and writes the field.
    package mutating func writeHeaderField(_ line: FieldLine, in bytes: Span<UInt8>) {
        self.writeHeaderBlock(fields: 1, bytes: line.end - line.start) { block in
            HPACKWriter.writeField(bytes, line, into: &block)
        }
    }
}
