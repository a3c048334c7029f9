extension ConformanceCase {
    /// Chunked bodies whose ends two recipients could locate differently.
    static let chunks: [ConformanceCase] =
        Self.chunkSizes + Self.chunkEnds + Self.trailers
        + Self.legalChunks

    private static func chunked(_ body: String) -> String {
        "POST /refused HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }

    /// Returns a body with a chunk that has this size line.
    private static func size(_ line: String) -> String {
        Self.chunked("\(line)\r\nhello\r\n0\r\n\r\n")
    }

    private static let chunkSizes: [ConformanceCase] = [
        .refused(
            .must,
            "an empty chunk size",
            "RFC 9112 7.1",
            Self.size(""),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "an extension without a size",
            "RFC 9112 7.1",
            Self.size(";a=b"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a chunk size of 0x5",
            "RFC 9112 7.1",
            Self.size("0x5"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a chunk size of -1",
            "RFC 9112 7.1",
            Self.size("-1"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a chunk size of +5",
            "RFC 9112 7.1",
            Self.size("+5"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a chunk size of 5_0",
            "RFC 9112 7.1",
            Self.size("5_0"),
            part: .body(hidden: "hello")
        ),
        .refusedHere(
            .robustness,
            "a space before a chunk size",
            "RFC 9112 7.1",
            Self.size(" 5"),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refusedHere(
            .robustness,
            "a space after a chunk size",
            "RFC 9112 7.1",
            Self.size("5 "),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refusedHere(
            .robustness,
            "a tab after a chunk size",
            "RFC 9112 7.1",
            Self.size("5\t"),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refused(
            .must,
            "a chunk size of g",
            "RFC 9112 7.1",
            Self.size("g"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a NUL in a chunk size",
            "RFC 9112 7.1",
            Self.size("5\0"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a high byte as a chunk size",
            "RFC 9112 7.1",
            Self.size("\u{B5}"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "17 digits",
            "RFC 9112 7.1",
            Self.size("FFFFFFFFFFFFFFFFF"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .must,
            "a size that wraps to 5",
            "RFC 9112 7.1",
            Self.size("10000000000000005"),
            part: .body(hidden: "hello")
        ),
        .refused(
            .robustness,
            "a size that is negative",
            "RFC 9112 7.1",
            Self.size("FFFFFFFFFFFFFFFF"),
            part: .body(hidden: "hello")
        ),
        .refusedHere(
            .robustness,
            "a bare LF in a quoted extension",
            "RFC 9112 7.1.1",
            Self.size("5;a=\"b\nc\""),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refusedHere(
            .must,
            "a bare CR in an extension",
            "RFC 9112 7.1.1",
            Self.size("5;a\rb"),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refusedHere(
            .robustness,
            "a NUL in an extension",
            "RFC 9112 7.1.1",
            Self.size("5;a=\0"),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refusedHere(
            .robustness,
            "a bare LF after a size",
            "RFC 9112 7.1",
            Self.chunked("5\nhello\r\n0\r\n\r\n"),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
        .refused(
            .must,
            "a bare CR after a size",
            "RFC 9112 7.1",
            Self.chunked("5\rhello\r\n0\r\n\r\n"),
            part: .body(hidden: "hello")
        ),
        .refusedHere(
            .robustness,
            "a chunk extension of 100,000 bytes",
            "RFC 9112 7.1.1",
            Self.size("5;a=" + String(repeating: "a", count: 100_000)),
            part: .body(hidden: "hello"),
            body: "hello"
        ),
    ]

    private static let chunkEnds: [ConformanceCase] = [
        .refused(
            .must,
            "no CRLF after data",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello0\r\n\r\n"),
            part: .body(hidden: "/follower")
        ),
        .refused(
            .must,
            "more data than the chunk size",
            "RFC 9112 7.1",
            Self.chunked("4\r\nhello\r\n0\r\n\r\n"),
            part: .body(hidden: "hello")
        ),
        .refusedHere(
            .robustness,
            "a bare LF after data",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\n0\r\n\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refused(
            .must,
            "a bare CR after data",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\r0\r\n\r\n"),
            part: .body(hidden: "/follower")
        ),
        .refused(
            .must,
            "two line ends after data",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\r\n\r\n0\r\n\r\n"),
            part: .body(hidden: "/follower")
        ),
        .refusedHere(
            .robustness,
            "a bare LF after the last chunk",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\r\n0\n\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedHere(
            .robustness,
            "a bare LF at the very end",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\r\n0\r\n\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedHere(
            .must,
            "a chunk that continues as a request",
            "RFC 9112 7.1",
            Self.chunked("5\r\nhello\r\n0\r\nGET /smuggled HTTP/1.1\r\nHost: gate\r\n\r\n"),
            part: .body(hidden: "/smuggled"),
            body: "hello",
            demands: [.neverReaches("/smuggled")]
        ),
    ]

    private static func trailer(_ lines: String) -> String {
        Self.chunked("5\r\nhello\r\n0\r\n\(lines)\r\n")
    }

    private static let trailers: [ConformanceCase] = [
        .refusedHere(
            .should,
            "a trailer without a colon",
            "RFC 9112 7.1.2",
            Self.trailer("X-T 1\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [
                .neverReaches("X-T :"), .neverReaches("X-T 1"), .neverReaches("\r\n 2"),
                .neverReaches("\r\n X"),
            ]
        ),
        .refusedHere(
            .should,
            "a space before the colon",
            "RFC 9112 7.1.2",
            Self.trailer("X-T : 1\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [
                .neverReaches("X-T :"), .neverReaches("X-T 1"), .neverReaches("\r\n 2"),
                .neverReaches("\r\n X"),
            ]
        ),
        .refusedHere(
            .should,
            "an empty trailer name",
            "RFC 9112 7.1.2",
            Self.trailer(": 1\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello",
            demands: [
                .neverReaches("X-T :"), .neverReaches("X-T 1"), .neverReaches("\r\n 2"),
                .neverReaches("\r\n X"),
            ]
        ),
        .refusedHere(
            .should,
            "a folded trailer",
            "RFC 9112 7.1.2",
            Self.trailer("X-T: 1\r\n 2\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [
                .neverReaches("X-T :"), .neverReaches("X-T 1"), .neverReaches("\r\n 2"),
                .neverReaches("\r\n X"),
            ]
        ),
        .refusedHere(
            .should,
            "a trailer that begins folded",
            "RFC 9112 7.1.2",
            Self.trailer(" X-T: 1\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [
                .neverReaches("X-T :"), .neverReaches("X-T 1"), .neverReaches("\r\n 2"),
                .neverReaches("\r\n X"),
            ]
        ),
        .refusedHere(
            .must,
            "a NUL in a trailer",
            "RFC 9112 7.1.2",
            Self.trailer("X-T: \0\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [.neverReaches("\0")]
        ),
        .refusedHere(
            .robustness,
            "a bare LF in trailers",
            "RFC 9112 7.1.2",
            Self.trailer("X-T: 1\nX-U: 2\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello"
        ),
        .refusedHere(
            .must,
            "a bare CR in trailers",
            "RFC 9112 7.1.2",
            Self.trailer("X-T: 1\rX-U: 2\r\n"),
            part: .body(hidden: "X-T"),
            body: "hello",
            demands: [.neverReaches("1\rX")]
        ),
        .refusedOrPasses(
            .robustness,
            "a Content-Length in trailers",
            "RFC 9110 6.5.1",
            Self.trailer("Content-Length: 5\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedOrPasses(
            .robustness,
            "a Transfer-Encoding in trailers",
            "RFC 9110 6.5.1",
            Self.trailer("Transfer-Encoding: gzip\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedOrPasses(
            .robustness,
            "a Host in trailers",
            "RFC 9110 6.5.1",
            Self.trailer("Host: x\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedOrPasses(
            .robustness,
            "an identity in trailers",
            "RFC 9110 6.5.1",
            Self.trailer("X-App-Version: 9\r\n"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
    ]

    private static let legalChunks: [ConformanceCase] = [
        .passes(.must, "a chunk extension", "RFC 9112 7.1.1", Self.size("5;ext"), body: "hello"),
        .passes(
            .must,
            "an extension value",
            "RFC 9112 7.1.1",
            Self.size("5;a=b;c=d"),
            body: "hello"
        ),
        .passes(
            .must,
            "a quoted extension",
            "RFC 9112 7.1.1",
            Self.size("5;a=\"b;\\\"c\""),
            body: "hello"
        ),
        .passes(.must, "a leading zero", "RFC 9112 7.1", Self.size("05"), body: "hello"),
        .passes(.must, "no data", "RFC 9112 7.1", Self.chunked("0\r\n\r\n")),
        .passes(.must, "a last chunk of 000", "RFC 9112 7.1", Self.chunked("000\r\n\r\n")),
        .passes(
            .must,
            "a size in upper and lower case",
            "RFC 9112 7.1",
            Self.chunked("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"),
            body: "01234567890123456789"
        ),
        .refusedOrPasses(
            .robustness,
            "spaces around an extension",
            "RFC 9112 7.1.1",
            Self.size("5 ; a = b"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
        .refusedOrPasses(
            .robustness,
            "4,000 leading zeros",
            "RFC 9112 7.1",
            Self.size(String(repeating: "0", count: 4000) + "5"),
            part: .body(hidden: "/follower"),
            body: "hello"
        ),
    ]
}
