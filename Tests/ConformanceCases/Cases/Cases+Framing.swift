extension ConformanceCase {
    /// Requests whose ends two recipients could locate differently.
    static let framing: [ConformanceCase] = Self.contentLengths + Self.transferEncodings

    private static let hello = "5\r\nhello\r\n0\r\n\r\n"

    private static func post(_ fields: String, _ body: String, version: String = "1.1") -> String {
        "POST /refused HTTP/\(version)\r\nHost: gate\r\n\(fields)\r\n\(body)"
    }

    private static let contentLengths: [ConformanceCase] = [
        .unframed(
            .must,
            "two Content-Lengths that differ",
            "RFC 9112 6.3",
            Self.post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"),
            rfc: 400
        ),
        .refusedHere(
            .must,
            "two Content-Lengths that agree",
            "RFC 9112 6.3",
            Self.post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
            body: "hello"
        ),
        .refusedHere(
            .must,
            "a list in Content-Length that agrees",
            "RFC 9110 8.6",
            Self.post("Content-Length: 1,1\r\n", "x"),
            body: "x"
        ),
        .unframed(
            .must,
            "a list in Content-Length that differs",
            "RFC 9110 8.6",
            Self.post("Content-Length: 5, 6\r\n", "hello"),
            rfc: 400
        ),
        .unframed(.must, "a Content-Length of +5", "RFC 9110 8.6", Self.length("+5"), rfc: 400),
        .unframed(.must, "a Content-Length of -1", "RFC 9110 8.6", Self.length("-1"), rfc: 400),
        .unframed(.must, "a Content-Length of 0x5", "RFC 9110 8.6", Self.length("0x5"), rfc: 400),
        .unframed(.must, "a Content-Length of 5 5", "RFC 9110 8.6", Self.length(" 5 5"), rfc: 400),
        .unframed(.must, "a Content-Length of 5.0", "RFC 9110 8.6", Self.length("5.0"), rfc: 400),
        .unframed(.must, "a Content-Length of 1e0", "RFC 9110 8.6", Self.length("1e0"), rfc: 400),
        .unframed(.must, "a Content-Length of 5;", "RFC 9110 8.6", Self.length("5;"), rfc: 400),
        .unframed(
            .must,
            "a Content-Length with a letter",
            "RFC 9110 8.6",
            Self.length("5a"),
            rfc: 400
        ),
        .unframed(.must, "an empty Content-Length", "RFC 9110 8.6", Self.length(""), rfc: 400),
        .unframed(
            .must,
            "a Content-Length after a vertical tab",
            "RFC 9110 8.6",
            Self.length("\u{B}5"),
            rfc: 400
        ),
        .unframed(
            .must,
            "a Content-Length in quotes",
            "RFC 9110 8.6",
            Self.length("\"5\""),
            rfc: 400
        ),
        .unframed(
            .must,
            "a Content-Length of 20 digits",
            "RFC 9110 8.6",
            Self.length("99999999999999999999"),
            with: [400, 413]
        ),
        .unframed(
            .must,
            "a Content-Length that wraps 64 bits to 5",
            "RFC 9110 8.6",
            Self.length("18446744073709551621"),
            with: [400, 413]
        ),
        .unframed(
            .must,
            "a space before the colon of Content-Length",
            "RFC 9112 5.1",
            Self.post("Content-Length : 5\r\n", "hello"),
            rfc: 400
        ),
        .refusedOrPasses(
            .robustness,
            "a Content-Length with leading zeros",
            "RFC 9110 8.6",
            Self.length("005"),
            body: "hello"
        ),
        .passes(
            .must,
            "tabs and spaces around a Content-Length",
            "RFC 9110 5.6.3",
            Self.length("\t 5 \t"),
            body: "hello"
        ),
    ]

    private static func length(_ value: String) -> String {
        Self.post("Content-Length: \(value)\r\n", "hello")
    }

    private static let transferEncodings: [ConformanceCase] = [
        .closesAnyway(
            "Content-Length, then Transfer-Encoding",
            "RFC 9112 6.1",
            Self.post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Self.hello),
            bodies: "hello"
        ),
        .closesAnyway(
            "Transfer-Encoding, then Content-Length",
            "RFC 9112 6.1",
            Self.post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", Self.hello),
            bodies: "hello"
        ),
        .closesAnyway(
            "Transfer-Encoding with a Content-Length of 0",
            "RFC 9112 6.1",
            Self.post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", Self.hello),
            bodies: "hello"
        ),
        .unframed(.must, "identity", "RFC 9112 6.1", Self.coding("identity"), with: [400, 501]),
        .unframed(
            .must,
            "an unknown coding",
            "RFC 9112 6.1",
            Self.coding("xchunked"),
            with: [400, 501]
        ),
        .unframed(
            .should,
            "chunked twice in a list",
            "RFC 9112 6.1",
            Self.coding("chunked, chunked")
        ),
        .unframed(
            .should,
            "chunked twice in two lines",
            "RFC 9112 6.1",
            Self.post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Self.hello)
        ),
        .refusedHere(
            .robustness,
            "gzip, chunked",
            "RFC 9112 6.1",
            Self.coding("gzip, chunked"),
            with: [400, 501],
            body: "hello"
        ),
        .unframed(
            .must,
            "chunked, gzip",
            "RFC 9112 6.3",
            Self.coding("chunked, gzip"),
            with: [400, 501]
        ),
        .unframed(
            .must,
            "chunked, identity",
            "RFC 9112 6.3",
            Self.coding("chunked, identity"),
            with: [400, 501]
        ),
        .unframed(
            .must,
            "two lines, the last not chunked",
            "RFC 9112 6.3",
            Self.post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", Self.hello),
            with: [400, 501]
        ),
        .unframed(
            .must,
            "chunked with a parameter",
            "RFC 9112 7",
            Self.coding("chunked;q=1"),
            with: [400, 501]
        ),
        .unframed(
            .must,
            "chunked in quotes",
            "RFC 9112 7",
            Self.coding("\"chunked\""),
            with: [400, 501]
        ),
        .refused(
            .robustness,
            "an empty coding",
            "RFC 9112 6.1",
            Self.coding(""),
            with: [400, 501]
        ),
        .closesAnyway(
            "Transfer-Encoding on HTTP/1.0",
            "RFC 9112 6.1",
            Self.post("Transfer-Encoding: chunked\r\n", Self.hello, version: "1.0"),
            bodies: "hello",
            ""
        ),
        .unframed(
            .must,
            "a space before the colon of Transfer-Encoding",
            "RFC 9112 5.1",
            Self.post("Transfer-Encoding : chunked\r\n", Self.hello),
            rfc: 400
        ),
        .unframed(
            .should,
            "a vertical tab before chunked",
            "RFC 9110 5.5",
            Self.coding("\u{B}chunked"),
            with: [400, 501]
        ),
        .unframed(
            .should,
            "a vertical tab after chunked",
            "RFC 9110 5.5",
            Self.coding("chunked\u{B}")
        ),
        .unframed(.must, "a NUL in chunked", "RFC 9110 5.5", Self.coding("chun\0ked")),
        .refusedHere(
            .must,
            "a folded Transfer-Encoding",
            "RFC 9112 5.2",
            Self.post("Transfer-Encoding:\r\n chunked\r\n", Self.hello),
            body: "hello"
        ),
        .passes(
            .must,
            "a tab before chunked",
            "RFC 9110 5.6.3",
            Self.post("Transfer-Encoding:\tchunked\r\n", Self.hello),
            body: "hello"
        ),
        .passes(
            .must,
            "spaces after chunked",
            "RFC 9110 5.6.3",
            Self.coding("chunked \t "),
            body: "hello"
        ),
        .passes(
            .must,
            "chunked in mixed case",
            "RFC 9112 7",
            Self.post("transfer-ENCODING: ChunKed\r\n", Self.hello),
            body: "hello"
        ),
    ]

    private static func coding(_ value: String) -> String {
        Self.post("Transfer-Encoding: \(value)\r\n", Self.hello)
    }
}
