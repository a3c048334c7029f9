import Testing

@testable import GateProxy

struct UpstreamTargetTests {
    @Test(arguments: [
        ("http://a:1", "http://a:1", "a:1"),
        ("http://a", "http://a:80", "a:80"),
        ("HTTP://a/", "http://a:80", "a:80"),
        ("http://[::1]:3000", "http://[::1]:3000", "[::1]:3000"),
        ("https://a", "https://a:443", "a:443"),
        ("https://[::1]:8443/", "https://[::1]:8443", "[::1]:8443"),
        ("h2c://a", "h2c://a:80", "a:80"),
        ("H2C://[::1]:3000/", "h2c://[::1]:3000", "[::1]:3000"),
        ("unix:/run/app.sock", "unix:/run/app.sock", "localhost"),
    ])
    func `a backend is parsed and formatted`(
        _ text: String,
        _ written: String,
        _ authority: String
    ) throws {
        let target = try #require(UpstreamTarget(text))
        #expect(target.description == written)
        #expect(target.authority == authority)
        #expect(UpstreamTarget(written) == target)
    }

    @Test(arguments: [
        "", "a:1", "ftp://a", "http://", "http:///", "http://a/b", "http://a?b", "http://u@a",
        "h2c://", "h2c://a/b", "h2://a",
        "http://a:0x1", "https://", "https://a/b", "unix:", "unix:relative", "unix://",
        "http://a b",
        "unix:/" + String(repeating: "x", count: 200),
    ])
    func `an invalid backend is rejected`(_ text: String) {
        #expect(UpstreamTarget(text) == nil)
    }

    @Test(
        arguments: [
            ("http://a", .http1, .http1, .http2), ("https://a", .negotiated, .http1, .http2),
            ("h2c://a", .http2, nil, .http2), ("unix:/a", .http1, .http1, .http2),
        ] as [(String, UpstreamProtocol?, UpstreamProtocol?, UpstreamProtocol?)]
    )
    func `the scheme determines the protocol, unless the setting does`(
        _ text: String,
        _ auto: UpstreamProtocol?,
        _ http1: UpstreamProtocol?,
        _ http2: UpstreamProtocol?
    ) throws {
        let target = try #require(UpstreamTarget(text))
        #expect(target.speaking(.auto)?.speaks == auto)
        #expect(target.speaking(.http1)?.speaks == http1)
        #expect(target.speaking(.http2)?.speaks == http2)
    }

    @Test(arguments: [
        ("a.example", true), ("a", true), ("_x-1.y", true), ("", false),
        ("192.0.2.1", false), ("2001:db8::1", false), ("a b", false), ("é", false), ("a/b", false),
        (String(repeating: "x", count: 254), false),
    ])
    func `only a host name can be verified`(_ name: String, _ isName: Bool) {
        #expect(UpstreamTLS.isServerName(name) == isName)
    }

    @Test(arguments: [
        ("http://a", ["http://a:80"]),
        ("http://a,http://b:2", ["http://a:80", "http://b:2"]),
        ("http://a, unix:/b", ["http://a:80", "unix:/b"]),
    ])
    func `several backends are separated by commas`(_ text: String, _ written: [String]) throws {
        #expect(try #require(UpstreamTarget.list(text)).map(\.description) == written)
    }

    @Test(arguments: ["", ",", "http://a,", ",http://a", "http://a,b", "http://a http://b"])
    func `an invalid list of backends is rejected`(_ text: String) {
        #expect(UpstreamTarget.list(text) == nil)
    }
}
