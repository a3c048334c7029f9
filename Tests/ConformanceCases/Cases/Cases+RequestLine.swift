extension ConformanceCase {
    /// Request lines other than `method SP target SP version CRLF`.
    static let requestLines: [ConformanceCase] =
        Self.versions + Self.separators + Self.targets
        + Self.methods + Self.sizes

    private static func line(_ line: String) -> String { "\(line)\r\nHost: gate\r\n\r\n" }

    private static func target(_ target: String) -> String { Self.line("GET \(target) HTTP/1.1") }

    private static let versions: [ConformanceCase] = [
        .refused(
            .robustness,
            "HTTP/0.9",
            "RFC 9112 2.3",
            Self.line("GET /refused"),
            with: [400, 505]
        ),
        .refused(
            .should,
            "a version of 0.9",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/0.9"),
            with: [400, 505]
        ),
        Self(
            .robustness,
            "the preface of HTTP/2",
            "RFC 9113 3.4",
            client: [.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), .pause(milliseconds: 50)],
            demands: [.nothingReaches]
        ),
        .refused(
            .should,
            "a version of 2.0",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/2.0"),
            with: [400, 505]
        ),
        .refusedOrPasses(
            .robustness,
            "a version of 1.2",
            "RFC 9110 2.5",
            Self.line("GET /refused HTTP/1.2")
        ),
        .refused(
            .should,
            "a version in lower case",
            "RFC 9112 2.3",
            Self.line("GET /refused http/1.1")
        ),
        .refused(
            .should,
            "a version of 01.1",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/01.1"),
            with: [400, 505]
        ),
        .refused(
            .should,
            "a version of 1.10",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/1.10"),
            with: [400, 505]
        ),
        .refused(
            .should,
            "a version of 1",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/1"),
            with: [400, 505]
        ),
        .refused(
            .should,
            "a version of 1,1",
            "RFC 9112 2.3",
            Self.line("GET /refused HTTP/1,1"),
            with: [400, 505]
        ),
        .refused(
            .should,
            "another protocol",
            "RFC 9112 2.3",
            Self.line("GET /refused RTSP/1.1"),
            with: [400, 505]
        ),
        .refused(.should, "an empty version", "RFC 9112 3", Self.line("GET /refused ")),
        .refused(
            .robustness,
            "a TLS hello",
            "RFC 9112 3",
            "\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0\u{1}\u{3}\r\n\r\n"
        ),
    ]

    private static let separators: [ConformanceCase] = [
        .refusedHere(
            .robustness,
            "two spaces before the target",
            "RFC 9112 3",
            Self.line("GET  /refused HTTP/1.1"),
            demands: [.neverReaches("GET\t"), .neverReaches("d\rH")]
        ),
        .refusedHere(
            .robustness,
            "two spaces before the version",
            "RFC 9112 3",
            Self.line("GET /refused  HTTP/1.1"),
            demands: [.neverReaches("GET\t"), .neverReaches("d\rH")]
        ),
        .refusedHere(
            .robustness,
            "a space before the method",
            "RFC 9112 3",
            Self.line(" GET /refused HTTP/1.1")
        ),
        .refusedHere(
            .robustness,
            "a space after the version",
            "RFC 9112 3",
            Self.line("GET /refused HTTP/1.1 "),
            demands: [.neverReaches("GET\t"), .neverReaches("d\rH")]
        ),
        .refusedHere(
            .robustness,
            "tabs between the parts",
            "RFC 9112 3",
            Self.line("GET\t/refused\tHTTP/1.1"),
            demands: [.neverReaches("GET\t"), .neverReaches("d\rH")]
        ),
        .refused(
            .should,
            "a space in the target",
            "RFC 9112 3",
            Self.line("GET /refused me HTTP/1.1")
        ),
        .refusedHere(
            .robustness,
            "a CR before the version",
            "RFC 9112 3",
            Self.line("GET /refused\rHTTP/1.1"),
            demands: [.neverReaches("GET\t"), .neverReaches("d\rH")]
        ),
        .passes(
            .should,
            "an empty line before the request",
            "RFC 9112 2.2",
            "\r\n" + Self.target("/refused")
        ),
        .refusedOrPasses(
            .robustness,
            "a bare LF before the request",
            "RFC 9112 2.2",
            "\n" + Self.target("/refused")
        ),
    ]

    private static let targets: [ConformanceCase] = [
        .refused(.should, "an empty target", "RFC 9112 3.2", Self.line("GET HTTP/1.1")),
        .refused(.should, "a target without a slash", "RFC 9112 3.2", Self.target("refused")),
        .refused(.should, "a target that is a query", "RFC 9112 3.2", Self.target("?refused")),
        .refused(.should, "GET *", "RFC 9112 3.2.4", Self.target("*")),
        .refused(.should, "GET of an authority", "RFC 9112 3.2.3", Self.target("gate:80")),
        .refused(
            .must,
            "an absolute target without a host",
            "RFC 9110 4.2.1",
            Self.target("http:///refused")
        ),
        .refused(
            .should,
            "userinfo in the target",
            "RFC 9110 4.2.4",
            Self.target("http://a@gate/refused")
        ),
        .refused(
            .robustness,
            "CONNECT",
            "RFC 9110 9.3.6",
            "CONNECT gate:443 HTTP/1.1\r\nHost: gate:443\r\n\r\n",
            with: [400, 404, 405, 501]
        ),
        .refusedHere(.robustness, "a fragment", "RFC 9112 3.2", Self.target("/refused#part")),
        .refusedHere(
            .robustness,
            "a target in Latin-1",
            "RFC 9112 3.2",
            Self.target("/refus\u{E9}")
        ),
        .refusedHere(
            .robustness,
            "a target in UTF-8",
            "RFC 9112 3.2",
            Self.target("/refus\u{C3}\u{A9}")
        ),
        .refused(.should, "a NUL in the target", "RFC 9112 3.2", Self.target("/refused\0")),
        .refused(.should, "a bare CR in the target", "RFC 9112 3.2", Self.target("/ref\rused")),
        .refused(.should, "a DEL in the target", "RFC 9112 3.2", Self.target("/refused\u{7F}")),
        .refused(
            .should,
            "a control byte in the target",
            "RFC 9112 3.2",
            Self.target("/refused\u{1}")
        ),
        .passes(.robustness, "OPTIONS *", "RFC 9112 3.2.4", Self.line("OPTIONS * HTTP/1.1")),
        .passes(
            .must,
            "a query with a slash and a question mark",
            "RFC 3986 3.4",
            Self.target("/a?b=/c?d")
        ),
        .passes(.robustness, "percent-encoded bytes", "RFC 3986 2.1", Self.target("/a%2Fb%00%ff")),
        .refusedOrPasses(
            .robustness,
            "a broken percent-encoding",
            "RFC 3986 2.1",
            Self.target("/a%zz%4")
        ),
        .refusedOrPasses(.robustness, "a backslash", "RFC 3986 3.3", Self.target("/a\\..\\b")),
    ]

    private static let methods: [ConformanceCase] = [
        .refused(
            .should,
            "a bracket in the method",
            "RFC 9110 9.1",
            Self.line("GE(T /refused HTTP/1.1")
        ),
        .refused(
            .should,
            "a NUL in the method",
            "RFC 9110 9.1",
            Self.line("GE\0T /refused HTTP/1.1")
        ),
        .refused(
            .should,
            "a colon in the method",
            "RFC 9110 9.1",
            Self.line("GET: /refused HTTP/1.1")
        ),
        .refused(
            .should,
            "a high byte in the method",
            "RFC 9110 9.1",
            Self.line("G\u{C8}T /refused HTTP/1.1")
        ),
        .refused(.should, "no method", "RFC 9112 3", Self.line("/refused HTTP/1.1")),
        .passes(.robustness, "a method in lower case", "RFC 9110 9.1", Self.line("get / HTTP/1.1")),
        .passes(.robustness, "an unknown method", "RFC 9110 9.1", Self.line("X-Look!~ / HTTP/1.1")),
    ]

    private static let sizes: [ConformanceCase] = [
        .refusedHere(
            .robustness,
            "a method of 100,000 bytes",
            "RFC 9112 3",
            Self.line(String(repeating: "A", count: 100_000) + " /refused HTTP/1.1"),
            with: [400, 414, 431, 501]
        ),
        .refusedHere(
            .robustness,
            "a target of 100,000 bytes",
            "RFC 9110 15.5.15",
            Self.target("/" + String(repeating: "a", count: 100_000)),
            with: [414]
        ),
        .refusedHere(
            .robustness,
            "a field of 200,000 bytes",
            "RFC 6585 5",
            "GET /refused HTTP/1.1\r\nHost: gate\r\nX-A: "
                + String(repeating: "a", count: 200_000) + "\r\n\r\n",
            with: [431]
        ),
        .refusedHere(
            .robustness,
            "5,000 fields",
            "RFC 6585 5",
            "GET /refused HTTP/1.1\r\nHost: gate\r\n"
                + String(repeating: "a: 1\r\n", count: 5000) + "\r\n",
            with: [431]
        ),
    ]
}
