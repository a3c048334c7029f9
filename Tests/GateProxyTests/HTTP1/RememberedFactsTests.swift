import Testing

@testable import GateProxy

/// What is known of a head that follows others on a connection is what would be known of the first.
struct RememberedFactsTests {
    private static let table = FieldNameTable.request(identityHeaderNames: ["x-app-version"])

    private enum Answer: Equatable {
        case facts(RequestFacts)
        case fault(MessageFault)
        case unread(RequestHeadParser.Progress)
    }

    private static let lines = [
        "GET / HTTP/1.1", "HEAD / HTTP/1.1", "OPTIONS /longer?target=1 HTTP/1.1", "POST / HTTP/1.1",
        "GET / HTTP/1.0", "POST http://a/ HTTP/1.0",
    ]

    private static let sections = [
        ["Host: a"],
        ["Host: a", "X-App-Version: 1", "Accept: text/html,application/xhtml+xml"],
        ["Host: a", "Origin: https://b", "Access-Control-Request-Method: PUT"],
        ["Host: a", "Connection: keep-alive, X-Hop, Upgrade", "Upgrade: websocket"],
        ["Host: a", "Content-Length: 7", "Expect: 100-continue", "TE: trailers"],
        ["Host: a", "Transfer-Encoding: chunked"],
        ["Host: a", "Max-Forwards: 0"],
        ["Host: a", "Max-Forwards: a"],
        ["Host: a", "Host: a"],
        [],
    ]

    static let heads = Self.lines.flatMap { line in
        Self.sections.map { fields in wire([line] + fields) }
    }

    private static func answer(_ parser: inout RequestHeadParser, to head: String) -> Answer {
        let bytes = Array(head.utf8)
        parser.reset()
        let progress = parser.parse(bytes.span, table: Self.table)
        guard progress == .complete else { return .unread(progress) }
        do throws(MessageFault) {
            return .facts(try parser.facts(in: bytes.span))
        } catch {
            return .fault(error)
        }
    }

    @Test(arguments: heads)
    func `every head after every other is known as if it were the first`(_ first: String) {
        for second in Self.heads {
            var fresh = RequestHeadParser()
            let expected = Self.answer(&fresh, to: second)
            var parser = RequestHeadParser()
            _ = Self.answer(&parser, to: first)
            #expect(Self.answer(&parser, to: second) == expected, "\(second)")
            #expect(Self.answer(&parser, to: second) == expected, "again: \(second)")
        }
    }

    @Test func `another table makes another field the version`() throws {
        let bytes = Array(wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1", "X-Other: 2").utf8)
        let other = FieldNameTable.request(identityHeaderNames: ["x-none", "x-other"])
        var parser = RequestHeadParser()
        _ = parser.parse(bytes.span, table: Self.table)
        #expect(try parser.facts(in: bytes.span).identityFields == 0b01)
        parser.resetForNewTable()
        _ = parser.parse(bytes.span, table: other)
        #expect(try parser.facts(in: bytes.span).identityFields == 0b10)
    }
}
