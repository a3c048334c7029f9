import GateRules
import GateSystem
import Testing

@testable import GateFeeds

struct EventStreamParserTests {
    private typealias Event = EventStreamParser.Event

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var events: [String]
    }

    @Test(arguments: [
        Case(testDescription: "one", text: "event: put\ndata: x\n\n", events: ["put=x"]),
        Case(testDescription: "no blank", text: "event:put\ndata:x\n\n", events: ["put=x"]),
        Case(testDescription: "two blanks", text: "data:  x\n\n", events: ["message= x"]),
        Case(testDescription: "CRLF", text: "event: a\r\ndata: x\r\n\r\n", events: ["a=x"]),
        Case(testDescription: "CR", text: "event: a\rdata: x\r\r", events: ["a=x"]),
        Case(
            testDescription: "several lines",
            text: "data: a\ndata\ndata: b\n\n",
            events: ["message=a\n\nb"]
        ),
        Case(testDescription: "comments", text: ": hi\n\ndata: x\n: ho\n\n", events: ["message=x"]),
        Case(testDescription: "no data", text: "event: a\n\ndata: x\n\n", events: ["message=x"]),
        Case(
            testDescription: "other fields",
            text: "id: 1\nretry: 5\nfoo\ndata: x\n\n",
            events: ["message=x"]
        ),
        Case(
            testDescription: "a byte order mark",
            text: "\u{FEFF}data: x\n\n",
            events: ["message=x"]
        ),
        Case(testDescription: "colons", text: "data: {\"a\":1}\n\n", events: ["message={\"a\":1}"]),
        Case(testDescription: "characters", text: "data: 更新😀\n\n", events: ["message=更新😀"]),
        Case(
            testDescription: "not terminated",
            text: "data: x\n\ndata: y\n",
            events: ["message=x"]
        ),
        Case(
            testDescription: "the last name",
            text: "event: a\nevent: b\ndata: x\n\n",
            events: ["b=x"]
        ),
    ])
    func `a stream is parsed correctly wherever it is split`(story: Case) throws {
        let bytes = Array(story.text.utf8)
        for size in 1...bytes.count {
            var parser = EventStreamParser(limit: RulesSource.maximumSize)
            var events: [Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                events += try parser.receive(piece)
            }
            #expect(events.map { "\($0.name)=\($0.data)" } == story.events, "pieces of \(size)")
        }
    }

    @Test func `comments and IDs do not count against the limit of an event`() throws {
        var parser = EventStreamParser(limit: 100)
        _ = try parser.receive([0xEF, 0xBB, 0xBF])
        for _ in 0..<50 { _ = try parser.receive(Array(": still here\nid: 7\n".utf8)) }
        let data = String(repeating: "x", count: 90)
        let events = try parser.receive(Array("data: \(data)\n\n".utf8))
        #expect(events == [Event(name: "message", data: data)])
    }

    @Test func `an endless event is an error`() throws {
        var parser = EventStreamParser(limit: 100)
        for _ in 0..<3 { _ = try parser.receive(Array("data: 12345678901234567890\n\n".utf8)) }
        #expect(throws: FeedFailure.fetch(.tooLarge(limit: 100))) {
            _ = try parser.receive(Array(repeating: 0x78, count: 101))
        }
        parser = EventStreamParser(limit: 100)
        #expect(throws: FeedFailure.self) {
            for _ in 0..<20 { _ = try parser.receive(Array("data: 123456\n".utf8)) }
        }
    }
}
