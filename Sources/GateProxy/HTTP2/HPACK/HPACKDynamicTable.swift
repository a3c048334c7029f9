/// The fields that a peer may refer to by a number (RFC 7541 2.3.2), newest first, as lines of a
/// `HeaderList`.
struct HPACKDynamicTable {
    private struct Entry {
        var start: Int
        var nameCount: Int
        var lineCount: Int

        var size: Int { HPACKDynamicTable.size(ofLine: self.lineCount) }
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

    private static func size(ofLine count: Int) -> Int {
        count - HeaderList.lineOverhead + HeaderList.overhead
    }

    /// Adds a field; one that is larger than the table empties it (RFC 7541 4.4).
    mutating func insert(line: ArraySlice<UInt8>, nameCount: Int) {
        let size = Self.size(ofLine: line.count)
        guard size <= self.capacity else { return self.evict(toFit: 0) }
        self.evict(toFit: self.capacity - size)
        self.entries.append(
            Entry(start: self.bytes.count, nameCount: nameCount, lineCount: line.count)
        )
        self.bytes.append(contentsOf: line)
        self.size += size
    }

    /// A field by its number from zero.
    subscript(index: Int) -> (line: ArraySlice<UInt8>, nameCount: Int)? {
        guard index >= 0, index < self.count else { return nil }
        let entry = self.entries[self.entries.count - 1 - index]
        return (self.bytes[entry.start..<entry.start + entry.lineCount], entry.nameCount)
    }

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
