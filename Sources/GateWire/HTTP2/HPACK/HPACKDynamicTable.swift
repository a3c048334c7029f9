import GatePolicy

/// The position of a field in the bytes of a table, which have the format of a `HeaderList`.
struct HPACKEntry: Sendable {
    var start: Int
    let nameCount: Int
    let lineCount: Int
    let isWellFormed: Bool
    var role: FieldRole

    /// The total number of bytes of the name and the value.
    var fieldCount: Int { self.lineCount - HeaderList.lineOverhead }
    /// The size that counts toward the capacity of the table (RFC 7541 section 4.1).
    var size: Int { self.fieldCount + HeaderList.overhead }

    /// Returns the field line, with all positions increased by `distance`, for a copy of the bytes.
    func line(movedBy distance: Int) -> FieldLine {
        // The additions are unchecked: memory addresses are too small for the sums to overflow, and
        // five checks would cost more than the additions.
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

/// The dynamic table of a peer, in which index 0 is the newest field (RFC 7541 section 2.3.2).
struct HPACKDynamicTable {
    private static let maxEvictedEntries = 256

    /// The fields as lines, oldest first.
    private(set) var bytes: [UInt8] = []
    private var entries: [HPACKEntry] = []
    /// The index of the oldest valid entry; earlier entries have been evicted but not removed.
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

    /// Inserts a field; a field that is larger than the table empties the table (RFC 7541 section 4.4).
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

    /// Updates the roles of all fields according to another table of names.
    mutating func findRoles(in names: FieldNameTable) {
        for index in self.entries.indices {
            let (start, count) = (self.entries[index].start, self.entries[index].nameCount)
            self.entries[index].role =
                names.role(in: self.bytes.span, from: start, to: start + count)
        }
    }

    /// Appends the field with this zero-based index to a list, unless the list would become too large.
    func append(_ index: Int, to list: inout HeaderList, limit: Int) {
        list.append(self.entry(index), in: self.bytes.span, limit: limit)
    }

    /// Appends `count` consecutively inserted fields, starting at a zero-based index.
    ///
    /// - Returns: Whether the fields were appended; `false` if the list would become too large.
    func append(_ index: Int, count: Int, to list: inout HeaderList, limit: Int) -> Bool {
        let start = self.entries.count - 1 - index
        let entries = self.entries.span.extracting(start..<start + count)
        return list.append(run: entries, in: self.bytes.span, limit: limit)
    }

    /// Returns the field with this zero-based index, as a position in `bytes`.
    func entry(_ index: Int) -> HPACKEntry { self.entries[self.entries.count - 1 - index] }

    private mutating func evict(toFit limit: Int) {
        while self.size > limit, self.first < self.entries.count {
            self.size -= self.entries[self.first].size
            self.first += 1
        }
        self.compactIfNeeded()
    }

    /// Removes evicted entries, but only occasionally, so that each byte is moved only once or twice.
    private mutating func compactIfNeeded() {
        guard self.first > 0 else { return }
        guard self.first < self.entries.count else {
            self.entries.removeAll(keepingCapacity: true)
            self.bytes.removeAll(keepingCapacity: true)
            self.first = 0
            return
        }
        let start = self.entries[self.first].start
        // Both the size and the number of the evicted entries are checked, because fields can be empty.
        let isDue =
            start > 2 * Swift.max(self.capacity, 1024) || self.first > Self.maxEvictedEntries
        guard isDue else { return }
        self.entries.removeSubrange(..<self.first)
        self.bytes.removeSubrange(..<start)
        self.first = 0
        for index in self.entries.indices { self.entries[index].start -= start }
    }
}
