import Testing
import WireSamples

@testable import GateWire

struct BodyReaderTests {
    private static func consume(
        _ reader: inout BodyReader,
        _ text: String
    ) -> (ChunkedScanner.Progress, String) {
        let bytes = Array(text.utf8)
        var content = ""
        let progress = reader.consume(bytes.span, trailerFields: .response) { start, end in
            content += bytes.text(from: start, to: end)
        }
        return (progress, content)
    }

    @Test func `an absent body consumes no byte`() {
        var reader = BodyReader(.none)
        let (progress, content) = Self.consume(&reader, "GET")
        #expect(progress == .end(consumed: 0))
        #expect(content == "")
    }

    @Test func `a body with a length consumes that many bytes and then none`() {
        var reader = BodyReader(.length(5))
        #expect(Self.consume(&reader, "") == (.more(consumed: 0), ""))
        #expect(Self.consume(&reader, "abc") == (.more(consumed: 3), "abc"))
        #expect(Self.consume(&reader, "deGET") == (.end(consumed: 2), "de"))
        #expect(Self.consume(&reader, "GET") == (.end(consumed: 0), ""))
    }

    @Test func `a body that arrives at once ends at its last byte`() {
        var reader = BodyReader(.length(3))
        #expect(Self.consume(&reader, "abc") == (.end(consumed: 3), "abc"))
    }

    @Test func `a chunked body continues where the previous read ended`() {
        var reader = BodyReader(.chunked)
        #expect(Self.consume(&reader, "3\r\nab") == (.more(consumed: 5), "ab"))
        #expect(Self.consume(&reader, "c\r") == (.more(consumed: 1), "c"))
        #expect(Self.consume(&reader, "\r\n0\r\n\r\nGET") == (.end(consumed: 7), ""))
    }

    @Test func `a malformed chunked body is rejected`() {
        var reader = BodyReader(.chunked)
        #expect(Self.consume(&reader, "x\r\n").0 == .malformed(.chunkSize))
    }

    @Test func `a close-delimited body consumes everything`() {
        var reader = BodyReader(.untilClose)
        for _ in 0..<3 {
            #expect(Self.consume(&reader, "0\r\n\r\n") == (.more(consumed: 5), "0\r\n\r\n"))
        }
    }
}
