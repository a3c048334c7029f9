/// The ways to split an input into parts; with each, the result must be the same as for the whole input.
struct Splits: Sequence {
    /// The ends of the parts for each way; the last of them is the end of the input.
    private let ways: [[Int]]

    init(_ input: [UInt8]) {
        let count = input.count
        var random = Draw(input)
        var ways = [Array(0...count), [count / 2, count]]
        for _ in 0..<2 {
            var ends: [Int] = []
            var end = 0
            while end < count {
                end = Swift.min(count, end + 1 + random.next(below: 9))
                ends.append(end)
            }
            ways.append(ends.isEmpty ? [0] : ends)
        }
        self.ways = ways
    }

    func makeIterator() -> IndexingIterator<[[Int]]> { self.ways.makeIterator() }
}

/// Numbers derived from the input (FNV-1a, then an xorshift), so that an ordinary file determines its own splits.
struct Draw {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ input: [UInt8]) {
        for byte in input { self.state = (self.state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.state |= 1
    }

    mutating func next(below bound: Int) -> Int {
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return Int(self.state % UInt64(bound))
    }
}
