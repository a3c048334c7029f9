import Testing

@testable import VersionGateClient

/// The parsing of event streams according to section 9.2.6 of the HTML Living Standard.
struct EventParserTests {
    typealias Message = EventParser.Message

    struct Stream: Sendable {
        var text: String
        var messages: [Message]
    }

    private static let decision = Message.event(name: "decision", data: "{}", id: "1")

    static let streams = [
        Stream(
            text: "retry: 3765\n\nid: 1\nevent: decision\ndata: {}\n\n",
            messages: [.retry(3765), Self.decision]
        ),
        Stream(text: "id:1\r\nevent:decision\r\ndata:{}\r\n\r\n", messages: [Self.decision]),
        Stream(text: "id: 1\revent: decision\rdata: {}\r\r", messages: [Self.decision]),
        Stream(text: "\u{FEFF}id: 1\nevent: decision\ndata: {}\n\n", messages: [Self.decision]),
        Stream(text: ":\n\n: still here\n\n", messages: [.comment, .comment]),
        Stream(
            text: "data: a\ndata\ndata:  b\n\n",
            messages: [
                .event(name: "message", data: "a\n\n b", id: "")
            ]
        ),
        // The ID is kept, but the event name is not. An event without data is not dispatched.
        Stream(
            text: "id: 7\nevent: x\n\ndata: y\n\nid\ndata: z\n\n",
            messages: [
                .event(name: "message", data: "y", id: "7"),
                .event(name: "message", data: "z", id: ""),
            ]
        ),
        Stream(text: "id: a\u{0}b\nretry: 1s\nretry:\nfuture: 1\nDATA: x\n\n", messages: []),
        Stream(text: "data: lost\n", messages: []),
        Stream(text: "data: 🙂\n\n", messages: [.event(name: "message", data: "🙂", id: "")]),
        Stream(text: "", messages: []),
    ]

    @Test(arguments: Self.streams, [1, 2, 3, 1000])
    func `a stream is parsed correctly, wherever it is split`(_ stream: Stream, size: Int) throws {
        var parser = EventParser()
        var rest = Array(stream.text.utf8)[...]
        var messages: [Message] = []
        while !rest.isEmpty {
            messages += try parser.read(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(messages == stream.messages)
    }

    @Test(arguments: ["data: ", ":", ""])
    func `an endless line is rejected`(_ start: String) {
        var parser = EventParser()
        let endless = Array(start.utf8) + [UInt8](repeating: 0x61, count: 300 << 10)
        #expect(throws: EventParser.TooLong.self) { try parser.read(endless) }
    }

    @Test
    func `an endless event is rejected`() {
        var parser = EventParser()
        #expect(throws: EventParser.TooLong.self) {
            let line = "data: \(String(repeating: "a", count: 1024))\n"
            for _ in 0..<400 { _ = try parser.read(line.utf8) }
        }
    }
}
