import GateFeeds
import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Findings about routes.
struct RouteChecksTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private func findings(_ rules: String, backends: [String]? = nil) throws -> [String] {
        let source = RulesSource(name: "r.yaml", bytes: Array(rules.utf8))
        let loaded = try RulesFileLoader.load(
            [source],
            feedKinds: .all,
            gate: GateContext(backends: backends),
            now: { Self.now }
        )
        return RulesFindings(loaded, at: Self.now).all.map(\.description)
    }

    private static let route = "rules:\n- { id: a, route: { to: legcy, otherwise: refuse } }\n"

    @Test
    func `a route to an unknown backend rejects the rules`() throws {
        #expect(
            try self.findings(Self.route, backends: ["legacy"]) == [
                "r.yaml:2:12: error: there is no backend 'legcy'; did you mean 'legacy'?; if this is intended, "
                    + "add 'accept: [unknown-backend]' to the rule [unknown-backend]"
            ]
        )
        let none = try self.findings(Self.route, backends: [])
        #expect(none.count == 1 && none[0].contains("--upstream-named names none"))
        #expect(try self.findings(Self.route, backends: ["legcy"]) == [])
        #expect(try self.findings(Self.route) == [])
    }

    @Test(arguments: [
        // An earlier route includes all clients.
        (
            """
            rules:
            - { id: a, route: { to: x, otherwise: refuse } }
            - { id: b, match: { platform: ios }, route: { to: y, versions: "<4", otherwise: refuse } }
            """,
            "r.yaml:3:38: warning: the route of 'b' never selects a backend: 'a' is before it and includes its clients [dead-route]"
        ),
        // A floor denies all clients, wherever it is in the file.
        (
            """
            rules:
            - { id: a, match: { platform: ios }, route: { to: x, versions: "<3.5", otherwise: refuse } }
            - { id: b, match: { platform: ios }, minimum: "4.0", storeUrl: https://apps.apple.com/app/id1 }
            """,
            "r.yaml:2:38: warning: the route of 'a' never selects a backend: 'b' denies all of its clients [dead-route]"
        ),
    ])
    func `a route that can never apply`(rules: String, finding: String) throws {
        #expect(try self.findings(rules) == [finding])
    }

    @Test(arguments: [
        // Some clients are left for the second route.
        """
        rules:
        - { id: a, route: { to: x, versions: "<3", otherwise: refuse } }
        - { id: b, route: { to: y, versions: "<4", otherwise: refuse } }
        """,
        // The first route ends.
        """
        rules:
        - { id: a, until: 2027-06-01T00:00:00Z, route: { to: x, otherwise: refuse } }
        - { id: b, route: { to: y, otherwise: refuse } }
        """,
        // A canary is permanent.
        "rules: [{ id: a, rollout: 5, route: { to: x, otherwise: default } }]",
    ])
    func `a route that applies to some clients`(rules: String) throws {
        #expect(try self.findings(rules) == [])
    }
}
