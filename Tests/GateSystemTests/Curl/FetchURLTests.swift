import Testing

@testable import GateSystem

struct FetchURLTests {
    @Test(arguments: [
        ("https://example.com/rules.yaml", "https://example.com/rules.yaml"),
        ("HTTPS://Example.COM:443/a%20b", "https://example.com/a%20b"),
        ("https://example.com:8443", "https://example.com:8443/"),
        ("https://example.com/a/../b", "https://example.com/b"),
        ("https://example.com/a?key=secret#part", "https://example.com/a"),
        ("http://localhost:9000/x", "http://localhost:9000/x"),
        ("http://127.0.0.1/x", "http://127.0.0.1/x"),
        ("http://127.1/x", "http://127.0.0.1/x"),
        ("http://[::1]:1/x", "http://[::1]:1/x"),
    ])
    func `the description contains no secrets`(text: String, shown: String) throws {
        #expect(try FetchURL(parsing: text).description == shown)
    }

    @Test(arguments: [
        ("", FetchURL.Failure.malformed), ("example.com/rules.yaml", .malformed),
        ("https://", .malformed), ("https://exa mple.com/", .malformed),
        ("https://example.com/\r\nX: y", .malformed), ("https://example.com:99999/", .malformed),
        ("ftp://example.com/", .unsupportedScheme), ("file:///etc/passwd", .malformed),
        ("javascript://x/", .unsupportedScheme),
        ("http://example.com/", .plainText), ("http://localhost.example.com/", .plainText),
        ("http://127.0.0.1.example.com/", .plainText), ("http://10.0.0.1/", .plainText),
        ("http://0.0.0.0/", .plainText), ("http://[::2]/", .plainText),
        ("https://user@example.com/", .credentials), ("https://u:p@example.com/", .credentials),
        ("http://127.0.0.1@example.com/", .credentials),
    ])
    func `only https, or http to loopback addresses, is accepted`(
        text: String,
        failure: FetchURL.Failure
    ) {
        #expect(throws: failure) { try FetchURL(parsing: text) }
    }

    @Test(arguments: [
        ("/other", "https://example.com/other"), ("other?x=1", "https://example.com/a/other?x=1"),
        ("//else.example/x", "https://else.example/x"),
        ("https://else.example:444/", "https://else.example:444/"),
        ("?y", "https://example.com/a/b?y"),
    ])
    func `a location is resolved relative to the URL`(
        location: String,
        resolved: String
    ) throws {
        let url = try FetchURL(parsing: "https://example.com/a/b?z=1")
        #expect(try url.resolving(location).text == resolved)
    }

    @Test(arguments: ["http://example.com/", "ftp://example.com/", "https://u@example.com/"])
    func `a resolved location is validated like any URL`(location: String) throws {
        let url = try FetchURL(parsing: "https://example.com/")
        #expect(throws: FetchURL.Failure.self) { try url.resolving(location) }
    }

    @Test(arguments: [
        ("https://example.com/a", "https://example.com/a?auth=a%26b%3d+%c3%a9"),
        ("https://example.com/a?ns=db", "https://example.com/a?ns=db&auth=a%26b%3d+%c3%a9"),
    ])
    func `a query parameter is added with percent-encoding`(text: String, whole: String) throws {
        let url = try FetchURL(parsing: text).appending(query: "auth", "a&b= é")
        #expect(url.text.lowercased() == whole)
    }
}
