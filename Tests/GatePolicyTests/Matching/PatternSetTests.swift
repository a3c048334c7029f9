import Testing

@testable import GatePolicy

@Suite struct PatternSetTests {
    static let cases: [[Int]] = [
        [], [0], [3, 1, 2], [1, 1, 1], Array(0..<8), Array(0..<9), Array((0..<40).reversed()),
        [5, 9_999, 7, 64, 63, 1, 2, 3, 4, 0, 9_999, 5, 8], [Int(UInt32.max) - 1, 0],
    ]

    @Test(arguments: cases)
    func `a set does not depend on the order of insertion`(numbers: [Int]) {
        var set = PatternSet()
        var reversed = PatternSet()
        for number in numbers { set.insert(number) }
        for number in numbers.reversed() { reversed.insert(number) }
        #expect(set == reversed)
        #expect(set.hashValue == reversed.hashValue)
        #expect(set.isEmpty == numbers.isEmpty)
        for number in 0..<100 { #expect(set.contains(number) == numbers.contains(number)) }
        for number in numbers { #expect(set.contains(number)) }
    }

    @Test func `invalid pattern numbers are never inserted`() {
        var set = PatternSet()
        for number in [-1, Int(UInt32.max), Int.max, Int.min] {
            set.insert(number)
            #expect(!set.contains(number))
        }
        #expect(set == PatternSet())
    }
}
