/// Reads header blocks (RFC 7541); it keeps what later blocks of the connection refer to.
package struct HPACKDecoder {
    /// The capacity that the gate's settings let a peer use, which is the default of HTTP/2.
    static let tableCapacity = 4096

    private var table = HPACKDynamicTable(capacity: Self.tableCapacity)
    private var names: FieldNameTable

    /// `names`: tells the fields apart.
    package init(names: FieldNameTable) {
        self.names = names
    }

    /// Tells the fields apart by another table from now on.
    ///
    /// The fields of the dynamic table keep their roles: to find them in each block costs more.
    package mutating func use(_ names: FieldNameTable) {
        guard names !== self.names else { return }
        self.names = names
        self.table.findRoles(in: names)
    }

    /// Reads a whole block.
    ///
    /// `limit`: the size from which on fields are left out. They are read all the same, because
    /// later blocks may refer to them.
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

    /// Appends a field whose value stands in the block, and perhaps its name as well.
    ///
    /// `name`: its number in the tables; 0: it stands before the value.
    @inline(__always)
    private func appendLine(
        _ block: Span<UInt8>,
        _ position: inout Int,
        name index: Int,
        to list: inout HeaderList
    ) throws(HPACKFault) -> (line: FieldLine, isWellFormed: Bool) {
        let roles = self.names
        guard index != 0 else {
            let name = try Self.string(block, &position)
            let value = try Self.string(block, &position)
            return try list.append(name: name, in: block, value: value, in: block, roles: roles)
        }
        let dynamic = try self.dynamicIndex(index)
        let value = try Self.string(block, &position)
        if dynamic < 0 {
            let (name, names) = (HPACKStaticTable.name(index - 1), HPACKStaticTable.bytes)
            return try list.append(
                name: name,
                in: names.span,
                value: value,
                in: block,
                roles: roles
            )
        }
        let (name, names) = (self.table.name(dynamic), self.table.bytes)
        return try list.append(name: name, in: names.span, value: value, in: block, roles: roles)
    }

    /// The number of bytes from a place on that each stand for the field which was remembered directly
    /// behind the one before.
    ///
    /// A client names its fields in the same order each time: they are one piece of the table.
    @inline(__always)
    private static func run(in block: Span<UInt8>, at position: Int) -> Int {
        // 62 to 126, which are indexes of the dynamic table by themselves (RFC 7541 2.3.3 and 6.1).
        let (lowest, highest): (UInt8, UInt8) = (0xBE, 0xFE)
        var byte = block[position]
        var end = position + 1
        guard lowest...highest ~= byte else { return 1 }
        while byte > lowest, end < block.count, block[end] == byte - 1 {
            byte -= 1
            end += 1
        }
        return end - position
    }

    /// Appends fields that were remembered one after the other.
    ///
    /// - Returns: `false` if each has to be looked at.
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
            HPACKStaticTable.append(index - 1, to: &list, limit: limit, names: self.names)
        } else {
            self.table.append(dynamic, to: &list, limit: limit)
        }
    }

    /// The number of a field in the dynamic table; negative: it is in the static one.
    private func dynamicIndex(_ index: Int) throws(HPACKFault) -> Int {
        let dynamic = index - 1 - HPACKStaticTable.count
        guard index > 0, dynamic < self.table.count else { throw .unknownIndex }
        return dynamic
    }

    /// An integer whose first bits share a byte with something else (RFC 7541 5.1).
    private static func integer(
        _ block: Span<UInt8>,
        _ position: inout Int,
        prefix: Int
    ) throws(HPACKFault) -> Int {
        guard position < block.count else { throw .truncated }
        let mask = (1 << prefix) - 1
        var value = Int(block[position]) & mask
        position += 1
        guard value == mask else { return value }
        // Four more bytes say more than any block is long.
        for shift in [0, 7, 14, 21] {
            guard position < block.count else { throw .truncated }
            let byte = Int(block[position])
            position += 1
            value += (byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .integerTooLarge
    }

    /// A string literal (RFC 7541 5.2).
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
