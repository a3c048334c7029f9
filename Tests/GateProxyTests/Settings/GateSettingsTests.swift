import Testing

@testable import GateProxy

struct GateSettingsTests {
    @Test(
        arguments: [
            ("a:80", nil, "a", 80), ("a:0", nil, "a", 0), ("a:65535", nil, "a", 65535),
            ("127.0.0.1:8080", 1, "127.0.0.1", 8080), ("a", 81, "a", 81),
            ("[::1]:80", nil, "::1", 80),
            ("[::1]", 81, "::1", 81), ("[fd00::2]:1", nil, "fd00::2", 1),
        ] as [(String, Int?, String, Int)]
    )
    func `an endpoint is a host and a port`(
        _ text: String,
        _ defaultPort: Int?,
        _ host: String,
        _ port: Int
    ) {
        #expect(Endpoint(text, defaultPort: defaultPort) == Endpoint(host: host, port: port))
    }

    @Test(arguments: [
        "", ":80", "a:", "a:b", "a:-1", "a:65536", "a:8 0", "a: 80", "a:80/", "http://a:80",
        "a/b:80",
        "u@a:80", "a b:80", "[]:80", "[::1:80", "[::1", "é:80", "a:99999999999999999999",
        "::1", "fd00::1:80", "[::1]x:80", "[::1]80", "a]:80", "a:+80", "a:-0",
    ])
    func `an invalid endpoint is rejected`(_ text: String) {
        #expect(Endpoint(text) == nil)
    }

    @Test func `a port is required without a default`() {
        #expect(Endpoint("a") == nil)
        #expect(Endpoint("[::1]") == nil)
        #expect(Endpoint("a:", defaultPort: 80) == nil)
    }

    @Test(arguments: [("a:80"), ("[::1]:80"), ("127.0.0.1:1")])
    func `the description of an endpoint is parsed as the endpoint`(_ text: String) throws {
        #expect(try #require(Endpoint(text)).description == text)
    }
}
