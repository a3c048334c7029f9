import GatePolicy
import GateWire
import Testing
import WireSamples

@testable import GateProxy

/// Clients of two stores, which never share a held rule's verdict, even if they are otherwise equal.
struct StorefrontVerdictTests {
    private static func rules() throws -> WorkerRules {
        var identity = IdentitySources.defaults
        identity.headers[.country] = ["cf-ipcountry"]
        identity.query[.storefront] = "store"
        let rule = RuleDefinition(
            id: "floor",
            match: RuleMatch(platforms: [.ios]),
            minimum: try AppVersion(parsing: "2"),
            holdUntilInStore: StoreHold()
        )
        let release = Release(
            platform: .ios,
            version: try AppVersion(parsing: "2"),
            countries: ["kr": nil],
            storeCountries: ["jp", "kr"]
        )
        return WorkerRules(
            RuleSet(
                RuleSetDefinition(
                    revision: "1",
                    identity: identity,
                    rules: [rule],
                    releases: [release]
                )
            ),
            cacheCapacity: 100
        )
    }

    private static let clients: [(target: String, fields: [String], kind: Decision.Kind)] = [
        ("/", ["X-App-Storefront: KOR"], .require), ("/", ["X-App-Storefront: JPN"], .allow),
        ("/", [], .allow), ("/", ["Accept-Language: ko-KR"], .allow),
        ("/", ["CF-IPCountry: KR"], .require), ("/", ["CF-IPCountry: JP"], .allow),
        ("/", ["CF-IPCountry: KR", "X-App-Storefront: JPN"], .allow),
        ("/", ["CF-IPCountry: JP", "X-App-Storefront: KOR"], .require),
        ("/", ["X-App-Storefront: KOR", "X-App-Storefront: JPN"], .allow),
        ("/?store=KOR", [], .require), ("/?store=JPN", [], .allow), ("/?store=kr", [], .require),
    ]

    @Test func `each client is evaluated with its own store, in any order and from the cache`()
        throws
    {
        let rules = try Self.rules()
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        for client in Self.clients + Self.clients.reversed() + Self.clients {
            let isQuery = client.target.contains("?")
            let upgrade = isQuery ? ["Connection: Upgrade", "Upgrade: websocket"] : []
            let text = wire(
                ["GET \(client.target) HTTP/1.1", "Host: a", "X-App-Platform: ios"]
                    + ["X-App-Version: 1"] + upgrade + client.fields
            )
            let verdict = try rules.verdict(on: text, parser: &parser, last: &last)
            #expect(verdict.decision.kind == client.kind, "\(client)")
        }
    }
}
