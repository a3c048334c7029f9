import GatePolicy

/// Header fields as a peer of HTTP/2 sent them, laid out as lines of HTTP/1.1 in one piece of memory:
/// whatever the next hop speaks, they are passed on from here.
package struct HeaderList {
    package private(set) var bytes: [UInt8] = []
    /// The place and the role of each field; pseudo-header fields have none.
    package private(set) var lines: [FieldLine] = []
    /// The size by which lists are limited (RFC 9113 10.5.1).
    package private(set) var size = 0
    /// Whether all fields but the pseudo-header fields may stand in a message (RFC 9113 8.2.1).
    package private(set) var isWellFormed = true
    /// Whether fields were left out because the list is larger than it may be.
    package private(set) var isTooLarge = false

    /// The cost of a field beside its bytes (RFC 7541 4.1).
    static let overhead = 32
    /// Colon and space, CR and LF: the bytes of a line beside those of its field.
    static let lineOverhead = 4

    package init() {}

    /// Forgets everything; the memory is used again.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.lines.removeAll(keepingCapacity: true)
        self.size = 0
        self.isWellFormed = true
        self.isTooLarge = false
    }

    /// Appends a field that a block spells out (RFC 7541 6.2).
    ///
    /// `roles`: tells the field apart.
    /// - Returns: its line, and whether that may stand in a message.
    mutating func append(
        name: HPACKString,
        in names: Span<UInt8>,
        value: HPACKString,
        in values: Span<UInt8>,
        roles: FieldNameTable
    ) throws(HPACKFault) -> (line: FieldLine, isWellFormed: Bool) {
        let start = self.bytes.count
        var nameEnd = start
        let most = name.maxCount + value.maxCount + Self.lineOverhead
        // Room for all is made once: to look for it before each piece costs more than the piece.
        try self.bytes.append(addingCapacity: most) {
            (room: inout OutputSpan<UInt8>) throws(HPACKFault) in
            try name.write(names, into: &room)
            nameEnd += room.count
            room.append(ASCII.colon)
            room.append(ASCII.space)
            try value.write(values, into: &room)
            room.append(ASCII.carriageReturn)
            room.append(ASCII.lineFeed)
        }
        let isPseudo = start < nameEnd && self.bytes[start] == ASCII.colon
        let role = isPseudo ? .other : roles.role(in: self.bytes.span, from: start, to: nameEnd)
        let line = self.add(lineFrom: start, nameEnd: nameEnd, role: role)
        let isWellFormed = isPseudo || HTTP2FieldSyntax.isValid(line, in: self.bytes.span)
        if !isWellFormed { self.isWellFormed = false }
        return (line, isWellFormed)
    }

    /// Appends a field of a table, or leaves it out.
    mutating func append(_ entry: HPACKEntry, in bytes: Span<UInt8>, limit: Int) {
        guard self.admits(entry.fieldCount, limit: limit) else { return }
        let distance = self.bytes.count - entry.start
        self.bytes.append(bytes.extracting(entry.start..<entry.start + entry.lineCount))
        self.lines.append(entry.line(movedBy: distance))
        if !entry.isWellFormed { self.isWellFormed = false }
    }

    /// Appends fields of a table that lie one behind the other there.
    ///
    /// - Returns: `false` if some of them are to be left out; none is appended.
    mutating func append(
        run entries: Span<HPACKEntry>,
        in bytes: Span<UInt8>,
        limit: Int
    ) -> Bool {
        let start = entries[0].start
        let last = entries[entries.count - 1]
        let count = last.start + last.lineCount - start
        let size = self.size + count + entries.count * (Self.overhead - Self.lineOverhead)
        guard !self.isTooLarge, size <= limit else { return false }
        let distance = self.bytes.count - start
        self.bytes.append(bytes.extracting(start..<start + count))
        var areWellFormed = true
        // Room for all is made once: to look for it before each costs more than the line.
        self.lines.append(addingCapacity: entries.count) { lines in
            for index in entries.indices {
                lines.append(entries[index].line(movedBy: distance))
                if !entries[index].isWellFormed { areWellFormed = false }
            }
        }
        if !areWellFormed { self.isWellFormed = false }
        self.size = size
        return true
    }

    /// Appends a field that is laid out as a line and was looked at before.
    package mutating func append(line: Span<UInt8>, nameCount: Int, role: FieldRole) {
        let start = self.bytes.count
        self.bytes.append(line)
        self.add(lineFrom: start, nameEnd: start + nameCount, role: role)
    }

    /// Appends a field that was read, and found acceptable, in other bytes.
    package mutating func append(_ line: FieldLine, in bytes: Span<UInt8>) {
        let start = self.bytes.count
        self.bytes.append(bytes.extracting(line.start..<line.nameEnd))
        let nameEnd = self.bytes.count
        self.bytes += ": ".utf8
        self.bytes.append(bytes.extracting(line.value))
        self.bytes += "\r\n".utf8
        self.add(lineFrom: start, nameEnd: nameEnd, role: line.role)
    }

    @discardableResult
    private mutating func add(lineFrom start: Int, nameEnd: Int, role: FieldRole) -> FieldLine {
        let line = FieldLine(
            start: start,
            nameEnd: nameEnd,
            valueStart: nameEnd + 2,
            valueEnd: self.bytes.count - 2,
            end: self.bytes.count,
            role: role
        )
        self.lines.append(line)
        return line
    }

    /// Hands over the places of the fields, for memory of the same kind.
    mutating func exchangeLines(with lines: inout [FieldLine]) {
        swap(&self.lines, &lines)
    }

    /// Ends the list as a header section ends, with an empty line.
    mutating func endSection() {
        self.bytes.append(ASCII.carriageReturn)
        self.bytes.append(ASCII.lineFeed)
    }

    /// Counts a field of so many bytes; `false` if it is to be left out.
    mutating func admits(_ byteCount: Int, limit: Int) -> Bool {
        self.size += byteCount + Self.overhead
        if self.size > limit { self.isTooLarge = true }
        return !self.isTooLarge
    }

    /// Drops the last line.
    mutating func dropLast() {
        guard let line = self.lines.popLast() else { return }
        self.bytes.removeSubrange(line.start...)
    }
}
