import Testing
import WireSamples

@testable import GateWire

struct ResponseHeadParserTests {
    struct Good: Sendable {
        var text: String
        var status = 200
        var minorVersion = 1
        var statusText = "200 OK"
        var fields: [TextField] = []
    }

    static let good: [Good] = [
        Good(text: wire("HTTP/1.1 200 OK")),
        Good(text: wire("HTTP/1.0 200 OK"), minorVersion: 0),
        Good(text: wire("HTTP/1.9 200 OK"), minorVersion: 1),
        Good(text: wire("HTTP/1.1 200 "), statusText: "200 "),
        Good(text: wire("HTTP/1.1 200"), statusText: "200"),
        Good(text: wire("HTTP/1.1 404 Näh \t!"), status: 404, statusText: "404 Näh \t!"),
        Good(text: wire("HTTP/1.1 100 Continue"), status: 100, statusText: "100 Continue"),
        Good(text: wire("HTTP/1.1 999 X"), status: 999, statusText: "999 X"),
        Good(
            text: wire("HTTP/1.1 200 OK", "A:b", "C:", "a: \t d \t"),
            fields: [
                TextField(name: "A", value: "b"), TextField(name: "C", value: ""),
                TextField(name: "a", value: "d"),
            ]
        ),
    ]

    @Test(arguments: Self.good)
    func `a valid head is parsed into its parts, wherever it is split`(
        _ sample: Good
    ) throws {
        let whole = try ResponseSample(sample.text)
        #expect(whole.head.status == sample.status)
        #expect(whole.head.minorVersion == sample.minorVersion)
        #expect(
            whole.bytes.text(from: whole.head.statusStart, to: whole.head.statusEnd)
                == sample.statusText
        )
        #expect(whole.fields == sample.fields)
        #expect(whole.head.end == whole.bytes.count)
        var bytewise = ResponseHeadParser()
        #expect(bytewise.parse(whole.bytes, endingAt: 0...whole.bytes.count) == .complete)
        #expect(bytewise.head == whole.head)
        for split in 1..<whole.bytes.count {
            var parser = ResponseHeadParser()
            #expect(parser.parse(whole.bytes, endingAt: [split, whole.bytes.count]) == .complete)
            #expect(parser.head == whole.head)
        }
    }

    static let bad: [(String, MessageFault)] = [
        (wire(""), .status),
        (wire("HTTP/1.1"), .status),
        (wire("HTTP/1.1 20"), .status),
        (wire("HTTP/1.1 2000 OK"), .status),
        (wire("HTTP/1.1 099 OK"), .status),
        (wire("HTTP/1.1 2x0 OK"), .status),
        (wire("HTTP/1.1 +20 OK"), .status),
        (wire("HTTP/1.1  200 OK"), .status),
        (wire("HTTP/1.1\t200 OK"), .status),
        (wire("HTTP/1.1 200\tOK"), .status),
        (wire("HTTP/2.0 200 OK"), .status),
        (wire("HTTP/1.x 200 OK"), .status),
        (wire("http/1.1 200 OK"), .status),
        (wire("ICY 200 OK"), .status),
        (wire(" HTTP/1.1 200 OK"), .status),
        ("\r\n" + wire("HTTP/1.1 200 OK"), .status),
        (wire("HTTP/1.1 200 O\u{0}K"), .status),
        (wire("HTTP/1.1 200 O\rK"), .status),
        ("HTTP/1.1 200 OK\n\n", .lineEnd),
        ("HTTP/1.1 200 OK\r\nA: b\n\r\n", .lineEnd),
        (wire("HTTP/1.1 200 OK", "A : b"), .fieldName),
        (wire("HTTP/1.1 200 OK", "A: b", " c"), .foldedField),
        (wire("HTTP/1.1 200 OK", "A: b\u{0}"), .fieldValue),
        (wire("HTTP/1.1 200 OK", "A: b\rInjected: c"), .fieldValue),
    ]

    @Test(arguments: Self.bad)
    func `a malformed head is rejected, wherever it is split`(
        _ text: String,
        _ fault: MessageFault
    ) {
        let bytes = Array(text.utf8)
        var parser = ResponseHeadParser()
        #expect(parser.parse(bytes) == .malformed(fault))
        for split in 1..<bytes.count {
            var parser = ResponseHeadParser()
            guard case .malformed = parser.parse(bytes, endingAt: [split, bytes.count]) else {
                Issue.record("accepted when split at \(split)")
                continue
            }
        }
    }

    @Test(arguments: [
        (100, true), (101, false), (102, true), (103, true), (199, true), (200, false),
        (500, false),
    ])
    func `only 1xx heads except 101 are interim`(_ status: Int, _ isInterim: Bool) throws {
        #expect(try ResponseSample(wire("HTTP/1.1 \(status) x")).head.isInterim == isInterim)
    }

    @Test func `a reset parser parses the next head like a new one`() throws {
        var parser = ResponseHeadParser()
        for sample in Self.good {
            let whole = try ResponseSample(sample.text)
            parser.reset()
            #expect(parser.parse(whole.bytes) == .complete)
            #expect(parser.head == whole.head)
        }
    }
}
