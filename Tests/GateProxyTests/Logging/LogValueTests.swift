import NIOCore
import Testing

@testable import GateProxy

struct LogValueTests {
    private func written(_ bytes: [UInt8], _ format: AccessLogFormat, atMost limit: Int = 1024)
        -> String
    {
        // Exceeding the capacity would trap.
        let line = [UInt8](logAtMost: LogValue.room(for: bytes.count, atMost: limit)) { cursor in
            LogValue.write(bytes.span, as: format, atMost: limit, into: &cursor)
        }
        return String(decoding: line, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("", "", ""),
            ("/plain/path-1_2~3", "/plain/path-1_2~3", "/plain/path-1_2~3"),
            ("two words", "two words", "two words"),
            ("a\"b", "a\\x22b", "a\\\"b"),
            ("a\\b", "a\\x5Cb", "a\\\\b"),
            ("a\nb\r\t\0", "a\\x0Ab\\x0D\\x09\\x00", "a\\u000Ab\\u000D\\u0009\\u0000"),
            ("\u{1B}[31m", "\\x1B[31m", "\\u001B[31m"),
            ("a\u{7F}", "a\\x7F", "a\\u007F"),
            ("日本", "\\xE6\\x97\\xA5\\xE6\\x9C\\xAC", "日本"),
            // The byte to escape is the ninth byte, and then the last of eight.
            ("12345678\"", "12345678\\x22", "12345678\\\""),
            ("1234567\\", "1234567\\x5C", "1234567\\\\"),
        ]
    )
    func `unsafe bytes are escaped`(_ value: String, _ text: String, _ json: String) {
        #expect(self.written(Array(value.utf8), .combined) == text)
        #expect(self.written(Array(value.utf8), .common) == text)
        #expect(self.written(Array(value.utf8), .json) == json)
    }

    @Test func `JSON is valid UTF-8 for any input`() {
        #expect(self.written([0x61, 0xFF, 0x62], .json) == "a\u{FFFD}b")
        #expect(self.written([0x61, 0xFF, 0x62], .combined) == "a\\xFFb")
        // A surrogate, an overlong slash, and a truncated character.
        #expect(self.written([0xED, 0xA0, 0x80], .json).allSatisfy { $0 == "\u{FFFD}" })
        #expect(self.written([0xC0, 0xAF], .json) == "\u{FFFD}\u{FFFD}")
        #expect(self.written([0x61, 0xE6, 0x97], .json) == "a\u{FFFD}")
    }

    @Test func `every byte is escaped correctly at every position`() {
        for byte in UInt8.min...UInt8.max {
            let isPlain = (0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
            for count in 0..<17 {
                let bytes = [UInt8](repeating: 0x61, count: count) + [byte]
                let text = self.written(bytes, .combined)
                #expect((text.utf8.count == bytes.count) == isPlain, "\(byte) at \(count)")
                #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 })
            }
        }
    }

    @Test func `a long value is truncated before a character that does not fit`() {
        #expect(self.written(Array("12345678".utf8), .json, atMost: 8) == "12345678")
        #expect(self.written(Array("123456789".utf8), .json, atMost: 8) == "12345678...")
        #expect(self.written(Array("12345日本".utf8), .json, atMost: 8) == "12345日...")
        #expect(self.written(Array("123456日本".utf8), .json, atMost: 8) == "123456...")
        let nonsense = [UInt8](repeating: 0x80, count: 20)
        #expect(self.written(nonsense, .json, atMost: 8).hasSuffix("\u{FFFD}..."))
    }

    @Test(arguments: [0x22, 0x5C, 0x09, 0x7F, 0x80, 0xFF] as [UInt8])
    func `the longest escaped value fits into the buffer`(_ byte: UInt8) {
        for format in AccessLogFormat.allCases {
            for count in [0, 1, 7, 8, 9, 64, 65] {
                let bytes = [UInt8](repeating: byte, count: count)
                let line = self.written(bytes, format, atMost: 64)
                #expect(line.hasSuffix("...") == (count > 64))
                #expect(line.utf8.count <= LogValue.room(for: count, atMost: 64))
            }
        }
    }
}
