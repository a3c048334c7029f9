import GateTestSupport
import Testing

@testable import GatePolicy

@Suite(.ownThread)
struct ClientStatusTests {
    static func clientStatus(
        _ rules: [RuleDefinition],
        _ identity: ClientIdentity,
        at now: Int64 = 0,
        releases: [Release] = [],
        target: String = "/"
    ) -> ClientStatus {
        let rules = ruleSet(rules, releases: releases)
        return rules.clientStatus(
            of: identity,
            in: rules.scope("GET", target),
            at: second(now),
            address: nil
        )
    }

    @Test func `the status of an allowed client has the highest enforced floors`() throws {
        let a = StoreURL("https://a.example")
        let b = StoreURL("https://b.example")
        let rules = [
            try rule("low", minimum: "2", minimumBuild: 30, recommended: "8", storeURL: a),
            try rule("high", minimum: "3", minimumBuild: 20, recommended: "7", storeURL: b),
            try rule("watch", minimum: "99", recommended: "99", mode: .observe),
            try rule("other", match: RuleMatch(platforms: [.android]), minimum: "98"),
            try rule("unsure", match: RuleMatch(apps: ["a"]), minimum: "97"),
            try rule("later", minimum: "96", schedule: RuleSchedule(enforceFrom: second(9))),
            try rule("held", minimum: "95", recommended: "95", holdUntilInStore: StoreHold()),
            try rule("over", recommended: "94", schedule: RuleSchedule(until: second(0))),
            try rule("device", recommended: "93", requiresOS: [">=16"]),
        ]
        let identity = try client(version: "9", build: 40, osVersion: "15")
        let status = Self.clientStatus(rules, identity)
        #expect(status.decision.kind == .allow)
        #expect(status.minimum == (try version("3")))
        #expect(status.minimumBuild == 30)
        #expect(status.latest == (try version("8")))
        #expect(status.storeURL == "https://b.example")
        #expect(status.decision.validUntil == second(9))
        #expect(Self.clientStatus(rules, identity, at: 9).minimum == (try version("96")))
    }

    @Test func `the store URL is from the decision, the minimum or the latest version`() throws {
        func link(_ name: String) -> StoreURL { StoreURL("https://\(name).example") }
        let floor = try rule("m", minimum: "1", storeURL: link("minimum"))
        let builds = try rule("b", minimumBuild: 1, storeURL: link("build"))
        let latest = try rule("l", recommended: "4", storeURL: link("latest"))
        let passing = try client(version: "9", build: 9)
        let old = try client(version: "3", build: 9)
        let cases: [([RuleDefinition], ClientIdentity, String?)] = [
            ([latest, floor, builds], passing, "https://minimum.example"),
            ([latest, builds], passing, "https://build.example"),
            ([latest], passing, "https://latest.example"),
            ([floor, latest], old, "https://latest.example"),
            ([try rule("m", minimum: "1"), latest], passing, "https://latest.example"),
            ([], passing, nil),
        ]
        for (rules, identity, url) in cases {
            #expect(Self.clientStatus(rules, identity).storeURL == url)
        }
    }

    @Test func `the latest version can be the store version`() throws {
        let rules = [try rule("s", minimum: "1", recommendsStoreVersion: true)]
        let releases = [
            try release("5", storeURL: "https://five.example"), try release("6", at: second(9)),
        ]
        let status = Self.clientStatus(rules, try client(version: "9"), releases: releases)
        #expect(status.latest == (try version("5")))
        #expect(status.storeURL == "https://five.example")
        let later = Self.clientStatus(rules, try client(version: "9"), at: 9, releases: releases)
        #expect(later.latest == (try version("6")))
    }

    @Test func `the status of an exempt request has no floors`() throws {
        let rules = ruleSet(
            [try rule("m", minimum: "1")],
            exemptions: [try RequestPattern(path: "/x", methods: nil)]
        )
        let status = rules.clientStatus(
            of: try client(version: "3"),
            in: rules.scope("GET", "/x"),
            at: second(0),
            address: nil
        )
        #expect(status == ClientStatus(decision: Decision(kind: .allow, reason: .exempt)))
    }

    @Test(arguments: UInt64(1)...10)
    func `a status is valid until its decision or floors change`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        var changes = 0
        for _ in 0..<30 {
            let rules = ruleSet(try draw.rules(4), releases: try draw.releases(6))
            let identity = try draw.identity()
            let statuses = (Int64(-1)...25).map {
                rules.clientStatus(of: identity, in: rules.scope(), at: second($0), address: nil)
            }
            for (index, status) in statuses.enumerated() {
                #expect(status.decision == rules.decide(identity, at: second(Int64(index) - 1)))
                for (later, other) in statuses.enumerated().dropFirst(index + 1) {
                    let end = status.decision.validUntil
                    guard end.map({ second(Int64(later) - 1) < $0 }) ?? true else { break }
                    #expect(other == status)
                }
            }
            changes += zip(statuses, statuses.dropFirst()).count { $0 != $1 }
        }
        #expect(changes > 20)
    }
}
