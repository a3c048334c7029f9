/// A set of request patterns, stored as pattern numbers.
///
/// A request matches only a few patterns, regardless of how many patterns exist. The first eight
/// numbers are stored inline, so that the hot path allocates nothing. Equal sets have equal
/// layouts.
struct PatternSet: Sendable, Hashable {
    private static let free = UInt32.max

    /// The eight smallest numbers, in ascending order.
    private var inline = SIMD8<UInt32>(repeating: Self.free)
    /// The remaining numbers, in ascending order.
    private var overflow: [UInt32] = []
    /// Whether the set contains all pattern numbers.
    private var isEverything = false

    static let everything: PatternSet = {
        var everything = PatternSet()
        everything.isEverything = true
        return everything
    }()

    var isEmpty: Bool { self.inline[0] == Self.free && !self.isEverything }

    /// The numbers in ascending order; `nil` if the set contains all patterns.
    var numbers: [Int]? {
        guard !self.isEverything else { return nil }
        let inline = self.inline.indices.lazy.map { self.inline[$0] }.prefix { $0 != Self.free }
        return inline.map(Int.init) + self.overflow.map(Int.init)
    }

    /// Hashes all inline numbers.
    ///
    /// Hashing only the first numbers would cause collisions, because many sets start with the same
    /// patterns: those that match every path.
    func hash(into hasher: inout Hasher) {
        for lane in stride(from: 0, to: 8, by: 2) {
            hasher.combine(UInt64(self.inline[lane]) << 32 | UInt64(self.inline[lane + 1]))
        }
    }

    func contains(_ number: Int) -> Bool {
        if self.isEverything { return true }
        guard let number = UInt32(exactly: number), number != Self.free else { return false }
        return any(self.inline .== number) || self.overflow.contains(number)
    }

    mutating func insert(_ number: Int) {
        guard var number = UInt32(exactly: number), number != Self.free else { return }
        for lane in self.inline.indices {
            let other = self.inline[lane]
            if other == number { return }
            if other > number {
                // The larger number moves to the next lane.
                self.inline[lane] = number
                number = other
            }
        }
        guard number != Self.free else { return }
        let place = self.overflow.firstIndex { $0 >= number } ?? self.overflow.endIndex
        guard place == self.overflow.endIndex || self.overflow[place] != number else { return }
        self.overflow.insert(number, at: place)
    }
}
