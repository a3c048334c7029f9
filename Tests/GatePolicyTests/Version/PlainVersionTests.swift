import Testing

@testable import GatePolicy

struct PlainVersionTests {
    @Test(arguments: [
        "3.2.0", "3", "0", "0.0", "10.20.30", "1.2.3.4.5", "3.2.0+5", "3.2.0+a.b-c", "1+0",
        "", ".", "1.", ".1", "1..2", "1.2.3.4.5.6", "03.2", "3.02", "00", "v3", "V3.1",
        "3.2.0-rc.1", "1.0+", "1.0+a..b", "1+é", "1 ", " 1", "1,2", "ios/1.0", "1.0 (5)", "+",
        "1+2+3", "é",
        "123456789012345678901234567890", String(repeating: "1", count: 64),
        String(repeating: "1", count: 65), "1." + String(repeating: "0", count: 62),
    ])
    func `the fast path and the full parser agree`(_ text: String) {
        let bytes = Array(text.utf8)
        let careful = VersionStatement(line: bytes.span, .known).version.value?.description
        let isPlain = AppVersion.isPlain(bytes.span)
        #expect(!isPlain || text == careful)
        #expect(ClientClasses.withVersion(in: bytes.span) { $0.text } == careful)
    }

    @Test(arguments: ["3.2.0", "10", "1.2.3.4.5"])
    func `ordinary versions are parsed by the fast path`(_ text: String) {
        let isPlain = AppVersion.isPlain(text.utf8Span.span)
        #expect(isPlain)
    }

    @Test(arguments: [
        ("ios", true), ("android", true), ("web", true), ("macos", true), ("windows", true),
        ("", false), ("iOS", false), ("iphone", false), ("io", false), ("iosx", false),
        ("windowss", false), ("xwindows", false), ("windows32", false), ("tvos", false),
    ])
    func `a canonical platform name is distinguished from its aliases`(
        _ name: String,
        _ isName: Bool
    ) {
        #expect(Platform.isName(Array(name.utf8).span) == isName)
        #expect(!isName || Platform(name).name == name)
    }

    @Test func `a byte is found at every index`() {
        for count in 0..<40 {
            for place in 0...count {
                var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 | 0x80) }
                if place < count { bytes[place] = 0x2F }
                let expected = bytes.firstIndex(of: 0x2F)
                #expect(bytes.span.firstIndex(of: 0x2F) == expected, "\(count) \(place)")
                #expect(bytes.span.firstIndex(of: 0x2E) == bytes.firstIndex(of: 0x2E))
            }
            // Bytes with adjacent values must not match.
            let near = (0..<count).map { UInt8($0 % 2 == 0 ? 0x2E : 0x30) }
            #expect(near.span.firstIndex(of: 0x2F) == nil)
        }
    }
}
