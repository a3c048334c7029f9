import GateTestSupport

extension ConformanceCase {
    /// Responses that two recipients could interpret differently, and unusual valid ones.
    static let responses: [ConformanceCase] =
        Self.answerLengths + Self.answerFields + Self.statusLines + Self.legalAnswers
        + Self.bodilessAnswers

    /// Returns a response with a valid status line, these field lines and a body of five bytes.
    private static func ok(_ lines: String, _ body: String = "hello") -> String {
        "HTTP/1.1 200 OK\r\n\(lines)\r\n\(body)"
    }

    private static func coding(_ value: String) -> String {
        Self.ok("Transfer-Encoding: \(value)\r\n", "5\r\nhello\r\n0\r\n\r\n")
    }

    private static let answerLengths: [ConformanceCase] = [
        .answered(
            .must,
            "a response with both lengths",
            "RFC 9112 6.3",
            Self.ok(
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "5\r\nhello\r\n0\r\n\r\n"
            ),
            demands: [.refusedOr(.status(200), .answers("hello"), .oneLength)],
            ours: [.status(502)]
        ),
        .badGateway(
            .must,
            "two Content-Lengths that differ",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 5\r\nContent-Length: 6\r\n")
        ),
        .badGateway(
            .must,
            "a list of Content-Lengths that differ",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 5, 6\r\n")
        ),
        .repaired(
            .must,
            "two equal Content-Lengths",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 5\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello")]
        ),
        .repaired(
            .must,
            "a list of equal Content-Lengths",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 5, 5\r\n"),
            demands: [.answers("hello"), .answerLacks("Content-Length", "5, 5")]
        ),
        .badGateway(.must, "a length of -5", "RFC 9112 6.3", Self.ok("Content-Length: -5\r\n")),
        .badGateway(.must, "a length of +5", "RFC 9112 6.3", Self.ok("Content-Length: +5\r\n")),
        .badGateway(.must, "a length of 0x5", "RFC 9112 6.3", Self.ok("Content-Length: 0x5\r\n")),
        .badGateway(.must, "a length of 5a", "RFC 9112 6.3", Self.ok("Content-Length: 5a\r\n")),
        .badGateway(.must, "an empty length", "RFC 9112 6.3", Self.ok("Content-Length: \r\n")),
        .badGateway(
            .must,
            "a length of 20 digits",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 99999999999999999999\r\n")
        ),
        .badGateway(
            .must,
            "a length that wraps to 5",
            "RFC 9112 6.3",
            Self.ok("Content-Length: 18446744073709551621\r\n")
        ),
        .badGateway(.robustness, "an unknown coding", "RFC 9112 6.1", Self.coding("xchunked")),
        .badGateway(
            .robustness,
            "chunked, then another coding",
            "RFC 9112 6.3",
            Self.coding("chunked, gzip")
        ),
        .badGateway(
            .robustness,
            "chunked twice in a response",
            "RFC 9112 6.1",
            Self.coding("chunked, chunked")
        ),
        .repaired(
            .must,
            "a chunked response of HTTP/1.0",
            "RFC 9112 6.1",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            demands: [.answers("hello")]
        ),
        .repaired(
            .should,
            "a space before the colon of Transfer-Encoding in a response",
            "RFC 9112 5.1",
            Self.ok("Transfer-Encoding : chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
            demands: [.oneLength]
        ),
    ]

    private static let answerFields: [ConformanceCase] = [
        .repaired(
            .must,
            "a NUL in a value of a response",
            "RFC 9110 5.5",
            Self.ok("X-A: 1\02\r\nContent-Length: 5\r\n"),
            demands: [.clientNeverHears("\0")]
        ),
        .repaired(
            .must,
            "a bare CR in a value of a response",
            "RFC 9112 2.2",
            Self.ok("X-A: 1\rX-B: 2\r\nContent-Length: 5\r\n"),
            demands: [.clientNeverHears("\r")]
        ),
        .repaired(
            .must,
            "a space before the colon in a response",
            "RFC 9112 5.1",
            Self.ok("X-A : 1\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello"), .clientNeverHears("X-A ")]
        ),
        .repaired(
            .must,
            "a folded line in a response",
            "RFC 9112 5.2",
            Self.ok("X-A: 1\r\n X-B: 2\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello"), .answerLacks(" X-B")]
        ),
        .repaired(
            .robustness,
            "no colon in a line of a response",
            "RFC 9112 5",
            Self.ok("X-A\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello"), .answerLacks("X-A")]
        ),
        .repaired(
            .robustness,
            "an empty name in a response",
            "RFC 9110 5.1",
            Self.ok(": 1\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello"), .answerLacks("")]
        ),
        .repaired(
            .robustness,
            "a space in a name of a response",
            "RFC 9110 5.1",
            Self.ok("X A: 1\r\nContent-Length: 5\r\n"),
            demands: [.answers("hello"), .answerLacks("X A")]
        ),
        .answered(
            .robustness,
            "a megabyte of fields in a response",
            "RFC 9110 5.4",
            Self.ok("X-A: \(String(repeating: "a", count: 1 << 20))\r\n"),
            demands: [.first([200, 500, 502])],
            ours: [.status(502)]
        ),
        .repaired(
            .robustness,
            "bare LFs in a response",
            "RFC 9112 2.2",
            "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
            demands: [.answers("hello")]
        ),
    ]

    private static let statusLines: [ConformanceCase] = [
        .badGateway(.robustness, "no status", "RFC 9112 4", "HTTP/1.1\r\n\r\n"),
        .badGateway(.robustness, "a status of letters", "RFC 9112 4", "HTTP/1.1 abc OK\r\n\r\n"),
        .badGateway(
            .robustness,
            "a status with two digits",
            "RFC 9112 4",
            "HTTP/1.1 20 OK\r\n\r\n"
        ),
        .badGateway(
            .robustness,
            "a status with four digits",
            "RFC 9112 4",
            "HTTP/1.1 2000 OK\r\n\r\n"
        ),
        .badGateway(.robustness, "a status of 099", "RFC 9110 15", "HTTP/1.1 099 OK\r\n\r\n"),
        .badGateway(.robustness, "a status of -20", "RFC 9112 4", "HTTP/1.1 -20 OK\r\n\r\n"),
        .badGateway(.robustness, "another protocol", "RFC 9112 2.3", "ICY 200 OK\r\n\r\n"),
        .badGateway(
            .robustness,
            "HTTP/2.0 in a response",
            "RFC 9112 2.3",
            "HTTP/2.0 200 OK\r\n\r\n"
        ),
        .badGateway(.robustness, "no HTTP at all", "RFC 9112 4", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        .badGateway(.must, "no response but a close", "RFC 9110 15.6.3", ""),
        .badGateway(.must, "no response but a reset", "RFC 9110 15.6.3", "", then: [.reset]),
        .badGateway(.must, "half a head", "RFC 9112 8", "HTTP/1.1 200 OK\r\nContent-Le"),
        .answered(
            .should,
            "a missing response",
            "RFC 9110 15.6.5",
            "",
            then: [.stall],
            demands: [.status(504)],
            ours: [.isProblem]
        ),
        .repaired(
            .robustness,
            "a NUL in the reason",
            "RFC 9112 4",
            "HTTP/1.1 200 O\0K\r\nContent-Length: 5\r\n\r\nhello",
            demands: [.clientNeverHears("\0")]
        ),
        .repaired(
            .must,
            "a bare CR in the reason",
            "RFC 9112 2.2",
            "HTTP/1.1 200 OK\rX-Bad: 1\r\nContent-Length: 5\r\n\r\nhello",
            demands: [.clientNeverHears("\r")]
        ),
        .answered(
            .must,
            "an unsolicited switch of protocols",
            "RFC 9110 7.8",
            "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
            demands: [.first(Array(500...504))],
            ours: [.status(502)]
        ),
    ]

    private static let legalAnswers: [ConformanceCase] = [
        .whole(
            .must,
            "no reason",
            "RFC 9112 4",
            "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello"
        ),
        .whole(
            .robustness,
            "no space after the status",
            "RFC 9112 4",
            "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"
        ),
        .whole(
            .must,
            "no length, ended by close",
            "RFC 9112 6.3",
            "HTTP/1.1 200 OK\r\n\r\nhello"
        ),
        .whole(
            .must,
            "a response of HTTP/1.0",
            "RFC 9112 6.3",
            "HTTP/1.0 200 OK\r\n\r\nhello"
        ),
        .whole(.must, "chunked in mixed case", "RFC 9112 7", Self.coding("ChunKed")),
        .whole(
            .must,
            "a chunk extension in a response",
            "RFC 9112 7.1.1",
            Self.ok("Transfer-Encoding: chunked\r\n", "5;a=\"b;c\"\r\nhello\r\n0;d\r\n\r\n")
        ),
        .whole(
            .must,
            "chunks of one byte",
            "RFC 9112 7.1",
            Self.ok(
                "Transfer-Encoding: chunked\r\n",
                "1\r\nh\r\n1\r\ne\r\n1\r\nl\r\n1\r\nl\r\n1\r\no\r\n0\r\n\r\n"
            )
        ),
        .whole(
            .must,
            "a trailer in a response",
            "RFC 9112 7.1.2",
            Self.ok("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n")
        ),
        .whole(
            .must,
            "spaces around a length",
            "RFC 9110 5.5",
            Self.ok("Content-Length: \t5 \r\n")
        ),
        .whole(
            .must,
            "high bytes in a value of a response",
            "RFC 9110 5.5",
            Self.ok("X-A: \u{E9}\r\nContent-Length: 5\r\n")
        ),
        .answered(
            .must,
            "an unknown status of a known class",
            "RFC 9110 15",
            "HTTP/1.1 299 Odd\r\nContent-Length: 5\r\n\r\nhello",
            demands: [.status(299), .answers("hello")]
        ),
        .answered(
            .must,
            "two Set-Cookie fields stay two",
            "RFC 9110 5.3",
            Self.ok("Set-Cookie: a=1, b\r\nSet-Cookie: c=2\r\nContent-Length: 5\r\n"),
            demands: [.status(200), .answerField("Set-Cookie", "a=1, b", "c=2")]
        ),
    ]

    private static func bodiless(
        _ name: String,
        _ method: String,
        _ head: String,
        _ status: Int
    ) -> ConformanceCase {
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let isHead = method == "HEAD"
        return Self(
            .must,
            name,
            isHead ? "RFC 9110 9.3.2" : "RFC 9112 6.3",
            client: [
                .send(Self.request(method)), isHead ? .answerToHead : .answer, .reconnect, .follow,
            ],
            backend: [
                "/a": [[.send("HTTP/1.1 \(head)\r\nContent-Length: 44\r\n\r\n\(poison)")]]
            ],
            demands: [
                .first([status, 502]), .clientNeverHears("poison"), .followerIsAnswered,
            ]
        )
    }

    private static let bodilessAnswers: [ConformanceCase] = [
        Self.bodiless("a 204 with a body", "GET", "204 None", 204),
        Self.bodiless("a 304 with a body", "GET", "304 Same", 304),
        Self.bodiless("a body after the response to HEAD", "HEAD", "200 OK", 200),
        .answered(
            .must,
            "a 304 with the length of the omitted body",
            "RFC 9110 8.6",
            "HTTP/1.1 304 Same\r\nETag: \"a\"\r\nContent-Length: 12345\r\n\r\n",
            then: [],
            demands: [.status(304), .answerField("ETag", "\"a\"")]
        ),
        .answered(
            .must,
            "a 204 has no length",
            "RFC 9110 8.6",
            "HTTP/1.1 204 None\r\nX-A: 1\r\n\r\n",
            then: [],
            demands: [
                .status(204), .answerLacks("Content-Length"), .answerLacks("Transfer-Encoding"),
            ]
        ),
    ]
}
