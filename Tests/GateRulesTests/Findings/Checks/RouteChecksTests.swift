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

    /// Returns the names of the findings that need a census, after a reload.
    private func reload(
        _ old: String,
        _ new: String,
        _ versions: [(version: String?, devices: Int)],
        areIdentified: Bool = true
    ) throws -> [String] {
        func load(_ text: String) throws -> LoadedRules {
            try RulesFileLoader.load(
                sources: [("r.yaml", "rules:\n\(text)")],
                now: { GuardCheckTests.now }
            )
        }
        let findings = RulesFindings(
            try load(new),
            against: try load(old),
            census: try GuardCheckTests.census(versions, areIdentified: areIdentified),
            at: GuardCheckTests.now
        )
        return findings.all.map(\.description)
    }

    private static func rule(_ more: String) -> String {
        "- { id: a, match: { platform: ios }, \(more) }"
    }

    @Test(
        arguments: [
            ("route: { to: x, versions: \"<2\", otherwise: refuse }", 40, true),
            ("route: { to: x, versions: \"<2\", otherwise: refuse }", 9, false),
            ("route: { to: x, versions: \"<3\", otherwise: refuse }", 40, false),
            ("mode: observe, route: { to: x, versions: \"<2\", otherwise: refuse }", 40, false),
            (
                "enforceFrom: 2027-06-01T00:00:00Z, route: { to: x, versions: \"<2\", otherwise: refuse }",
                40, false
            ),
            (
                "enforceFrom: 2026-06-01T00:00:00Z, route: { to: x, versions: \"<2\", otherwise: refuse }",
                40, true
            ),
            ("rollout: 5, route: { to: x, versions: \"<2\", otherwise: refuse }", 40, true),
        ],
        [true, false]
    )
    func `a route in force that no client uses`(
        scene: (more: String, devices: Int, isFound: Bool),
        areIdentified: Bool
    ) throws {
        let rule = Self.rule(scene.more)
        let found = try self.reload(
            "- { id: z, match: { platform: web }, route: { to: x, otherwise: refuse } }",
            rule,
            [("2.5", scene.devices), ("4.0", scene.devices)],
            areIdentified: areIdentified
        )
        let noun = areIdentified ? "devices" : "requests"
        let message =
            "note: the route of 'a' was used by none of the \(scene.devices * 2) \(noun) seen in "
            + "the last day [unused-route]"
        let unused = found.filter { $0.hasSuffix("[unused-route]") }
        #expect(unused.count == (scene.isFound ? 1 : 0))
        #expect(unused.allSatisfy { $0.hasPrefix("r.yaml:2:") && $0.hasSuffix(message) })
    }

    @Test func `guard never rejects a change of routes`() throws {
        let census: [(version: String?, devices: Int)] = [("2.5", 400), ("4.0", 600)]
        let routes = [
            "- { id: z, match: { platform: web }, route: { to: x, otherwise: refuse } }",
            Self.rule("route: { to: x, otherwise: refuse }"),
            Self.rule("route: { to: y, versions: \"<3\", otherwise: refuse }"),
        ]
        for (old, new) in routes.flatMap({ old in routes.map { (old, $0) } }) {
            let found = try self.reload(old, new, census)
            #expect(!found.contains { $0.contains("[guard]") || $0.contains("[laxer]") })
        }
        // A denial instead of the route is a change that 'guard' limits.
        let floor = Self.rule("minimum: \"3\", storeUrl: \"https://apps.apple.com/app/id1\"")
        let found = try self.reload(routes[2], floor, census)
        #expect(found.contains { $0.contains("error") && $0.hasSuffix("[guard]") })
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
        #expect(none.count == 1)
        #expect(none.first?.contains("no backend is configured with --upstream-named") == true)
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
            "r.yaml:3:38: warning: the route of 'b' never selects a backend: the earlier route of 'a' includes all of its clients [dead-route]"
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
