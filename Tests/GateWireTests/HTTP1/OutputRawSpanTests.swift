import GateWire
import NIOCore
import Testing

struct OutputRawSpanTests {
    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345, 99_999_999, 100_000_000, 123_456_789_012, .max])
    func `a number is written in decimal digits`(_ number: Int) {
        var buffer = ByteBuffer()
        buffer.writeWithOutputRawSpan(minimumWritableBytes: 20) { $0.write(decimal: number) }
        #expect(String(buffer: buffer) == "\(number)")
        #expect(OutputRawSpan.digits(of: number) == "\(number)".count)
    }

    @Test(arguments: [
        ([], "abcd"), ([0], "-abcd"), ([2], "ab-cd"), ([4], "abcd-"), ([1, 1, 4], "a--bcd-"),
    ])
    func `a text is written with another one inserted`(_ offsets: [Int], _ expected: String) {
        let (text, insertion) = (Array("abcd".utf8), Array("-".utf8))
        var buffer = ByteBuffer()
        buffer.writeWithOutputRawSpan(minimumWritableBytes: 20) {
            $0.write(text.span, inserting: insertion.span, at: offsets.span)
        }
        #expect(String(buffer: buffer) == expected)
    }
}
