/// The fields that a peer may refer to by a number (RFC 7541 2.3.2), newest first.
struct HPACKDynamicTable {
    private struct Entry {
        var start: Int
        var nameCount: Int
        var valueCount: Int

        var size: Int { self.nameCount + self.valueCount + HeaderList.overhead }
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
    mutating func insert(_ field: ArraySlice<UInt8>, nameCount: Int) {
        let size = field.count + HeaderList.overhead
        guard size <= self.capacity else { return self.evict(toFit: 0) }
        self.evict(toFit: self.capacity - size)
        self.entries.append(
            Entry(
                start: self.bytes.count,
                nameCount: nameCount,
                valueCount: field.count - nameCount
            )
        )
        self.bytes.append(contentsOf: field)
        self.size += size
    }

    /// A field by its number from zero: its name, and its value behind it.
    subscript(index: Int) -> (field: ArraySlice<UInt8>, nameCount: Int)? {
        guard index >= 0, index < self.count else { return nil }
        let entry = self.entries[self.entries.count - 1 - index]
        let end = entry.start + entry.nameCount + entry.valueCount
        return (self.bytes[entry.start..<end], entry.nameCount)
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
