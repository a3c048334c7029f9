import GatePolicy

/// The header fields of an HTTP/2 message, stored as HTTP/1.1 lines in contiguous memory.
///
/// The lines are forwarded from this memory, over either version of HTTP.
package struct HeaderList {
    package private(set) var bytes: [UInt8] = []
    /// The positions and roles of the fields; pseudo-header fields have no role.
    package private(set) var lines: [FieldLine] = []
    /// The size of the list in bytes, for comparison with limits (RFC 9113 section 10.5.1).
    package private(set) var size = 0
    /// Whether all fields except pseudo-header fields are valid in a message (RFC 9113 section 8.2.1).
    package private(set) var isWellFormed = true
    /// Whether fields were omitted because the list exceeds its limit.
    package private(set) var isTooLarge = false

    /// The overhead in bytes of a field in addition to its name and value (RFC 7541 section 4.1).
    static let overhead = 32
    /// The overhead in bytes of a line in addition to its name and value: colon, space, CR and LF.
    static let lineOverhead = 4

    package init() {}

    /// Empties the list, but keeps its memory.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.lines.removeAll(keepingCapacity: true)
        self.size = 0
        self.isWellFormed = true
        self.isTooLarge = false
    }

    /// Appends a field whose name and value are literals in a block (RFC 7541 section 6.2).
    ///
    /// `roles` determines the role of the field.
    ///
    /// - Returns: The line, and whether it is valid in a message.
    mutating func append(
        name: HPACKString,
        value: HPACKString,
        in block: Span<UInt8>,
        roles: FieldNameTable
    ) throws(HPACKFault) -> (line: FieldLine, isWellFormed: Bool) {
        let start = self.bytes.count
        var nameEnd = start
        let most = name.maxCount + value.maxCount + Self.lineOverhead
        // Space for the whole line is reserved once, because a check before each part would cost
        // more than writing the part.
        try self.bytes.append(addingCapacity: most) {
            (room: inout OutputSpan<UInt8>) throws(HPACKFault) in
            try name.write(block, into: &room)
            nameEnd += room.count
            room.append(ASCII.colon)
            room.append(ASCII.space)
            try value.write(block, into: &room)
            room.append(ASCII.carriageReturn)
            room.append(ASCII.lineFeed)
        }
        let isPseudo = start < nameEnd && self.bytes[start] == ASCII.colon
        let role = isPseudo ? .other : roles.role(in: self.bytes.span, from: start, to: nameEnd)
        return self.addChecked(lineFrom: start, nameEnd: nameEnd, role: role, isPseudo: isPseudo)
    }

    /// Appends a field whose name is in a table and whose value is a literal in a block (RFC 7541 section 6.2).
    ///
    /// - Returns: The line, and whether it is valid in a message.
    mutating func append(
        nameOf entry: HPACKEntry,
        in names: Span<UInt8>,
        value: HPACKString,
        in block: Span<UInt8>
    ) throws(HPACKFault) -> (line: FieldLine, isWellFormed: Bool) {
        let start = self.bytes.count
        // A colon and a space follow the name in the table.
        let name = names.extracting(entry.start..<entry.start + entry.nameCount + 2)
        let isPseudo = entry.nameCount > 0 && name[0] == ASCII.colon
        try self.bytes.append(addingCapacity: name.count + value.maxCount + 2) {
            (room: inout OutputSpan<UInt8>) throws(HPACKFault) in
            room.append(name)
            try value.write(block, into: &room)
            room.append(ASCII.carriageReturn)
            room.append(ASCII.lineFeed)
        }
        let nameEnd = start + entry.nameCount
        return self.addChecked(
            lineFrom: start,
            nameEnd: nameEnd,
            role: entry.role,
            isPseudo: isPseudo
        )
    }

    @inline(__always)
    private mutating func addChecked(
        lineFrom start: Int,
        nameEnd: Int,
        role: FieldRole,
        isPseudo: Bool
    ) -> (line: FieldLine, isWellFormed: Bool) {
        let line = self.add(lineFrom: start, nameEnd: nameEnd, role: role)
        let isWellFormed = isPseudo || HTTP2FieldSyntax.isValid(line, in: self.bytes.span)
        if !isWellFormed { self.isWellFormed = false }
        return (line, isWellFormed)
    }

    /// Appends a field from a table, unless the list would become too large.
    mutating func append(_ entry: HPACKEntry, in bytes: Span<UInt8>, limit: Int) {
        guard self.admits(entry.fieldCount, limit: limit) else { return }
        let distance = self.bytes.count - entry.start
        self.bytes.append(bytes.extracting(entry.start..<entry.start + entry.lineCount))
        self.lines.append(entry.line(movedBy: distance))
        if !entry.isWellFormed { self.isWellFormed = false }
    }

    /// Appends fields that are contiguous in a table.
    ///
    /// - Returns: Whether the fields were appended; `false` if the list would become too large.
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
        // Space for all lines is reserved once, because a check before each line would cost more
        // than writing the line.
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

    /// Appends a field that is already a valid line.
    package mutating func append(line: Span<UInt8>, nameCount: Int, role: FieldRole) {
        let start = self.bytes.count
        self.bytes.append(line)
        self.add(lineFrom: start, nameEnd: start + nameCount, role: role)
    }

    /// Appends a field that was parsed and validated in other bytes.
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

    /// Removes and returns the lines.
    mutating func takeLines() -> [FieldLine] {
        var lines: [FieldLine] = []
        swap(&lines, &self.lines)
        return lines
    }

    /// Reuses the memory of the lines of a head that is no longer needed.
    package mutating func reuseLines(of head: inout RequestHead) {
        head.fields.exchangeLines(with: &self.lines)
    }

    /// Appends the empty line that ends a header section.
    mutating func endSection() {
        self.bytes.append(ASCII.carriageReturn)
        self.bytes.append(ASCII.lineFeed)
    }

    /// Adds the size of a field to the size of the list.
    ///
    /// - Returns: Whether the list can contain the field; if not, the field must be omitted.
    mutating func admits(_ byteCount: Int, limit: Int) -> Bool {
        self.size += byteCount + Self.overhead
        if self.size > limit { self.isTooLarge = true }
        return !self.isTooLarge
    }

    /// Removes the last line.
    mutating func dropLast() {
        guard let line = self.lines.popLast() else { return }
        self.bytes.removeSubrange(line.start...)
    }
}
