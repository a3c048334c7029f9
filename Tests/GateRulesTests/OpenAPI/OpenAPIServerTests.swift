import Testing

@testable import GateRules

/// The base paths in server URLs.
@Suite struct OpenAPIServerTests {
    private static let open = OpenAPIServer.Variable(values: ["v1"])
    private static let closed = OpenAPIServer.Variable(values: ["v1", "v2"], isClosed: true)

    private static func server(_ url: String) -> OpenAPIServer {
        OpenAPIServer(
            url: url,
            [
                "open": Self.open, "closed": Self.closed,
                "base": .init(values: ["/sell/v1"]), "scheme": .init(values: ["https"]),
                "port": .init(values: ["443", "8443"], isClosed: true),
                "region": .init(values: (0..<400).map { "region-\($0)" }, isClosed: true),
                "many": .init(values: (0..<400).map { "m\($0)" }, isClosed: true),
                "whole": .init(values: ["https://api.example.com/v3"]),
                "empty": .init(values: [""]),
                "query": .init(values: ["v1?x=1"]),
            ]
        )
    }

    @Test(arguments: [
        ("https://api.example.com", [""]), ("https://api.example.com/", [""]),
        ("https://api.example.com/v1", ["/v1"]), ("https://api.example.com/v1/", ["/v1"]),
        ("https://api.example.com/v1//", ["/v1"]), ("//api.example.com/v1", ["/v1"]),
        ("//api.example.com", [""]), ("/", [""]), ("", [""]), (".", [""]), ("./", [""]),
        ("/v1", ["/v1"]), ("v1", ["/v1"]), ("./v1", ["/v1"]), ("../v1", ["/v1"]), ("../", [""]),
        ("/a/../v1", ["/v1"]), ("https://api.example.com/a/./b/../v1", ["/a/v1"]),
        ("https://api.example.com/v1?x=1", ["/v1"]), ("https://api.example.com/v1#top", ["/v1"]),
        ("https://api.example.com?x=/v2", [""]), ("https://user:pass@api.example.com/v1", ["/v1"]),
        ("https://api.example.com:8443/v1", ["/v1"]), ("https://[2001:db8::1]:8443/v1", ["/v1"]),
        ("http://[::1]", [""]), ("HTTPS://api.example.com/v1", ["/v1"]), ("wss://h/v1", ["/v1"]),
        ("api.example.com/v1", ["/api.example.com/v1", "/v1"]),
        ("api.example.com:8080/v1", ["/api.example.com:8080/v1", "/v1"]),
        ("localhost:8080/v1", ["/localhost:8080/v1", "/v1"]), ("v1.0/x", ["/v1.0/x"]),
        ("https://api.example.com/caf%C3%A9", ["/caf%C3%A9"]), (" https://h/v1 ", ["/v1"]),
    ])
    func `a server URL has a base path`(url: String, bases: [String]) {
        #expect(Self.server(url).bases == bases)
    }

    @Test(arguments: [
        ("https://api.example.com{base}", ["/sell/v1"]),
        ("{scheme}://api.example.com/{open}", ["/v1"]),
        ("{scheme}://api.example.com/{closed}", ["/v1", "/v2"]), ("{whole}", ["/v3"]),
        ("{whole}/x", ["/v3/x"]),
        ("https://api.example.com:{port}/{closed}/x", ["/v1/x", "/v2/x"]),
        ("https://{region}.example.com/v1", ["/v1"]),
        ("https://api.{region}.example.com:{port}", [""]),
        ("https://api.example.com/{closed}/{closed}", ["/v1/v1", "/v2/v2"]),
        ("https://api.example.com/{empty}", [""]), ("https://api.example.com/{empty}/v1", ["/v1"]),
        ("https://api.example.com/{query}", ["/v1"]), ("//{region}/v1", ["/v1"]),
        ("{base}", ["/sell/v1"]), ("/{closed}", ["/v1", "/v2"]), ("https://{nobody}/v1", ["/v1"]),
        ("https://{nobody}.example.com:{other}/v1", ["/v1"]),
        ("https://api.example.com/{nobody}/v1", ["/{+nobody}/v1"]),
        ("https://api.example.com{nobody}", ["/{+nobody}"]),
        ("https://api.example.com:{port}{nobody}", ["/{+nobody}"]),
        ("{nobody}/v1", ["/{+nobody}/v1"]),
        ("https://api.example.com/v{nobody}", ["/v{+nobody}"]),
        ("https://api.example.com/{many}/x", ["/{+many}/x"]),
    ])
    func `variables have their allowed values or their default`(url: String, bases: [String]) {
        #expect(Self.server(url).bases == bases)
    }

    @Test(arguments: [
        ("https://api.example.com/{open}", ["/{+open}"]), ("https://api.example.com/{closed}", []),
        ("https://api.example.com{base}", ["/{+base}"]), ("https://{open}.example.com/v1", []),
        ("{scheme}://api.example.com/v1", []), ("v1", ["/{+folder}/v1"]), ("", ["/{+folder}"]),
        ("../v1", ["/{+folder}/v1"]), ("/v1", []), ("https://api.example.com/v1", []),
    ])
    func `variables with arbitrary values permit other base paths`(url: String, bases: [String]) {
        #expect(Self.server(url).otherBases == bases)
    }
}
