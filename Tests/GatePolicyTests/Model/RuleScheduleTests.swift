import GateTestSupport
import Testing

@testable import GatePolicy

@Suite struct RuleScheduleTests {
    typealias Kind = Decision.Kind

    struct Story: CustomTestStringConvertible {
        let testDescription: String
        let schedule: RuleSchedule
        /// The seconds at which the decision for a client below the floor changes, and the new
        /// decision.
        let chapters: [(Int64, Kind)]

        init(_ name: String, _ schedule: RuleSchedule, _ chapters: [(Int64, Kind)]) {
            self.testDescription = name
            self.schedule = schedule
            self.chapters = chapters
        }
    }

    static let stories = [
        Story("always", .always, [(-9, .require)]),
        Story(
            "warned, enforced, ended",
            RuleSchedule(warnFrom: second(10), enforceFrom: second(20), until: second(30)),
            [(-9, .allow), (10, .recommend), (20, .require), (30, .allow)]
        ),
        Story(
            "enforced from a date",
            RuleSchedule(enforceFrom: second(20)),
            [(-9, .allow), (20, .require)]
        ),
        Story(
            "warned without an end",
            RuleSchedule(warnFrom: second(10)),
            [(-9, .allow), (10, .recommend)]
        ),
        Story(
            "active until a date",
            RuleSchedule(until: second(5)),
            [(-9, .require), (5, .allow)]
        ),
        Story(
            "ended before it is enforced",
            RuleSchedule(warnFrom: second(3), enforceFrom: second(9), until: second(7)),
            [(-9, .allow), (3, .recommend), (7, .allow)]
        ),
        Story(
            "enforced before the warning",
            RuleSchedule(warnFrom: second(9), enforceFrom: second(3)),
            [(-9, .allow), (3, .require)]
        ),
        Story(
            "all dates equal",
            RuleSchedule(warnFrom: second(3), enforceFrom: second(3), until: second(4)),
            [(-9, .allow), (3, .require), (4, .allow)]
        ),
    ]

    @Test(arguments: stories, [RuleMode.enforce, .observe])
    func `a rule changes at the exact second`(story: Story, mode: RuleMode) throws {
        let floors = [
            try rule("r", minimum: "4", mode: mode, schedule: story.schedule),
            try rule("r", minimumBuild: 100, mode: mode, schedule: story.schedule),
            try rule("r", blocked: ["3.x"], mode: mode, schedule: story.schedule),
        ]
        let old = try client(version: "3", build: 99)
        for floor in floors {
            let rules = ruleSet([floor])
            for number in Int64(-5)...35 {
                let decision = rules.decide(old, at: second(number))
                let expected = story.chapters.last { $0.0 <= number }?.1
                switch mode {
                case .enforce:
                    #expect(decision.kind == expected, "second \(number)")
                case .observe:
                    #expect(decision.kind == .allow)
                    #expect(rules.hint(for: decision).isEmpty)
                    #expect(decision.observed.first?.kind ?? .allow == expected)
                }
            }
        }
    }

    @Test func `a recommendation lasts until the end of the rule`() throws {
        let schedule = RuleSchedule(
            warnFrom: second(10),
            enforceFrom: second(20),
            until: second(30)
        )
        let rules = ruleSet([try rule("r", minimum: "3", recommended: "4", schedule: schedule)])
        let between = try client(version: "3.5")
        for number in Int64(0)..<30 {
            let decision = rules.decide(between, at: second(number))
            #expect(decision.reason == .belowRecommended)
            #expect(decision.warning == nil)
        }
        #expect(rules.decide(between, at: second(30)).reason == .noRuleApplies)
    }

    @Test func `a reason contains the future requirement and its date`() throws {
        let day = try time("2027-01-10T00:00:00Z")
        let reasons: [(Decision.Reason, String)] = [
            (
                .warned(.belowMinimum, requiredFrom: day),
                "the version is below the minimum, but the rule only warns until "
                    + "2027-01-10T00:00:00Z"
            ),
            (
                .warned(.belowMinimumBuild, requiredFrom: nil),
                "the build is below the minimum, but the rule only warns"
            ),
            (.maintenance(until: day), "maintenance is in progress until 2027-01-10T00:00:00Z"),
        ]
        for (reason, text) in reasons { #expect(reason.description == text) }
        let schedule = RuleSchedule(warnFrom: second(0), enforceFrom: second(9))
        let rules = ruleSet([try rule("r", minimum: "4", schedule: schedule)])
        #expect(
            rules.decide(try client(version: "3"), at: second(0)).reason
                == .warned(.belowMinimum, requiredFrom: second(9))
        )
    }

    @Test func `a rule has no gaps before it is active`() throws {
        let match = RuleMatch(apps: ["a"])
        let rules = ruleSet(
            [
                try rule(
                    "r",
                    match: match,
                    minimumBuild: 5,
                    schedule: RuleSchedule(enforceFrom: second(10), until: second(20))
                )
            ],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let nameless = try client(version: "3")
        let buildless = try client(app: "a", version: "3")
        for number in Int64(5)...25 {
            let isInForce = (10..<20).contains(number)
            for identity in [nameless, buildless] {
                let decision = rules.decide(identity, at: second(number))
                #expect(decision.kind == (isInForce ? .require : .allow))
                #expect((decision.gap != nil) == isInForce)
            }
        }
    }

    @Test func `the earliest of several enforcement dates is announced, in any order`() throws {
        func warning(_ id: String, _ enforceFrom: Int64?) throws -> RuleDefinition {
            let schedule = RuleSchedule(warnFrom: second(0), enforceFrom: enforceFrom.map(second))
            return try rule(id, minimum: "4", schedule: schedule)
        }
        let rules = [
            try rule("recommends", recommended: "5"), try warning("never", nil),
            try warning("late", 90), try warning("soon", 50),
        ]
        let old = try client(version: "3")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let decision = ruleSet(rules.shuffled(using: &random)).decide(old, at: second(1))
            #expect(decision.ruleID == "soon")
            #expect(decision.warning == .init(since: second(0), enforcedFrom: second(50)))
        }
    }
}
