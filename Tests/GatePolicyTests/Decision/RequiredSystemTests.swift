import Testing

@testable import GatePolicy

@Suite struct RequiredSystemTests {
    static let systems: [(String?, Bool)] = [
        ("15.8", true), ("16", false), ("17.1", false), ("14.2", false), ("14", false),
        (nil, false),
    ]

    @Test(arguments: systems)
    func `a device that cannot run the update gets no recommendation to update`(
        system: String?,
        isTooOld: Bool
    ) throws {
        let ranges = [">=16", "14.x"]
        let rules = ruleSet([
            try rule("r", minimum: "2", recommended: "4", requiresOS: ranges)
        ])
        let denied = rules.decide(try client(version: "1", osVersion: system), at: second(0))
        #expect(denied.kind == .require)
        #expect(denied.upgrade.cannotUpdate == isTooOld)
        let recommended = rules.decide(try client(version: "3", osVersion: system), at: second(0))
        #expect(recommended.kind == (isTooOld ? .allow : .recommend))
        #expect(recommended.reason == (isTooOld ? .passes : .belowRecommended))
        #expect(!recommended.upgrade.cannotUpdate)
        let warning = RuleSchedule(warnFrom: second(0), enforceFrom: second(9))
        let warned = ruleSet([
            try rule("r", minimum: "2", schedule: warning, requiresOS: ranges)
        ]).decide(try client(version: "1", osVersion: system), at: second(0))
        #expect(warned.warning?.enforcedFrom == second(9))
        #expect(warned.upgrade.cannotUpdate == isTooOld)
    }

    @Test func `an unparsable OS version does not prevent the update`() throws {
        var identity = try client(version: "1")
        identity.osVersion = .unreadable("x")
        let rules = ruleSet([try rule("r", minimum: "2", requiresOS: [">=16"])])
        let decision = rules.decide(identity, at: second(0))
        #expect(decision.kind == .require)
        #expect(!decision.upgrade.cannotUpdate)
        #expect(decision.gap == nil)
    }

    @Test func `another rule still recommends`() throws {
        let rules = ruleSet([
            try rule("new", recommended: "4", requiresOS: [">=16"]),
            try rule("old", recommended: "2"),
        ])
        let decision = rules.decide(try client(version: "1", osVersion: "15"), at: second(0))
        #expect(decision.ruleID == "old")
        #expect(!decision.upgrade.cannotUpdate)
    }
}
