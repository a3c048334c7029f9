import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct ChunkedScannerTests {
    struct Body: Sendable {
        var wire: String
        var content: String
    }

    static let good: [Body] = [
        Body(wire: "0\r\n\r\n", content: ""),
        Body(wire: "000\r\n\r\n", content: ""),
        Body(wire: "5\r\nhello\r\n0\r\n\r\n", content: "hello"),
        Body(wire: "05\r\nhello\r\n00\r\n\r\n", content: "hello"),
        Body(
            wire: "A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n",
            content: "0123456789abcdefghij"
        ),
        Body(wire: "2\r\n\r\n\r\n1\r\n0\r\n0\r\n\r\n", content: "\r\n0"),
        Body(wire: "1;a\r\nx\r\n0\r\n\r\n", content: "x"),
        Body(wire: "1;a=\"b;\t\\\"c\"; d\r\nx\r\n0;e=f\r\n\r\n", content: "x"),
        Body(wire: "1;a = b ;c\t;d=\"\"\r\nx\r\n0;\te\r\n\r\n", content: "x"),
        Body(wire: "1;a=\"\u{FF}\\\u{FF}\\\\\"\r\nx\r\n0\r\n\r\n", content: "x"),
        Body(wire: "000000000000000f\r\n0123456789abcde\r\n0\r\n\r\n", content: "0123456789abcde"),
        Body(wire: "1\r\nx\r\n0\r\nSum: a\r\nOther:\r\n\r\n", content: "x"),
    ]

    private enum Outcome: Equatable {
        case end(consumed: Int, content: [UInt8])
        case more
        case malformed(MessageFault)
    }

    /// Scans a body in parts that end at these positions; each call gets the bytes left by the
    /// previous one.
    private static func read(_ bytes: [UInt8], endingAt ends: some Sequence<Int>) -> Outcome {
        var scanner = ChunkedScanner()
        var start = 0
        var content: [UInt8] = []
        for end in ends {
            let piece = Array(bytes[start..<end])
            var ranges: [Range<Int>] = []
            let progress = scanner.consume(piece.span, trailerFields: RequestSample.table) {
                low,
                high in ranges.append(low..<high)
            }
            content += ranges.flatMap { piece[$0] }
            switch progress {
            case .more(let consumed): start += consumed
            case .end(let consumed): return .end(consumed: start + consumed, content: content)
            case .malformed(let fault): return .malformed(fault)
            }
        }
        return .more
    }

    @Test(arguments: Self.good)
    func `a body is scanned to its end, wherever it is split`(_ body: Body) {
        let bytes = Array(body.wire.utf8)
        let expected = Outcome.end(consumed: bytes.count, content: Array(body.content.utf8))
        #expect(Self.read(bytes, endingAt: [bytes.count]) == expected)
        #expect(Self.read(bytes, endingAt: 0...bytes.count) == expected)
        for first in 0..<bytes.count {
            for second in first..<bytes.count {
                let outcome = Self.read(bytes, endingAt: [first, second, bytes.count])
                #expect(outcome == expected, "\(first) \(second)")
            }
        }
    }

    @Test(arguments: [
        ("1\r\nx\r\n0\r\n\r\n", "1\r\nx\r\n0\r\n\r\n"),
        (
            "1;a\r\nx\r\n2;b=\"c;d\"; e\r\n;a\r\n0;f\r\nA: b;c\r\n\r\n",
            "1\r\nx\r\n2\r\n;a\r\n0\r\nA: b;c\r\n\r\n"
        ),
    ])
    func `the ranges of extensions are reported, and nothing else`(_ wire: String, _ rest: String) {
        let bytes = Array(wire.utf8)
        for split in 0...bytes.count {
            var scanner = ChunkedScanner()
            var left: [UInt8] = []
            var unread: [UInt8] = []
            for piece in [bytes[..<split], bytes[split...]] {
                unread += piece
                var gaps: [Range<Int>] = []
                let progress = scanner.consume(
                    unread.span,
                    trailerFields: RequestSample.table,
                    onExtension: { start, end in gaps.append(start..<end) }
                )
                switch progress {
                case .more(let consumed), .end(let consumed):
                    let slice = ByteBuffer(bytes: unread).slice(of: consumed, without: gaps)
                    left += slice.map { Array($0.readableBytesView) } ?? []
                    unread.removeFirst(consumed)
                case .malformed(let fault): Issue.record("\(fault)")
                }
            }
            #expect(String(decoding: left, as: UTF8.self) == rest, "\(split)")
        }
    }

    @Test(arguments: Self.good)
    func `bytes after a body do not belong to it`(_ body: Body) {
        let bytes = Array(body.wire.utf8)
        let followed = bytes + Array("GET / HTTP/1.1\r\n\r\n".utf8)
        #expect(
            Self.read(followed, endingAt: [followed.count])
                == .end(consumed: bytes.count, content: Array(body.content.utf8))
        )
    }

    @Test(arguments: Self.good)
    func `a truncated body is incomplete`(_ body: Body) {
        let bytes = Array(body.wire.utf8)
        for end in 0..<bytes.count {
            #expect(Self.read(bytes, endingAt: [end]) == .more, "\(end)")
            #expect(Self.read(bytes, endingAt: 0...end) == .more, "\(end)")
        }
    }

    static let bad: [(String, MessageFault)] = [
        ("\r\n", .chunkSize),
        ("\n", .chunkSize),
        ("g\r\n", .chunkSize),
        ("0x1\r\n", .chunkSize),
        ("+1\r\n", .chunkSize),
        ("-1\r\n", .chunkSize),
        (" 1\r\n", .chunkSize),
        ("1 \r\n", .chunkSize),
        ("1\t\r\n", .chunkSize),
        ("1 ;a\r\n", .chunkSize),
        ("1_0\r\n", .chunkSize),
        ("1,1\r\n", .chunkSize),
        (";a\r\n", .chunkSize),
        ("1\nx\r\n0\r\n\r\n", .chunkSize),
        ("1;a\nx\r\n0\r\n\r\n", .chunkSize),
        ("1\r\r\nx", .chunkSize),
        ("00000000000000000\r\n\r\n", .chunkSize),
        ("8000000000000000\r\n", .chunkSize),
        ("ffffffffffffffff\r\n", .chunkSize),
        ("10000000000000001\r\n", .chunkSize),
        ("1;a\u{0}\r\n", .chunkExtension),
        ("1;a\rb\r\n", .chunkExtension),
        ("1;\u{7F}\r\n", .chunkExtension),
        ("1;\r\n", .chunkExtension),
        ("1;;\r\n", .chunkExtension),
        ("1; ;a\r\n", .chunkExtension),
        ("1;a;\r\n", .chunkExtension),
        ("1;=\r\n", .chunkExtension),
        ("1;=a\r\n", .chunkExtension),
        ("1; \r\n", .chunkExtension),
        ("1;a \r\n", .chunkExtension),
        ("1;a=b\t\r\n", .chunkExtension),
        ("1;a=\r\n", .chunkExtension),
        ("1;a= ;b\r\n", .chunkExtension),
        ("1;a=b=c\r\n", .chunkExtension),
        ("1;a b\r\n", .chunkExtension),
        ("1;a,b\r\n", .chunkExtension),
        ("1;a=\"\r\n", .chunkExtension),
        ("1;a=\"x\r\n", .chunkExtension),
        ("1;a=\"x\\\"\r\n", .chunkExtension),
        ("1;a=\"x\"y\r\n", .chunkExtension),
        ("1;a=\"\u{1}\"\r\n", .chunkExtension),
        ("1;\"a\"\r\n", .chunkExtension),
        ("1;\u{FF}\r\n", .chunkExtension),
        ("1;a=\u{FF}\r\n", .chunkExtension),
        ("1\r\nxy\r\n", .chunkEnd),
        ("1\r\nx\n", .chunkEnd),
        ("1\r\nx\r\r\n", .chunkEnd),
        ("1\r\nx0\r\n\r\n", .chunkEnd),
        ("2\r\nx\r\n0\r\n\r\n", .chunkEnd),
        ("0\r\n\n", .trailer),
        ("0\r\nA: b\n\r\n", .trailer),
        ("0\r\nA\r\n\r\n", .trailer),
        ("0\r\nA : b\r\n\r\n", .trailer),
        ("0\r\n A: b\r\n\r\n", .trailer),
        ("0\r\nA: b\r\n c\r\n\r\n", .trailer),
        ("0\r\nA: \u{0}\r\n\r\n", .trailer),
        ("0\r\nContent-Length: 1\r\n\r\n", .trailer),
        ("0\r\ntransfer-encoding: chunked\r\n\r\n", .trailer),
        ("0\r\nHost: a\r\n\r\n", .trailer),
        ("0\r\nA: b\r\nConnection: close\r\n\r\n", .trailer),
        ("0\r\nExpect: 100-continue\r\n\r\n", .trailer),
        ("0\r\nX-Forwarded-For: a\r\n\r\n", .trailer),
        ("0\r\nX-VersionGate-Decision: allow\r\n\r\n", .trailer),
        ("0\r\nX-App-Version: 9\r\n\r\n", .trailer),
        ("0\r\nGET / HTTP/1.1\r\n\r\n", .trailer),
    ]

    @Test(arguments: Self.bad)
    func `a malformed body is rejected, wherever it is split`(
        _ text: String,
        _ fault: MessageFault
    ) {
        let bytes = Array(text.utf8)
        #expect(Self.read(bytes, endingAt: [bytes.count]) == .malformed(fault))
        #expect(Self.read(bytes, endingAt: 0...bytes.count) == .malformed(fault))
        for split in 0..<bytes.count {
            let outcome = Self.read(bytes, endingAt: [split, bytes.count])
            #expect(outcome == .malformed(fault), "\(split)")
        }
    }

    @Test(
        arguments: [
            ("g", .chunkSize), ("\r", .chunkSize), ("1\r\nxy", .chunkEnd), ("1\r\nx\rz", .chunkEnd),
        ] as [(String, MessageFault)]
    )
    func `a malformed body is rejected before the end of its line`(
        _ text: String,
        _ fault: MessageFault
    ) {
        let bytes = Array(text.utf8)
        #expect(Self.read(bytes, endingAt: [bytes.count]) == .malformed(fault))
        #expect(Self.read(bytes, endingAt: 0...bytes.count) == .malformed(fault))
    }

    @Test func `the largest chunk size is the largest signed integer`() {
        let bytes = Array("7fffffffffffffff\r\nabc".utf8)
        var scanner = ChunkedScanner()
        #expect(
            scanner.consume(bytes.span, trailerFields: RequestSample.table)
                == .more(consumed: bytes.count)
        )
    }

    /// Returns a chunk of one byte with an extension of `count` bytes.
    private static func chunk(extension count: Int) -> [UInt8] {
        Array("1;\(String(repeating: "a", count: count - 1))\r\nx\r\n".utf8)
    }

    @Test func `an extension may have 512 bytes, but not more`() {
        let end = Array("0\r\n\r\n".utf8)
        let longest = Self.chunk(extension: 512) + end
        let longer = Self.chunk(extension: 513) + end
        let expected = Outcome.end(consumed: longest.count, content: Array("x".utf8))
        #expect(Self.read(longest, endingAt: [longest.count]) == expected)
        #expect(Self.read(longest, endingAt: 0...longest.count) == expected)
        #expect(Self.read(longer, endingAt: [longer.count]) == .malformed(.chunkExtension))
    }

    @Test func `an endless size line is rejected`() {
        let bytes = Array("1;".utf8) + [UInt8](repeating: 0x61, count: 600)
        #expect(Self.read(bytes, endingAt: [bytes.count]) == .malformed(.chunkSize))
        #expect(Self.read(bytes, endingAt: 0...bytes.count) == .malformed(.chunkSize))
    }

    @Test func `the total size of the extensions of a body is limited`() {
        let allowed = (0..<32).flatMap { _ in Self.chunk(extension: 512) }
        let end = Array("0\r\n\r\n".utf8)
        let content = [UInt8](repeating: 0x78, count: 32)
        #expect(
            Self.read(allowed + end, endingAt: [allowed.count + end.count])
                == .end(consumed: allowed.count + end.count, content: content)
        )
        let more = allowed + Self.chunk(extension: 1) + end
        #expect(Self.read(more, endingAt: [more.count]) == .malformed(.chunkExtension))
    }

    @Test func `the size of the trailer section is limited, in one line or several`() {
        let line = Array("A: \(String(repeating: "b", count: 8189))\r\n".utf8)
        let end = Array("\r\n".utf8)
        let longest = Array("0\r\n".utf8) + line + end
        #expect(
            Self.read(longest, endingAt: [longest.count])
                == .end(consumed: longest.count, content: [])
        )
        let two = Array("0\r\n".utf8) + line + Array("A:\r\n\r\n".utf8)
        #expect(Self.read(two, endingAt: [two.count]) == .malformed(.trailer))
        let endless = Array("0\r\nA: ".utf8) + [UInt8](repeating: 0x62, count: 9000)
        #expect(Self.read(endless, endingAt: 0...endless.count) == .malformed(.trailer))
        let many = Array("0\r\n".utf8) + (0..<3000).flatMap { _ in Array("A: b\r\n".utf8) } + end
        #expect(Self.read(many, endingAt: [many.count]) == .malformed(.trailer))
    }
}
