import Testing

@testable import GateProxy

/// Heads that follow one another on a connection are read as if each were the first.
struct RememberedFieldsTests {
    private static let table = FieldNameTable.request(identityHeaderNames: ["x-app-version"])

    private static let fields = "Host: gate\r\nX-App-Version: 3.4.9\r\nX-Custom: */*\r\n\r\n"

    /// What a parser says of a head that comes after others.
    private static func parse(_ heads: [String], limits: HeadLimits = .defaults)
        -> (progress: RequestHeadParser.Progress, parser: RequestHeadParser)
    {
        var parser = RequestHeadParser(limits: limits)
        var progress = RequestHeadParser.Progress.incomplete
        for head in heads {
            parser.reset()
            let bytes = Array(head.utf8)
            progress = parser.parse(bytes.span, table: Self.table)
        }
        return (progress, parser)
    }

    @Test(arguments: [
        ("GET /a HTTP/1.1\r\n", "GET /a HTTP/1.1\r\n"),
        ("GET /a HTTP/1.1\r\n", "DELETE /much/longer?x=1 HTTP/1.0\r\n"),
        ("DELETE /much/longer?x=1 HTTP/1.0\r\n", "GET / HTTP/1.1\r\n"),
        ("GET / HTTP/1.1\r\n", "\r\nGET http://other/path HTTP/1.1\r\n"),
    ])
    func `fields that come again are where they would be read`(first: String, second: String) {
        let again = Self.parse([first + Self.fields, second + Self.fields])
        let fresh = Self.parse([second + Self.fields])
        #expect(again.progress == .complete)
        #expect(again.parser.head == fresh.parser.head)
        #expect(again.parser.generation.fields == 1)
    }

    @Test func `a body or another request behind the head changes nothing`() {
        let head = "GET / HTTP/1.1\r\n" + Self.fields
        let again = Self.parse([head, head + "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"])
        #expect(again.parser.generation.fields == 1)
        #expect(again.parser.head.end == head.utf8.count)
    }

    @Test(arguments: [
        "Host: gate\r\nX-App-Version: 3.4.8\r\nX-Custom: */*\r\n\r\n",
        "Host: gate\r\nX-App-Version: 3.4.9\r\nX-Custom: */*\r\nA: b\r\n\r\n",
        "Host: gate\r\nX-App-Version: 3.4.9\r\n\r\n",
        "\r\n",
    ])
    func `other fields are read anew`(_ other: String) {
        let line = "GET / HTTP/1.1\r\n"
        let second = Self.parse([line + Self.fields, line + other])
        let fresh = Self.parse([line + other])
        #expect(second.progress == fresh.progress)
        #expect(second.parser.head == fresh.parser.head)
        #expect(second.parser.generation.fields == 2)
        let third = Self.parse([line + Self.fields, line + other, line + Self.fields])
        #expect(third.parser.head == Self.parse([line + Self.fields]).parser.head)
        #expect(third.parser.generation.fields == 3)
    }

    @Test func `only a head that stands there again has the same generation`() {
        let heads = [
            "GET /a HTTP/1.1\r\n" + Self.fields, "GET /b HTTP/1.1\r\n" + Self.fields,
            "PUT /a HTTP/1.1\r\n" + Self.fields, "GET /a HTTP/1.0\r\n" + Self.fields,
            "\r\nGET /a HTTP/1.1\r\n" + Self.fields, "GET /a HTTP/1.1\r\nHost: gate\r\n\r\n",
            "GET http://a/a HTTP/1.1\r\n" + Self.fields,
            "GET /\(String(repeating: "a", count: 300)) HTTP/1.1\r\n" + Self.fields,
        ]
        for first in heads {
            for second in heads {
                let fresh = Self.parse([second]).parser.head
                let once = Self.parse([first, second])
                #expect(once.parser.head == fresh)
                let isTheSame = first == second && first.count < 300
                #expect((once.parser.generation.head == 1) == isTheSame)
                let twice = Self.parse([first, second, first, second])
                #expect(twice.parser.head == fresh)
            }
        }
    }

    @Test func `what is no head, or half of one, is not taken for the one before`() {
        let head = "GET /a HTTP/1.1\r\n" + Self.fields
        let others = [
            "GET /b HTTP/9.9\r\n", "GET /b HTTP/1.1\r\nNo colon\r\n\r\n", "GET /b",
            "G@T / HTTP/1.1\r\n", "GET /b HTTP/1.1\r\n",
            "POST /b HTTP/1.1\r\n\(Self.fields.dropLast(2))",
        ]
        for other in others {
            let again = Self.parse([head, other, head])
            #expect(again.progress == .complete)
            #expect(again.parser.head == Self.parse([head]).parser.head)
        }
        for cut in 0..<head.utf8.count {
            let part = String(decoding: head.utf8.prefix(cut), as: UTF8.self)
            #expect(Self.parse([head, part]).progress == .incomplete)
        }
    }

    @Test func `the same fields in pieces are read to the same head`() {
        let head = Array(("GET / HTTP/1.1\r\n" + Self.fields).utf8)
        let fresh = Self.parse(["GET / HTTP/1.1\r\n" + Self.fields]).parser.head
        for split in 1..<head.count {
            var parser = RequestHeadParser()
            _ = parser.parse(head.span, table: Self.table)
            parser.reset()
            #expect(
                parser.parse(head.span.extracting(first: split), table: Self.table) == .incomplete
            )
            #expect(parser.parse(head.span, table: Self.table) == .complete)
            #expect(parser.head == fresh)
        }
    }

    @Test func `another table reads them anew`() {
        let head = Array(("GET / HTTP/1.1\r\n" + Self.fields).utf8)
        var parser = RequestHeadParser()
        _ = parser.parse(head.span, table: Self.table)
        parser.resetForNewTable()
        let other = FieldNameTable.request(identityHeaderNames: ["x-custom"])
        #expect(parser.parse(head.span, table: other) == .complete)
        #expect(parser.generation.fields == 2)
        #expect(parser.head.fields.lines.map(\.role) == [.host, .other, .identity(0)])
    }

    @Test func `a longer target does not lift the limit of the head`() {
        let short = "GET / HTTP/1.1\r\n" + Self.fields
        let long = "GET /12345 HTTP/1.1\r\n" + Self.fields
        let limits = HeadLimits(bytes: short.utf8.count, fields: 10, target: 100)
        #expect(Self.parse([short, short], limits: limits).progress == .complete)
        #expect(Self.parse([short, long], limits: limits).progress == .malformed(.headTooLarge))
    }
}
