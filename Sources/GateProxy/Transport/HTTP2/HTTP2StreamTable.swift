/// The open streams of a connection by their numbers.
///
/// Numbers only rise (RFC 9113 5.1.1), so that streams stand in order: of the few that there are, one is
/// found sooner than its number is hashed.
struct HTTP2StreamTable<Stream> {
    private var entries: [(number: UInt32, stream: Stream)] = []

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }
    /// The streams as they are now, by rising numbers.
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

    /// The place of a stream, or of where it would stand.
    private func index(of number: UInt32) -> Int {
        var (start, end) = (0, self.entries.count)
        while start < end {
            let middle = (start + end) / 2
            if self.entries[middle].number < number { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
