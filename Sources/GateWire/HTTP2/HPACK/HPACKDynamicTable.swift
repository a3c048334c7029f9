import GatePolicy

/// The place of a field in the bytes of a table, as a line of a `HeaderList`.
struct HPACKEntry {
    var start: Int
    let nameCount: Int
    let lineCount: Int
    let isWellFormed: Bool
    var role: FieldRole

    /// The bytes of the name and the value.
    var fieldCount: Int { self.lineCount - HeaderList.lineOverhead }
    /// Its size as the table counts it (RFC 7541 4.1).
    var size: Int { self.fieldCount + HeaderList.overhead }

    /// The place of its name.
    var name: HPACKString {
        HPACKString(start: self.start, end: self.start + self.nameCount, isHuffmanCoded: false)
    }

    /// The same place in bytes that it was copied to.
    func line(movedBy distance: Int) -> FieldLine {
        // No place in memory is large enough for a sum to overflow, and to check five costs more than to add.
        let start = self.start &+ distance
        let (nameEnd, end) = (start &+ self.nameCount, start &+ self.lineCount)
        return FieldLine(
            start: start,
            nameEnd: nameEnd,
            valueStart: nameEnd &+ 2,
            valueEnd: end &- 2,
            end: end,
            role: self.role
        )
    }
}

/// The fields that a peer may refer to by a number (RFC 7541 2.3.2), newest first.
struct HPACKDynamicTable {
    private static let mostOutdated = 256

    /// The fields as lines, oldest first.
    private(set) var bytes: [UInt8] = []
    private var entries: [HPACKEntry] = []
    /// The oldest entry that still counts; those before it wait to be cleared away.
    private var first = 0
    private var size = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { self.entries.count - self.first }

    mutating func resize(to capacity: Int) {
        self.capacity = capacity
        self.evict(toFit: capacity)
    }

    /// Adds a field; one that is larger than the table empties it (RFC 7541 4.4).
    mutating func insert(
        line: Span<UInt8>,
        nameCount: Int,
        isWellFormed: Bool,
        role: FieldRole
    ) {
        var entry = HPACKEntry(
            start: 0,
            nameCount: nameCount,
            lineCount: line.count,
            isWellFormed: isWellFormed,
            role: role
        )
        guard entry.size <= self.capacity else { return self.evict(toFit: 0) }
        self.evict(toFit: self.capacity - entry.size)
        entry.start = self.bytes.count
        self.entries.append(entry)
        self.bytes.append(line)
        self.size += entry.size
    }

    /// Finds the roles of all fields by another table.
    mutating func findRoles(in names: FieldNameTable) {
        for index in self.entries.indices {
            let (start, count) = (self.entries[index].start, self.entries[index].nameCount)
            self.entries[index].role =
                names.role(in: self.bytes.span, from: start, to: start + count)
        }
    }

    /// Appends a field by its number from zero, of `count`, unless the list becomes too large.
    func append(_ index: Int, to list: inout HeaderList, limit: Int) {
        list.append(self.entry(index), in: self.bytes.span, limit: limit)
    }

    /// Appends so many fields, each inserted behind the one before, from a number on.
    ///
    /// - Returns: `false` if not all of them may be in the list; none is appended.
    func append(_ index: Int, count: Int, to list: inout HeaderList, limit: Int) -> Bool {
        let start = self.entries.count - 1 - index
        let entries = self.entries.span.extracting(start..<start + count)
        return list.append(run: entries, in: self.bytes.span, limit: limit)
    }

    /// The name of a field by its number from zero, in `bytes`.
    func name(_ index: Int) -> HPACKString { self.entry(index).name }

    private func entry(_ index: Int) -> HPACKEntry { self.entries[self.entries.count - 1 - index] }

    private mutating func evict(toFit limit: Int) {
        while self.size > limit, self.first < self.entries.count {
            self.size -= self.entries[self.first].size
            self.first += 1
        }
        self.clearAway()
    }

    /// Moves what counts to the front, now and then, so that each byte is moved once or twice.
    private mutating func clearAway() {
        guard self.first > 0 else { return }
        guard self.first < self.entries.count else {
            self.entries.removeAll(keepingCapacity: true)
            self.bytes.removeAll(keepingCapacity: true)
            self.first = 0
            return
        }
        let start = self.entries[self.first].start
        // Fields may be empty: their number counts as well as their bytes.
        let isDue = start > 2 * Swift.max(self.capacity, 1024) || self.first > Self.mostOutdated
        guard isDue else { return }
        self.entries.removeSubrange(..<self.first)
        self.bytes.removeSubrange(..<start)
        self.first = 0
        for index in self.entries.indices { self.entries[index].start -= start }
    }
}
