import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct HTTP2FrameReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// The parsed frames, abbreviated; the last one may be an error.
        var outcome: [String]

        init(_ name: String, _ frames: [UInt8]..., outcome: [String]) {
            self.testDescription = name
            self.bytes = frames.flatMap { $0 }
            self.outcome = outcome
        }
    }

    private static let ping = Array<UInt8>(repeating: 1, count: 8)

    static let cases: [Case] = [
        Case("data", frame(0, flags: 1, stream: 3, [1, 2]), outcome: ["data 3 2/2 end"]),
        Case(
            "data with padding",
            frame(0, flags: 8, stream: 3, [1, 9, 0]),
            outcome: ["data 3 1/3"]
        ),
        Case("only padding", frame(0, flags: 8, stream: 3, [0]), outcome: ["data 3 0/1"]),
        Case("padding without its length", frame(0, flags: 8, stream: 3), outcome: ["frameSize"]),
        Case(
            "more padding than payload",
            frame(0, flags: 8, stream: 3, [2, 1]),
            outcome: ["protocol"]
        ),
        Case("data on stream 0", frame(0, stream: 0, [1]), outcome: ["protocol"]),
        Case(
            "a header section",
            frame(1, flags: 5, stream: 1, [8]),
            outcome: ["headers 1 [8] end"]
        ),
        Case(
            "a header section with a priority",
            frame(1, flags: 0x24, stream: 1, [0x80, 0, 0, 3, 9, 8]),
            outcome: ["headers 1 [8]"]
        ),
        Case(
            "a header section that depends on itself",
            frame(1, flags: 0x24, stream: 1, [0x80, 0, 0, 1, 9, 8]),
            outcome: ["protocol"]
        ),
        Case(
            "an incomplete priority",
            frame(1, flags: 0x24, stream: 1, [0, 0, 0, 3]),
            outcome: ["frameSize"]
        ),
        Case("a header section on stream 0", frame(1, flags: 4), outcome: ["protocol"]),
        Case(
            "a header section on a server stream",
            frame(1, flags: 4, stream: 2),
            outcome: ["protocol"]
        ),
        Case(
            "a header section in three frames",
            frame(1, flags: 1, stream: 1, [1]),
            frame(9, stream: 1, [2]),
            frame(9, flags: 4, stream: 1, [3]),
            frame(6, Self.ping),
            outcome: ["begun 1", "continued", "headers 1 [1, 2, 3] end split", "ping 8"]
        ),
        Case(
            "another frame within a header section",
            frame(1, stream: 1, [1]),
            frame(6, Self.ping),
            outcome: ["begun 1", "protocol"]
        ),
        Case(
            "another stream's continuation within a header section",
            frame(1, stream: 1, [1]),
            frame(9, flags: 4, stream: 3, [1]),
            outcome: ["begun 1", "protocol"]
        ),
        Case(
            "a continuation without a header section",
            frame(9, flags: 4, stream: 1),
            outcome: ["protocol"]
        ),
        Case(
            "a header section that is too large",
            frame(1, stream: 1, [1]),
            frame(9, flags: 4, stream: 1, Array(repeating: 1, count: 100)),
            outcome: ["begun 1", "enhanceYourCalm"]
        ),
        Case("a reset", frame(3, stream: 1, big(8)), outcome: ["reset 1 8"]),
        Case("a reset of stream 0", frame(3, big(8)), outcome: ["protocol"]),
        Case("a reset with an invalid length", frame(3, stream: 1, [1]), outcome: ["frameSize"]),
        Case("a window update", frame(8, stream: 1, big(0x8000_0005)), outcome: ["room 1 5"]),
        Case("a window update for the connection", frame(8, big(5)), outcome: ["room 0 5"]),
        Case(
            "a window update with an invalid length",
            frame(8, [0, 0, 5]),
            outcome: ["frameSize"]
        ),
        Case("settings", frame(4, [0, 1, 0, 0, 0, 0]), outcome: ["settings 6"]),
        Case("settings on a stream", frame(4, stream: 1), outcome: ["protocol"]),
        Case("acknowledged settings", frame(4, flags: 1), outcome: ["settings read"]),
        Case("acknowledged settings with content", frame(4, flags: 1, [0]), outcome: ["frameSize"]),
        Case("a ping", frame(6, Self.ping), outcome: ["ping 8"]),
        Case("a ping response", frame(6, flags: 1, Self.ping), outcome: ["pong"]),
        Case("a ping on a stream", frame(6, stream: 1, Self.ping), outcome: ["protocol"]),
        Case("a ping with an invalid length", frame(6, [1]), outcome: ["frameSize"]),
        Case("a GOAWAY", frame(7, big(0x8000_0005) + big(2) + [9]), outcome: ["goodbye 5 2"]),
        Case("a GOAWAY on a stream", frame(7, stream: 1, big(5) + big(2)), outcome: ["protocol"]),
        Case("a GOAWAY with an invalid length", frame(7, big(5)), outcome: ["frameSize"]),
        Case("a push promise", frame(5, flags: 4, stream: 1, big(2)), outcome: ["protocol"]),
        Case("a priority", frame(2, stream: 1, big(3) + [1]), outcome: ["other"]),
        Case("a priority of stream 0", frame(2, big(3) + [1]), outcome: ["protocol"]),
        Case("a priority with an invalid length", frame(2, stream: 1, [1]), outcome: ["frameSize"]),
        Case(
            "a priority that depends on itself",
            frame(2, stream: 3, big(3) + [1]),
            outcome: ["protocol"]
        ),
        Case("an unknown frame type", frame(0xFA, flags: 0xFF, stream: 7, [1]), outcome: ["other"]),
        Case(
            "a frame that is too long is rejected by its header",
            [0, 0x40, 1, 0, 0, 0, 0, 0, 1],
            outcome: ["frameSize"]
        ),
        Case("an incomplete frame", Array(frame(6, Self.ping).dropLast()), outcome: []),
        Case(
            "a stream ID with its reserved bit set",
            frame(3, stream: 0x8000_0001, big(8)),
            outcome: ["reset 1 8"]
        ),
    ]

    @Test(arguments: Self.cases)
    func `each frame type is parsed and validated`(_ test: Case) {
        #expect(Self.outcome(of: test.bytes, inPiecesOf: .max) == test.outcome)
    }

    @Test(arguments: Self.cases)
    func `splitting the input does not change the result`(_ test: Case) {
        #expect(Self.outcome(of: test.bytes, inPiecesOf: 1) == test.outcome)
    }

    @Test(arguments: [
        (frame(4), ["settings 0"]),
        (frame(4, flags: 1), ["protocol"]),
        (frame(6, Self.ping), ["protocol"]),
        // The fault is detected from the frame header alone.
        ([0, 0, 8, 6, 0, 0, 0, 0, 0], ["protocol"]),
        (frame(4) + frame(4, flags: 1), ["settings 0", "settings read"]),
    ])
    func `the first frame must be SETTINGS`(_ bytes: [UInt8], _ outcome: [String]) {
        var reader = HTTP2FrameReader(expectsPreface: false, blockLimit: 100)
        #expect(reader.outcome(of: bytes) == outcome)
    }

    @Test(arguments: [
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["settings 0"]),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r", ["protocol"]),
        ("PRJ", ["protocol"]),
    ])
    func `a client must send the preface before SETTINGS`(_ text: String, _ outcome: [String]) {
        var reader = HTTP2FrameReader(expectsPreface: true, blockLimit: 100)
        #expect(reader.outcome(of: Array(text.utf8) + frame(4)) == outcome)
    }

    @Test func `the number of CONTINUATION frames is limited`() {
        let parts = (0..<70).flatMap { _ in frame(9, stream: 1) }
        let outcome = Self.outcome(of: frame(1, stream: 1) + parts, inPiecesOf: .max)
        #expect(outcome.count == 65)
        #expect(outcome.last == "enhanceYourCalm")
    }

    @Test func `a closed reader discards the data from before the close`() throws {
        var reader = HTTP2FrameReader(expectsPreface: false, blockLimit: 100)
        #expect(
            reader.outcome(of: frame(4) + frame(1, stream: 1) + [0, 0]) == [
                "settings 0", "begun 1",
            ]
        )
        reader.close()
        #expect(reader.outcome(of: frame(6, Self.ping)) == ["ping 8"])
    }

    private static func outcome(of bytes: [UInt8], inPiecesOf size: Int) -> [String] {
        var reader = HTTP2FrameReader(expectsPreface: false, blockLimit: 100)
        guard reader.outcome(of: frame(4)) == ["settings 0"] else { return ["no settings"] }
        var outcome: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty, outcome.last != "protocol", outcome.last != "frameSize" {
            outcome += reader.outcome(of: Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return outcome
    }
}

extension HTTP2FrameReader {
    /// Returns the frames parsed from the bytes, abbreviated.
    fileprivate mutating func outcome(of bytes: [UInt8]) -> [String] {
        self.append(ByteBuffer(bytes: bytes))
        var outcome: [String] = []
        do throws(HTTP2ErrorCode) {
            while let frame = try self.next() { outcome.append(frame.inShort) }
        } catch {
            outcome.append("\(error)".replacing("Error", with: ""))
        }
        self.rest()
        return outcome
    }
}

extension HTTP2ReceivedFrame {
    fileprivate var inShort: String {
        switch self {
        case .data(let stream, let content, let length, let ends):
            "data \(stream) \(content.readableBytes)/\(length)\(ends ? " end" : "")"
        case .headersBegun(let stream): "begun \(stream)"
        case .headersContinued: "continued"
        case .headers(let block):
            "headers \(block.stream) \(Array(block.bytes.readableBytesView))"
                + (block.endsStream ? " end" : "") + (block.isSplit ? " split" : "")
        case .reset(let stream, let code): "reset \(stream) \(code)"
        case .windowUpdate(let stream, let increment): "room \(stream) \(increment)"
        case .settings(let payload): "settings \(payload.readableBytes)"
        case .settingsAcknowledged: "settings read"
        case .ping(let payload): "ping \(payload.readableBytes)"
        case .pingAcknowledged: "pong"
        case .goAway(let last, let code): "goodbye \(last) \(code)"
        case .other: "other"
        }
    }
}
