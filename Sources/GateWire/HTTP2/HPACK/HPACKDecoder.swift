/// A decoder for header blocks (RFC 7541), with the dynamic table of a connection.
package struct HPACKDecoder {
    /// The maximum size of the dynamic table in bytes, which is the default in HTTP/2.
    static let tableCapacity = 4096

    private var table = HPACKDynamicTable(capacity: Self.tableCapacity)
    private var names: FieldNameTable
    /// The static table, stored here because access to a static property is slower.
    private let staticTable = HPACKStaticTable.shared

    /// Creates a decoder; `names` determines the roles of fields.
    package init(names: FieldNameTable) {
        self.names = names
    }

    /// Replaces the table that determines the roles of fields.
    ///
    /// This also updates the roles of the fields in the dynamic table, because looking them up for
    /// each block would cost more.
    package mutating func use(_ names: FieldNameTable) {
        guard names !== self.names else { return }
        self.names = names
        self.table.findRoles(in: names)
    }

    /// Decodes a complete block.
    ///
    /// `limit` is the maximum size of the list. Fields beyond the limit are omitted from the list,
    /// but still decoded, because later blocks can refer to them.
    package mutating func decode(
        _ block: Span<UInt8>,
        into list: inout HeaderList,
        limit: Int
    ) throws(HPACKFault) {
        var position = 0
        var hasField = false
        while position < block.count {
            let byte = block[position]
            if byte & 0xE0 == 0x20 {
                guard !hasField else { throw .misplacedTableSize }
                let capacity = try Self.integer(block, &position, prefix: 5)
                guard capacity <= Self.tableCapacity else { throw .tableSize }
                self.table.resize(to: capacity)
                continue
            }
            hasField = true
            if byte & 0x80 != 0 {
                let run = Self.run(in: block, at: position)
                if run > 1, self.append(run: run, from: byte, to: &list, limit: limit) {
                    position += run
                    continue
                }
                let index = try Self.integer(block, &position, prefix: 7)
                try self.append(index, to: &list, limit: limit)
            } else {
                let isIndexed = byte & 0xC0 == 0x40
                try self.literal(
                    block,
                    &position,
                    prefix: isIndexed ? 6 : 4,
                    isIndexed: isIndexed,
                    into: &list,
                    limit: limit
                )
            }
        }
    }

    private mutating func literal(
        _ block: Span<UInt8>,
        _ position: inout Int,
        prefix: Int,
        isIndexed: Bool,
        into list: inout HeaderList,
        limit: Int
    ) throws(HPACKFault) {
        let index = try Self.integer(block, &position, prefix: prefix)
        let (line, isWellFormed) = try self.appendLine(block, &position, name: index, to: &list)
        if isIndexed {
            self.table.insert(
                line: list.bytes.span.extracting(line.start..<line.end),
                nameCount: line.nameEnd - line.start,
                isWellFormed: isWellFormed,
                role: line.role
            )
        }
        let count = line.end - line.start - HeaderList.lineOverhead
        if !list.admits(count, limit: limit) { list.dropLast() }
    }

    /// Decodes a field whose value is a literal, and appends it to a list.
    ///
    /// `name` is the index of the name in the tables, or 0 if the name is a literal that precedes the value.
    @inline(__always)
    private func appendLine(
        _ block: Span<UInt8>,
        _ position: inout Int,
        name index: Int,
        to list: inout HeaderList
    ) throws(HPACKFault) -> (line: FieldLine, isWellFormed: Bool) {
        guard index != 0 else {
            let name = try Self.string(block, &position)
            let value = try Self.string(block, &position)
            return try list.append(name: name, value: value, in: block, roles: self.names)
        }
        let dynamic = try self.dynamicIndex(index)
        let value = try Self.string(block, &position)
        if dynamic < 0 {
            let entry = self.staticTable.entry(index - 1, names: self.names)
            let names = self.staticTable.bytes.span
            return try list.append(nameOf: entry, in: names, value: value, in: block)
        }
        let (entry, names) = (self.table.entry(dynamic), self.table.bytes.span)
        return try list.append(nameOf: entry, in: names, value: value, in: block)
    }

    /// Returns the number of consecutive index bytes that refer to consecutively inserted fields.
    ///
    /// Clients usually send their fields in the same order, so that such fields are contiguous in the table.
    @inline(__always)
    private static func run(in block: Span<UInt8>, at position: Int) -> Int {
        // These bytes encode 62 to 126, the one-byte indices of the dynamic table (RFC 7541
        // sections 2.3.3 and 6.1).
        let (lowest, highest): (UInt8, UInt8) = (0xBE, 0xFE)
        let first = block[position]
        guard lowest...highest ~= first else { return 1 }
        let most = Int(first - lowest) + 1
        var count = 0
        // Eight bytes are compared at once. No expected byte is zero, unlike the padding after the end.
        while count < most {
            let repeated = 0x0101_0101_0101_0101 &* UInt64(first - UInt8(count))
            // Each byte is one less than the preceding byte.
            let expected = repeated &- 0x0706_0504_0302_0100
            let others = block.word(at: position + count) ^ expected
            guard others == 0 else {
                count += others.trailingZeroBitCount / 8
                break
            }
            count += 8
        }
        return Swift.min(count, most)
    }

    /// Appends fields that were inserted consecutively.
    ///
    /// - Returns: Whether the fields were appended; if not, they must be decoded one by one.
    private func append(
        run: Int,
        from byte: UInt8,
        to list: inout HeaderList,
        limit: Int
    ) -> Bool {
        let index = Int(byte & 0x7F) - 1 - HPACKStaticTable.count
        return index < self.table.count
            && self.table.append(index, count: run, to: &list, limit: limit)
    }

    private func append(
        _ index: Int,
        to list: inout HeaderList,
        limit: Int
    ) throws(HPACKFault) {
        let dynamic = try self.dynamicIndex(index)
        if dynamic < 0 {
            let entry = self.staticTable.entry(index - 1, names: self.names)
            list.append(entry, in: self.staticTable.bytes.span, limit: limit)
        } else {
            self.table.append(dynamic, to: &list, limit: limit)
        }
    }

    /// Converts an HPACK index to an index into the dynamic table.
    ///
    /// The result is negative for a field in the static table.
    private func dynamicIndex(_ index: Int) throws(HPACKFault) -> Int {
        let dynamic = index - 1 - HPACKStaticTable.count
        guard index > 0, dynamic < self.table.count else { throw .unknownIndex }
        return dynamic
    }

    /// Decodes an integer that shares its first byte with other bits (RFC 7541 section 5.1).
    @inline(__always)
    private static func integer(
        _ block: Span<UInt8>,
        _ position: inout Int,
        prefix: Int
    ) throws(HPACKFault) -> Int {
        guard position < block.count else { throw .truncated }
        let mask = (1 << prefix) - 1
        let value = Int(block[position]) & mask
        position += 1
        return value == mask ? try self.longInteger(block, &position, from: mask) : value
    }

    /// Decodes the rest of an integer that does not fit into its first byte.
    private static func longInteger(
        _ block: Span<UInt8>,
        _ position: inout Int,
        from mask: Int
    ) throws(HPACKFault) -> Int {
        var value = mask
        // Four more bytes suffice for any length or index in a valid block.
        for shift in [0, 7, 14, 21] {
            guard position < block.count else { throw .truncated }
            let byte = Int(block[position])
            position += 1
            value += (byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .integerTooLarge
    }

    /// Decodes a string literal (RFC 7541 section 5.2).
    @inline(__always)
    private static func string(
        _ block: Span<UInt8>,
        _ position: inout Int
    ) throws(HPACKFault) -> HPACKString {
        guard position < block.count else { throw .truncated }
        let isCoded = block[position] & 0x80 != 0
        let count = try self.integer(block, &position, prefix: 7)
        let end = position + count
        guard end <= block.count else { throw .truncated }
        defer { position = end }
        return HPACKString(start: position, end: end, isHuffmanCoded: isCoded)
    }
}
