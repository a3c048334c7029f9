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
}
