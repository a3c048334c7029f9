/// The fields that a peer may refer to by a number (RFC 7541 2.3.2), newest first, as lines of a
/// `HeaderList`.
struct HPACKDynamicTable {
    private struct Entry {
        var start: Int
        var nameCount: Int
        var lineCount: Int
        var isWellFormed: Bool

        var fieldCount: Int { self.lineCount - HeaderList.lineOverhead }
        var size: Int { self.fieldCount + HeaderList.overhead }
    }

    private static let mostOutdated = 256

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
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
    mutating func insert(line: Span<UInt8>, nameCount: Int, isWellFormed: Bool) {
        var entry = Entry(
            start: 0,
            nameCount: nameCount,
            lineCount: line.count,
            isWellFormed: isWellFormed
        )
        guard entry.size <= self.capacity else { return self.evict(toFit: 0) }
        self.evict(toFit: self.capacity - entry.size)
        entry.start = self.bytes.count
        self.entries.append(entry)
        unsafe line.withUnsafeBufferPointer { unsafe self.bytes.append(contentsOf: $0) }
        self.size += entry.size
    }

    /// The bytes of the name and value of a field by its number from zero, of `count`.
    func fieldCount(of index: Int) -> Int { self.entry(index).fieldCount }

    /// Appends a field by its number from zero, of `count`.
    func append(_ index: Int, to list: inout HeaderList) {
        let entry = self.entry(index)
        list.append(
            line: self.bytes.span.extracting(entry.start..<entry.start + entry.lineCount),
            nameCount: entry.nameCount,
            isWellFormed: entry.isWellFormed
        )
    }

    func appendName(_ index: Int, to list: inout HeaderList) {
        let entry = self.entry(index)
        list.append(self.bytes.span, from: entry.start, to: entry.start + entry.nameCount)
    }

    private func entry(_ index: Int) -> Entry { self.entries[self.entries.count - 1 - index] }

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
