import GateWire
import Testing

@testable import GateProxy

struct LogCursorTests {
    private func written(atMost limit: Int = 64, _ body: (inout LogCursor) -> Void) -> String {
        var memory = LogMemory(capacity: 6 + limit)
        memory.write { $0.writeStaticString("there ") }
        memory.write(body)
        return memory.withBytes { $0.text(from: 0, to: $0.count) }
    }

    @Test func `parts are appended in order to the existing bytes`() {
        let bytes = Array("ab".utf8)
        let none: [UInt8] = []
        var count = 0
        let line = self.written { cursor in
            cursor.writeStaticString("{")
            cursor.writeBytes(bytes.span)
            cursor.writeBytes(none.span)
            cursor.writeString("a string that is long enough to lie elsewhere")
            cursor.writeString("")
            cursor.writeByte(UInt8(ascii: "}"))
            count = cursor.count
        }
        #expect(line == "there {aba string that is long enough to lie elsewhere}")
        #expect(count == line.utf8.count)
    }

    @Test(
        arguments: [
            0, 7, 9, 10, 99, 100, 12_345, 9_999_999, 99_999_999, 100_000_000, 100_000_001,
            10_000_000_000_000_000, 1_234_567_890_123, UInt64.max,
        ] as [UInt64]
    )
    func `numbers are decimal`(_ number: UInt64) {
        #expect(self.written(atMost: 20) { $0.writeDecimal(number) } == "there \(number)")
    }

    @Test(arguments: [(0, "000"), (7, "007"), (42, "042"), (426, "426"), (12_345, "345")])
    func `the last three digits are written`(_ number: UInt64, _ digits: String) {
        #expect(self.written(atMost: 3) { $0.writeThreeDigits(number) } == "there " + digits)
    }

    @Test func `a request ID has its usual format`() {
        let id = RequestID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(self.written(atMost: 32) { $0.writeRequestID(id) } == "there \(id)")
    }

    @Test func `the whole capacity can be used`() {
        let bytes = [UInt8](repeating: 0x61, count: 5000)
        let line = self.written(atMost: 5000) { $0.writeBytes(bytes.span) }
        #expect(line.utf8.count == 5006)
    }

    @Test func `exceeding the capacity traps`() async {
        await #expect(processExitsWith: .failure) {
            var memory = LogMemory(capacity: 2)
            memory.write { $0.writeStaticString("abc") }
        }
    }

    @Test func `memory for lines is reused without the previous content`() {
        var pool = LogMemoryPool()
        var draft = LogMemory(capacity: 4096)
        func copied(_ text: String, _ times: Int) -> [String] {
            draft.removeAll()
            draft.write { $0.writeString(text) }
            return (0..<times).map { _ in
                let copy = pool.copy(of: draft)
                let text = copy.withBytes { $0.text(from: 0, to: $0.count) }
                pool.take(back: copy)
                return text
            }
        }
        for text in ["a long line", "short", "", String(repeating: "x", count: 2000), "b"] {
            #expect(copied(text, 20) == [String](repeating: text, count: 20))
        }
    }
}
