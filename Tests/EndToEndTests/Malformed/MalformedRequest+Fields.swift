extension MalformedRequest {
    /// Header sections that two readers could take for different fields.
    static let fields: [MalformedRequest] = Self.lines + Self.bytesInFields + Self.hosts

    private static func get(_ fields: String) -> String {
        "GET /refused HTTP/1.1\r\nHost: gate\r\n\(fields)\r\n"
    }

    private static let lines: [MalformedRequest] = [
        .refused("a line folded by a space", "RFC 9112 5.2", Self.get("X-A: 1\r\n two\r\n")),
        .refused("a line folded by a tab", "RFC 9112 5.2", Self.get("X-A: 1\r\n\ttwo\r\n")),
        .refused(
            "a space before the first field line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\r\n Host: gate\r\nX-A: 1\r\n\r\n"
        ),
        .refused(
            "a tab before the first field line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\r\n\tX-A: 1\r\nHost: gate\r\n\r\n"
        ),
        .refused("a space before the colon", "RFC 9112 5.1", Self.get("X-A : 1\r\n")),
        .refused("a tab before the colon", "RFC 9112 5.1", Self.get("X-A\t: 1\r\n")),
        .refused(
            "a space before the colon of Host",
            "RFC 9112 5.1",
            "GET /refused HTTP/1.1\r\nHost : gate\r\n\r\n"
        ),
        .refused("a line without a colon", "RFC 9112 5", Self.get("X-A 1\r\n")),
        .refused("an empty name", "RFC 9110 5.1", Self.get(": 1\r\n")),
        .refused("a space in a name", "RFC 9110 5.1", Self.get("X A: 1\r\n")),
        .refused("a bracket in a name", "RFC 9110 5.1", Self.get("X(A): 1\r\n")),
        .refused("a quote in a name", "RFC 9110 5.1", Self.get("X\"A: 1\r\n")),
        .refused("a bare LF at the end of a field", "RFC 9112 2.2", Self.get("X-A: 1\nX-B: 2\r\n")),
        .refused(
            "a bare LF at the end of the request line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\nHost: gate\r\n\r\n"
        ),
        .refused(
            "a bare LF at the end of every line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\nHost: gate\n\n"
        ),
        .refused("a bare LF as the last line", "RFC 9112 2.2", Self.get("X-A: 1\r\n\n")),
        .refused("LF and CR the wrong way round", "RFC 9112 2.2", Self.get("X-A: 1\n\rX-B: 2\r\n")),
        .refused("CR twice before LF", "RFC 9112 2.2", Self.get("X-A: 1\r\r\n")),
        .refused(
            "a bare CR at the end of every line",
            "RFC 9112 2.2",
            "GET /refused HTTP/1.1\rHost: gate\r\r"
        ),
    ]

    private static let bytesInFields: [MalformedRequest] = [
        .refused("a bare CR in a value", "RFC 9112 2.2", Self.get("X-A: 1\rX-B: 2\r\n")),
        .refused("a bare CR in a name", "RFC 9110 5.1", Self.get("X-\rA: 1\r\n")),
        .refused("a NUL in a name", "RFC 9110 5.1", Self.get("X-\0A: 1\r\n")),
        .refused("a NUL in a value", "RFC 9110 5.5", Self.get("X-A: 1\0 2\r\n")),
        .refused("a control byte in a name", "RFC 9110 5.1", Self.get("X-\u{1}A: 1\r\n")),
        .refused("a control byte in a value", "RFC 9110 5.5", Self.get("X-A: 1\u{1}2\r\n")),
        .refused("an escape byte in a value", "RFC 9110 5.5", Self.get("X-A: \u{1B}[0m\r\n")),
        .refused("a DEL in a value", "RFC 9110 5.5", Self.get("X-A: 1\u{7F}\r\n")),
        .refused("a DEL in a name", "RFC 9110 5.1", Self.get("X-\u{7F}A: 1\r\n")),
        .refused("a high byte in a name", "RFC 9110 5.1", Self.get("X-\u{E9}A: 1\r\n")),
        .refused("a form feed before a value", "RFC 9110 5.5", Self.get("X-A:\u{C}1\r\n")),
        .passes("high bytes in a value", "RFC 9110 5.5", Self.get("X-A: caf\u{C3}\u{A9}\r\n")),
        .passes("a tab within a value", "RFC 9110 5.5", Self.get("X-A: 1\t2\r\n")),
        .passes("space around a value", "RFC 9110 5.6.3", Self.get("X-A: \t 1 \t\r\n")),
        .passes("no space before a value", "RFC 9112 5", Self.get("X-A:1\r\n")),
        .passes("an empty value", "RFC 9110 5.5", Self.get("X-A:\r\n")),
        .passes("a value of spaces", "RFC 9110 5.5", Self.get("X-A:   \r\n")),
        .passes(
            "every token character in a name",
            "RFC 9110 5.6.2",
            Self.get("!#$%&'*+-.^_`|~9aZ: 1\r\n")
        ),
    ]

    private static func host(_ lines: String, target: String = "/refused") -> String {
        "GET \(target) HTTP/1.1\r\n\(lines)\r\n"
    }

    private static let hosts: [MalformedRequest] = [
        .refused("two equal Hosts", "RFC 9112 3.2", Self.host("Host: gate\r\nHost: gate\r\n")),
        .refused("two different Hosts", "RFC 9112 3.2", Self.host("Host: gate\r\nhost: evil\r\n")),
        .refused("no Host", "RFC 9112 3.2", Self.host("X-A: 1\r\n")),
        .refusedOrPasses(
            "an empty Host with an authority in the target",
            "RFC 9112 3.2",
            Self.host("Host: \r\n", target: "http://gate/refused")
        ),
        .refusedOrPasses("an empty Host", "RFC 9112 3.2", Self.host("Host:\r\n")),
        .refused("a space in Host", "RFC 9112 3.2", Self.host("Host: a b\r\n")),
        .refused("a slash in Host", "RFC 9112 3.2", Self.host("Host: a/b\r\n")),
        .refused("an at sign in Host", "RFC 9112 3.2", Self.host("Host: a@b\r\n")),
        .refused("a comma in Host", "RFC 9112 3.2", Self.host("Host: a,b\r\n")),
        .refused("a query in Host", "RFC 9112 3.2", Self.host("Host: a?b\r\n")),
        .refused("a port that is no number", "RFC 9112 3.2", Self.host("Host: gate:eighty\r\n")),
        .refused("an open bracket in Host", "RFC 9112 3.2", Self.host("Host: [::1\r\n")),
        .refused("a high byte in Host", "RFC 9112 3.2", Self.host("Host: g\u{E4}te\r\n")),
        .passes("a port in Host", "RFC 9112 3.2", Self.host("Host: gate:8080\r\n")),
        .passes("an IPv6 address in Host", "RFC 9112 3.2", Self.host("Host: [::1]:80\r\n")),
        .passes("Host in upper case", "RFC 9110 5.1", Self.host("HOST: GATE\r\n")),
    ]
}
