import GateTestSupport
import Testing

@testable import GateProxy

struct HTTP2StreamTableTests {
    @Test func `streams are found, replaced and removed by ID`() {
        var table = HTTP2StreamTable<String>()
        #expect(table.isEmpty && table[1] == nil)
        for number in [1, 3, 9, 7, 5] as [UInt32] { table[number] = "\(number)" }
        #expect(table.all == ["1", "3", "5", "7", "9"])
        for number in 0...10 as ClosedRange<UInt32> {
            #expect(table[number] == (number % 2 == 1 ? "\(number)" : nil))
        }
        table[5] = "five"
        table[1] = nil
        table[9] = nil
        table[4] = nil
        #expect(table.all == ["3", "five", "7"])
        #expect(table.count == 3)
        for number in [3, 7, 5] as [UInt32] { table[number] = nil }
        #expect(table.isEmpty)
    }

    @Test func `a table behaves like a dictionary`() {
        var generator = SeededGenerator(seed: 42)
        var table = HTTP2StreamTable<UInt32>()
        var dictionary: [UInt32: UInt32] = [:]
        for step in 0..<10_000 as Range<UInt32> {
            let number = UInt32.random(in: 0..<60, using: &generator)
            let stream = Bool.random(using: &generator) ? step : nil
            table[number] = stream
            dictionary[number] = stream
            #expect(table[number] == stream && table.count == dictionary.count)
        }
        #expect(table.all == dictionary.sorted { $0.key < $1.key }.map(\.value))
    }
}
