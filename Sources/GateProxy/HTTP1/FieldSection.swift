/// The header fields of a message head, line by line (RFC 9112 5).
package struct FieldSection: Equatable, Sendable {
    package private(set) var lines: [FieldLine] = []

    package init() {}

    mutating func removeAll() {
        self.lines.removeAll(keepingCapacity: true)
    }

    /// Takes lines over, for memory of the same kind.
    mutating func exchangeLines(with lines: inout [FieldLine]) {
        swap(&self.lines, &lines)
    }

    mutating func append(_ line: FieldLine) {
        self.lines.append(line)
    }

    /// The number of lines without those that were dropped.
    var passedCount: Int { self.lines.count { $0.role != .hopByHop } }

    /// Takes a line out of what is passed on.
    mutating func drop(at index: Int) {
        self.lines[index].role = .hopByHop
    }

    /// The same lines, so many bytes further on.
    mutating func move(by distance: Int) {
        guard distance != 0 else { return }
        for index in self.lines.indices {
            self.lines[index].move(by: distance)
        }
    }

    /// Reads one field line that ends at `end`, its CR LF not included.
    @inline(__always)
    mutating func append(
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
