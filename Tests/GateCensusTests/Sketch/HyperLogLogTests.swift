import GateTestSupport
import Testing

@testable import GateCensus

@Suite(.ownThread)
struct HyperLogLogTests {
    @Test func `over cells of all sizes, the error is that of 16,384 registers`() {
        var generator = SeededGenerator(seed: 16)
        var errors: [Double] = []
        // Realistic cell sizes: many small ones, and a few with tens of thousands.
        for cell in 0..<1_000 {
            let size = [20, 200, 2_000, 20_000, 45_000][cell % 5] + cell % 97
            let count = HyperLogLog(of: size, using: &generator).count
            errors.append(Double(count - size) / Double(size))
        }
        let mean = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
        let sorted = errors.map(abs).sorted()
        #expect(mean.squareRoot() <= 0.01)
        #expect(sorted[sorted.count * 99 / 100] <= 0.025)
        // The estimate has no bias.
        #expect(abs(errors.reduce(0, +) / Double(errors.count)) < 0.001)
    }

    @Test(arguments: [0, 1, 2, 10, 100])
    func `a small number is counted exactly, and duplicates once`(count: Int) {
        var generator = SeededGenerator(seed: 7)
        let hashes = (0..<count).map { _ in generator.next() }
        var sketch = HyperLogLog()
        for hash in hashes + hashes { sketch.add(hash) }
        #expect(sketch.count == count)
    }

    /// Even a count of two is an estimate, because in one of 16,384 cases both hashes share a register.
    @Test(arguments: [(0x0000_8005, 0x0001_0005, 1), (0x0000_8005, 0x0000_8006, 2)])
    func `two hashes that share a register are counted as one`(
        one: UInt64,
        other: UInt64,
        count: Int
    ) {
        var sketch = HyperLogLog()
        sketch.add(one)
        sketch.add(other)
        #expect(sketch.count == count)
    }

    @Test(arguments: [0, 5, 1_024, 1_025, 20_000], [0, 5, 1_500, 20_000])
    func `a merged sketch is the sketch of all elements`(one: Int, other: Int) {
        var generator = SeededGenerator(seed: 3)
        let hashes = (0..<one + other).map { _ in generator.next() }
        var (left, right, all) = (HyperLogLog(), HyperLogLog(), HyperLogLog())
        for hash in hashes.prefix(one) { left.add(hash) }
        for hash in hashes.suffix(other) { right.add(hash) }
        for hash in hashes { all.add(hash) }
        let before = right
        left.merge(right)
        #expect(left == all)
        #expect(right == before)
    }

    @Test func `a sketch becomes dense in time, and never exceeds its registers`() {
        var generator = SeededGenerator(seed: 11)
        var sketch = HyperLogLog()
        var largest = 0
        for _ in 0..<50_000 {
            sketch.add(generator.next())
            largest = max(largest, sketch.memoryBytes)
        }
        #expect(largest == HyperLogLog.registerCount)
        guard case .dense = sketch.storage else {
            Issue.record("still sparse")
            return
        }
    }

    /// The register index is in the 14 low-order bits, and the rank is the number of zeros directly above them, plus
    /// one.
    @Test(
        arguments: zip(
            [0x0000, 0x3FFF, 0x4000, 0x8000, 0x0000_0001_0000_0005] as [UInt64],
            [(0, 51), (0x3FFF, 51), (0, 1), (0, 2), (5, 19)]
        )
    )
    func `a hash is interpreted as in Redis`(hash: UInt64, expected: (Int, Int)) {
        let mark = HyperLogLog.Mark(hash: hash)
        #expect(mark.rawValue == UInt32(expected.0 << 6 | expected.1))
    }
}
