/// The field lines of a message head (RFC 9112 section 5).
package struct FieldSection: Equatable, Sendable {
    package private(set) var lines: [FieldLine] = []

    package init() {}

    package mutating func removeAll() {
        self.lines.removeAll(keepingCapacity: true)
    }

    /// Swaps the lines with another array, whose memory is then reused.
    mutating func exchangeLines(with lines: inout [FieldLine]) {
        swap(&self.lines, &lines)
    }

    package mutating func append(_ line: FieldLine) {
        self.lines.append(line)
    }

    /// The number of lines that have not been dropped.
    var passedCount: Int { self.lines.count { $0.role != .hopByHop } }

    /// Marks a line as dropped, so that it is not forwarded.
    package mutating func drop(at index: Int) {
        self.lines[index].role = .hopByHop
    }

    /// Removes the role of a line, which is still forwarded.
    mutating func makeOther(at index: Int) {
        self.lines[index].role = .other
    }

    /// Looks up the roles of identity fields in another table; all other roles remain.
    mutating func updateIdentityRoles(in bytes: Span<UInt8>, by table: FieldNameTable) {
        for index in self.lines.indices {
            let line = self.lines[index]
            guard line.role.dependsOnRules else { continue }
            let role = table.role(in: bytes, from: line.start, to: line.nameEnd)
            if role.dependsOnRules { self.lines[index].role = role }
        }
    }

    /// Parses lines in the usual form, eight bytes at a time, and returns the start of the first
    /// line in another form.
    ///
    /// Parsing also stops at a line that is incomplete or exceeds a limit. `count` is the maximum
    /// number of lines in the section, and `limit` is the largest offset at which a line can end.
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
                // `append(lineIn:from:to:table:)` trims the whitespace around other values.
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

    /// Parses a field line; `end` is the position of its CR LF.
    ///
    /// - Returns: The fault of the line, or `nil` if it is valid.
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

/// The positions of a field line in the bytes of its message, without a copy of the bytes.
@usableFromInline
package struct FieldLine: Equatable, Sendable {
    /// The position of the first byte of the name.
    package var start: Int
    /// The position of the colon.
    package var nameEnd: Int
    /// The position of the first byte of the value, after leading whitespace.
    @usableFromInline package var valueStart: Int
    /// The position after the last byte of the value, before trailing whitespace.
    @usableFromInline package var valueEnd: Int
    /// The position after the line feed.
    package var end: Int
    package var role: FieldRole

    @inlinable package var value: Range<Int> {
        @inline(__always) get { self.valueStart..<self.valueEnd }
    }

    /// Returns whether the value contains a comma, so that a recipient could parse the value as a list.
    package func hasComma(in bytes: Span<UInt8>) -> Bool {
        for index in self.valueStart..<self.valueEnd where bytes[index] == ASCII.comma {
            return true
        }
        return false
    }
}

extension Span<UInt8> {
    /// Calls `body` with each field line that the gate has written as `Name: value` and CR LF.
    ///
    /// A status line is skipped. The roles are those of response fields.
    package func forEachFieldLine(_ body: (FieldLine) -> Void) {
        var start = 0
        while let end = self.position(of: ASCII.lineFeed, from: start) {
            if let colon = self.position(of: ASCII.colon, from: start), colon < end {
                body(
                    FieldLine(
                        start: start,
                        nameEnd: colon,
                        valueStart: colon + 2,
                        valueEnd: end - 1,
                        end: end + 1,
                        role: FieldNameTable.response.role(in: self, from: start, to: colon)
                    )
                )
            }
            start = end + 1
        }
    }
}
