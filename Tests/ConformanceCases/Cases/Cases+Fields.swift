extension ConformanceCase {
    /// Header sections that two recipients could split into different fields.
    static let fields: [ConformanceCase] = Self.lines + Self.bytesInFields + Self.hosts

    private static func get(_ fields: String) -> String {
        "GET /refused HTTP/1.1\r\nHost: gate\r\n\(fields)\r\n"
    }

    private static let lines: [ConformanceCase] = [
        .refusedHere(
            .must,
            "a line folded by a space",
            "RFC 9112 5.2",
            Self.get("X-A: 1\r\n two\r\n"),
            demands: [.neverReaches("\r\n two"), .neverReaches("\r\n\ttwo")]
        ),
        .refusedHere(
            .must,
            "a line folded by a tab",
            "RFC 9112 5.2",
            Self.get("X-A: 1\r\n\ttwo\r\n"),
            demands: [.neverReaches("\r\n two"), .neverReaches("\r\n\ttwo")]
        ),
        .refusedHere(
            .must,
            "a space before the first field line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\r\n Host: gate\r\nX-A: 1\r\n\r\n",
            demands: [.neverReaches("\r\n Host"), .neverReaches("\r\n\tX-A")]
        ),
        .refusedHere(
            .must,
            "a tab before the first field line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\r\n\tX-A: 1\r\nHost: gate\r\n\r\n",
            demands: [.neverReaches("\r\n Host"), .neverReaches("\r\n\tX-A")]
        ),
        .refused(
            .must,
            "a space before the colon",
            "RFC 9112 5.1",
            Self.get("X-A : 1\r\n"),
            rfc: 400
        ),
        .refused(
            .must,
            "a tab before the colon",
            "RFC 9112 5.1",
            Self.get("X-A\t: 1\r\n"),
            rfc: 400
        ),
        .refused(
            .must,
            "a space before the colon of Host",
            "RFC 9112 5.1",
            "GET /refused HTTP/1.1\r\nHost : gate\r\n\r\n",
            rfc: 400
        ),
        .refused(.should, "a line without a colon", "RFC 9112 5", Self.get("X-A 1\r\n")),
        .refused(.should, "an empty name", "RFC 9110 5.1", Self.get(": 1\r\n")),
        .refused(.should, "a space in a name", "RFC 9110 5.1", Self.get("X A: 1\r\n")),
        .refused(.should, "a bracket in a name", "RFC 9110 5.1", Self.get("X(A): 1\r\n")),
        .refused(.should, "a quote in a name", "RFC 9110 5.1", Self.get("X\"A: 1\r\n")),
        .refusedHere(
            .robustness,
            "a bare LF at the end of a field",
            "RFC 9112 2.2",
            Self.get("X-A: 1\nX-B: 2\r\n"),
            demands: [.neverReaches("1\nX"), .neverReaches("gate\n")]
        ),
        .refusedHere(
            .robustness,
            "a bare LF at the end of the request line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\nHost: gate\r\n\r\n",
            demands: [.neverReaches("1\nX"), .neverReaches("gate\n")]
        ),
        .refusedHere(
            .robustness,
            "a bare LF at the end of every line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\nHost: gate\n\n",
            demands: [.neverReaches("1\nX"), .neverReaches("gate\n")]
        ),
        .refusedHere(
            .robustness,
            "a bare LF as the last line",
            "RFC 9112 2.2",
            Self.get("X-A: 1\r\n\n"),
            demands: [.neverReaches("1\nX"), .neverReaches("gate\n")]
        ),
        .refusedHere(
            .must,
            "LF and CR the wrong way round",
            "RFC 9112 2.2",
            Self.get("X-A: 1\n\rX-B: 2\r\n"),
            demands: [.neverReaches("\rX")]
        ),
        .refusedHere(
            .must,
            "CR twice before LF",
            "RFC 9112 2.2",
            Self.get("X-A: 1\r\r\n"),
            demands: [.neverReaches("\r\r")]
        ),
        .refused(
            .must,
            "a bare CR at the end of every line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\rHost: gate\r\r"
        ),
    ]

    private static let bytesInFields: [ConformanceCase] = [
        .refusedHere(
            .must,
            "a bare CR in a value",
            "RFC 9112 2.2",
            Self.get("X-A: 1\rX-B: 2\r\n"),
            demands: [.neverReaches("1\rX")]
        ),
        .refused(.should, "a bare CR in a name", "RFC 9110 5.1", Self.get("X-\rA: 1\r\n")),
        .refused(.should, "a NUL in a name", "RFC 9110 5.1", Self.get("X-\0A: 1\r\n")),
        .refusedHere(
            .must,
            "a NUL in a value",
            "RFC 9110 5.5",
            Self.get("X-A: 1\0 2\r\n"),
            demands: [.neverReaches("1\0")]
        ),
        .refused(.should, "a control byte in a name", "RFC 9110 5.1", Self.get("X-\u{1}A: 1\r\n")),
        .refusedHere(
            .robustness,
            "a control byte in a value",
            "RFC 9110 5.5",
            Self.get("X-A: 1\u{1}2\r\n")
        ),
        .refusedHere(
            .robustness,
            "an escape byte in a value",
            "RFC 9110 5.5",
            Self.get("X-A: \u{1B}[0m\r\n")
        ),
        .refusedHere(.robustness, "a DEL in a value", "RFC 9110 5.5", Self.get("X-A: 1\u{7F}\r\n")),
        .refused(.should, "a DEL in a name", "RFC 9110 5.1", Self.get("X-\u{7F}A: 1\r\n")),
        .refused(.should, "a high byte in a name", "RFC 9110 5.1", Self.get("X-\u{E9}A: 1\r\n")),
        .refusedHere(
            .robustness,
            "a form feed before a value",
            "RFC 9110 5.5",
            Self.get("X-A:\u{C}1\r\n")
        ),
        .passes(
            .must,
            "high bytes in a value",
            "RFC 9110 5.5",
            Self.get("X-A: caf\u{C3}\u{A9}\r\n")
        ),
        .passes(.must, "a tab within a value", "RFC 9110 5.5", Self.get("X-A: 1\t2\r\n")),
        .passes(.must, "space around a value", "RFC 9110 5.6.3", Self.get("X-A: \t 1 \t\r\n")),
        .passes(.must, "no space before a value", "RFC 9112 5", Self.get("X-A:1\r\n")),
        .passes(.must, "an empty value", "RFC 9110 5.5", Self.get("X-A:\r\n")),
        .passes(.must, "a value of spaces", "RFC 9110 5.5", Self.get("X-A:   \r\n")),
        .passes(
            .robustness,
            "every token character in a name",
            "RFC 9110 5.6.2",
            Self.get("!#$%&'*+-.^_`|~9aZ: 1\r\n")
        ),
    ]

    private static func host(_ lines: String, target: String = "/refused") -> String {
        "GET \(target) HTTP/1.1\r\n\(lines)\r\n"
    }

    private static let hosts: [ConformanceCase] = [
        .refused(
            .must,
            "two equal Hosts",
            "RFC 9112 3.2",
            Self.host("Host: gate\r\nHost: gate\r\n"),
            rfc: 400
        ),
        .refused(
            .must,
            "two different Hosts",
            "RFC 9112 3.2",
            Self.host("Host: gate\r\nhost: evil\r\n"),
            rfc: 400
        ),
        .refused(.must, "no Host", "RFC 9112 3.2", Self.host("X-A: 1\r\n"), rfc: 400),
        .refusedOrPasses(
            .robustness,
            "an empty Host with an authority in the target",
            "RFC 9112 3.2",
            Self.host("Host: \r\n", target: "http://gate/refused")
        ),
        .refusedOrPasses(.robustness, "an empty Host", "RFC 9112 3.2", Self.host("Host:\r\n")),
        .refused(.must, "a space in Host", "RFC 9112 3.2", Self.host("Host: a b\r\n"), rfc: 400),
        .refused(.must, "a slash in Host", "RFC 9112 3.2", Self.host("Host: a/b\r\n"), rfc: 400),
        .refused(.must, "an at sign in Host", "RFC 9112 3.2", Self.host("Host: a@b\r\n"), rfc: 400),
        .refusedHere(.robustness, "a comma in Host", "RFC 9112 3.2", Self.host("Host: a,b\r\n")),
        .refused(.must, "a query in Host", "RFC 9112 3.2", Self.host("Host: a?b\r\n"), rfc: 400),
        .refused(
            .must,
            "a port that is not a number",
            "RFC 9112 3.2",
            Self.host("Host: gate:eighty\r\n"),
            rfc: 400
        ),
        .refused(
            .must,
            "an open bracket in Host",
            "RFC 9112 3.2",
            Self.host("Host: [::1\r\n"),
            rfc: 400
        ),
        .refused(
            .must,
            "a high byte in Host",
            "RFC 9112 3.2",
            Self.host("Host: g\u{E4}te\r\n"),
            rfc: 400
        ),
        .passes(.must, "a port in Host", "RFC 9112 3.2", Self.host("Host: gate:8080\r\n")),
        .passes(.must, "an IPv6 address in Host", "RFC 9112 3.2", Self.host("Host: [::1]:80\r\n")),
        .passes(.must, "Host in upper case", "RFC 9110 5.1", Self.host("HOST: GATE\r\n")),
    ]
}
