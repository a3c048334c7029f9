/// The header fields of a message head, line by line (RFC 9112 5).
package struct FieldSection: Equatable, Sendable {
    package private(set) var lines: [FieldLine] = []

    package init() {}

    package mutating func removeAll() {
        self.lines.removeAll(keepingCapacity: true)
    }

    /// Takes lines over, for memory of the same kind.
    mutating func exchangeLines(with lines: inout [FieldLine]) {
        swap(&self.lines, &lines)
    }

    package mutating func append(_ line: FieldLine) {
        self.lines.append(line)
    }

    /// The number of lines without those that were dropped.
    var passedCount: Int { self.lines.count { $0.role != .hopByHop } }

    /// Takes a line out of what is passed on.
    package mutating func drop(at index: Int) {
        self.lines[index].role = .hopByHop
    }

    /// Takes its meaning from a line that is passed on all the same.
    mutating func makeOther(at index: Int) {
        self.lines[index].role = .other
    }

    /// Tells the fields that say who the client is by another table; all others have the roles that they had.
    mutating func updateIdentityRoles(in bytes: Span<UInt8>, by table: FieldNameTable) {
        for index in self.lines.indices {
            let line = self.lines[index]
            guard line.role.dependsOnRules else { continue }
            let role = table.role(in: bytes, from: line.start, to: line.nameEnd)
            if role.dependsOnRules { self.lines[index].role = role }
        }
    }

    /// Reads lines of the form that nearly all have, eight bytes at a time, and returns where the
    /// first one begins that has another form, is not there whole, or is too much.
    ///
    /// `count`: lines of the section at most; `limit`: none ends behind it.
    @inline(__always)
    package mutating func append(
        plainLinesIn bytes: Span<UInt8>,
        from start: Int,
        count: Int,
        limit: Int,
        table: FieldNameTable
    ) -> Int {
        var start = start
        while self.lines.count < count {
            let nameEnd = bytes.endOfPlainName(from: start)
            guard nameEnd > start, nameEnd < bytes.count, bytes[nameEnd] == ASCII.colon else {
                break
            }
            var valueStart = nameEnd + 1
            if valueStart < bytes.count, bytes[valueStart] == ASCII.space { valueStart += 1 }
            let lineEnd = bytes.endOfPlainValue(from: valueStart)
            guard lineEnd + 2 <= Swift.min(bytes.count, limit),
                bytes[lineEnd] == ASCII.carriageReturn, bytes[lineEnd + 1] == ASCII.lineFeed,
                // Blanks around it are cut where any line is read.
                lineEnd == valueStart
                    || bytes[valueStart] != ASCII.space && bytes[lineEnd - 1] != ASCII.space
            else { break }
            self.lines.append(
                FieldLine(
                    start: start,
                    nameEnd: nameEnd,
                    valueStart: valueStart,
                    valueEnd: lineEnd,
                    end: lineEnd + 2,
                    role: table.role(in: bytes, from: start, to: nameEnd)
                )
            )
            start = lineEnd + 2
        }
        return start
    }

    /// Reads one field line that ends at `end`, its CR LF not included.
    @inline(__always)
    package mutating func append(
        lineIn bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        table: FieldNameTable
    ) -> MessageFault? {
        let nameEnd = bytes.endOfToken(from: start, to: end)
        guard nameEnd < end, bytes[nameEnd] == ASCII.colon, nameEnd > start else {
            return start < end && ASCII.isBlank(bytes[start]) ? .foldedField : .fieldName
        }
        var valueStart = nameEnd + 1
        while valueStart < end, ASCII.isBlank(bytes[valueStart]) { valueStart += 1 }
        var valueEnd = end
        while valueEnd > valueStart, ASCII.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
        guard bytes.isFieldValue(from: valueStart, to: valueEnd) else { return .fieldValue }
        self.lines.append(
            FieldLine(
                start: start,
                nameEnd: nameEnd,
                valueStart: valueStart,
                valueEnd: valueEnd,
                end: end + 2,
                role: table.role(in: bytes, from: start, to: nameEnd)
            )
        )
        return nil
    }
}

/// The place of a header field line in the bytes that carried it; nothing of it is copied.
@usableFromInline
package struct FieldLine: Equatable, Sendable {
    /// The first byte of the name.
    package var start: Int
    /// The colon.
    package var nameEnd: Int
    /// The first byte of the value, blanks trimmed.
    @usableFromInline package var valueStart: Int
    /// One past the last byte of the value, blanks trimmed.
    @usableFromInline package var valueEnd: Int
    /// One past the line feed.
    package var end: Int
    package var role: FieldRole

    /// The place of the value.
    @inlinable package var value: Range<Int> {
        @inline(__always) get { self.valueStart..<self.valueEnd }
    }

    /// Whether others may read a list from the value.
    package func hasComma(in bytes: Span<UInt8>) -> Bool {
        for index in self.valueStart..<self.valueEnd where bytes[index] == ASCII.comma {
            return true
        }
        return false
    }
}
