import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// The denial that replaces a route, pasted into its rule.
struct RouteRefusalTests {
    private static let today: Int64 = 20_833
    private static let now = Timestamp(secondsSinceEpoch: Self.today * 86_400 + 43_200)

    private static func text(_ route: String, _ more: String = "") -> String {
        """
        rules:
        - id: old
          match: { platform: ios }
          route: { to: legacy, \(route) otherwise: refuse }
        \(more)
        """
    }

    private static func load(_ text: String) throws -> LoadedRules {
        try RulesFileLoader.load(sources: [("r.yaml", text)], now: { Self.now })
    }

    private static func rule(_ route: String, _ more: String = "") throws -> RuleDefinition {
        try #require(try self.load(self.text(route, more)).definition.rules.first)
    }

    @Test(arguments: [
        ("versions: \"<4.0.0\",", ["minimum: \"4.0.0\""], "3.9", "4.0"),
        ("versions: \"3.8.x\",", ["blocked: [\"3.8.x\"]"], "3.8.1", "3.9"),
        ("versions: [\"<2\", \">=3 <3.5\"],", ["blocked: [\"<2\", \">=3 <3.5\"]"], "3.2", "2.5"),
        ("builds: \"<=40\",", ["blockedBuilds: [\"<=40\"]"], "40", "41"),
        (
            "versions: \"3.x\", builds: [\"<=40\", \">70\"],",
            ["{ version: \"3.x\", build: \"<=40\" }", "{ version: \"3.x\", build: \">70\" }"],
            "3.1/71", "3.1/50"
        ),
    ])
    func `the pasted line denies the clients that the route selects`(
        route: String,
        parts: [String],
        selected: String,
        other: String
    ) throws {
        let rule = try Self.rule(route)
        let refusal = try RouteRefusal(of: rule, at: Self.now, from: Self.today + 20)
        for part in parts { #expect(refusal.text.contains(part), "\(refusal.text)") }
        #expect(refusal.needsStoreURL)
        #expect(refusal.enforceFrom == Timestamp(secondsSinceEpoch: (Self.today + 20) * 86_400))
        let loaded = try Self.load(Self.text(route, "  \(refusal.text)"))
        let findings = RulesFindings(loaded, at: Self.now).all
        #expect(findings.map(\.name) == [.placeholderLink])
        func decide(_ text: String, at now: Timestamp) throws -> Decision {
            let parts = text.split(separator: "/").map(String.init)
            let isBuild = !text.contains(".")
            var client = ClientIdentity(platform: .stated(.ios))
            if !isBuild { client.version = .stated(try AppVersion(parsing: parts[0])) }
            if isBuild || parts.count > 1 {
                client.build = .stated(try BuildNumber(parsing: parts[parts.count - 1]))
            }
            let ruleSet = loaded.ruleSet
            let scope = ruleSet.scope { _ in false }
            return ruleSet.decide(client, in: scope, at: now, address: nil)
        }
        let start = refusal.enforceFrom
        // Today, the route applies; from the next week on, clients are warned; then they are denied.
        #expect(try decide(selected, at: Self.now).route?.backend == "legacy")
        #expect(try decide(selected, at: Self.now).kind == .allow)
        #expect(try decide(selected, at: start.advanced(by: -86_400)).kind == .recommend)
        #expect(try decide(selected, at: start.advanced(by: -86_400)).route != nil)
        #expect(try decide(selected, at: start).kind == .require)
        #expect(try decide(selected, at: start).route == nil)
        for time in [Self.now, start] {
            #expect(try decide(other, at: time).kind == .allow)
            #expect(try decide(other, at: time).route == nil)
        }
    }

    @Test func `a denial leaves two weeks for warnings`() throws {
        let rule = try Self.rule("versions: \"<4\",")
        let soon = try RouteRefusal(of: rule, at: Self.now, from: Self.today)
        #expect(
            soon.text == """
                next: { minimum: "4", warnFrom: 2027-01-16T00:00:00Z, enforceFrom: 2027-01-30T00:00:00Z, \
                storeUrl: "https://apps.apple.com/app/id0000000000" }
                """
        )
        let later = try RouteRefusal(of: rule, at: Self.now, from: Self.today + 100)
        #expect(later.enforceFrom == Timestamp(secondsSinceEpoch: (Self.today + 100) * 86_400))
    }

    @Test(arguments: [
        ("", "", RouteRefusal.Obstacle.everyVersion),
        ("versions: \"<4\",", "  mode: observe", .notEnforced),
        ("versions: \"<4\",", "  rollout: 5", .rollout),
        (
            "versions: \"<4\",",
            "  next: { minimum: \"4\", enforceFrom: 2028-01-01T00:00:00Z, storeUrl: \"https://a\" }",
            .isPlanned
        ),
        (
            "versions: \"<4\",", "  until: 2027-01-20T00:00:00Z",
            .ends(Timestamp(secondsSinceEpoch: 1_800_403_200))
        ),
    ])
    func `a route without a denial has a reason`(
        route: String,
        more: String,
        obstacle: RouteRefusal.Obstacle
    ) throws {
        let rule = try Self.rule(route, more)
        #expect(throws: obstacle) {
            try RouteRefusal(of: rule, at: Self.now, from: Self.today)
        }
    }
}
