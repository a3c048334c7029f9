/// The open streams of a connection, by stream ID.
///
/// IDs only increase (RFC 9113 section 5.1.1), so appending keeps the streams sorted. With a small
/// number of streams, a binary search is faster than hashing.
struct HTTP2StreamTable<Stream> {
    private var entries: [(number: UInt32, stream: Stream)] = []

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }
    /// A snapshot of the streams, in ascending order of their IDs.
    var all: [Stream] { self.entries.map(\.stream) }

    subscript(_ number: UInt32) -> Stream? {
        get {
            let index = self.index(of: number)
            return self.isStream(number, at: index) ? self.entries[index].stream : nil
        }
        set {
            let index = self.index(of: number)
            let isKnown = self.isStream(number, at: index)
            switch newValue {
            case .some(let stream) where isKnown: self.entries[index].stream = stream
            case .some(let stream) where index == self.entries.count:
                self.entries.append((number, stream))
            case .some(let stream): self.entries.insert((number, stream), at: index)
            case .none where isKnown && index == self.entries.count - 1: self.entries.removeLast()
            case .none where isKnown: self.entries.remove(at: index)
            case .none: break
            }
        }
    }

    private func isStream(_ number: UInt32, at index: Int) -> Bool {
        index < self.entries.count && self.entries[index].number == number
    }

    /// Returns the index of a stream, or the index at which to insert it.
    private func index(of number: UInt32) -> Int {
        var (start, end) = (0, self.entries.count)
        while start < end {
            let middle = (start + end) / 2
            if self.entries[middle].number < number { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
