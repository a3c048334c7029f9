import GateTestSupport
import Testing

@testable import GatePolicy

@Suite(.ownThread)
struct BrownoutWindowTests {
    static let windows = [
        BrownoutWindow(from: second(20), until: second(22)),
        BrownoutWindow(from: second(30), until: second(31)),
        BrownoutWindow(from: second(31), until: second(34)),
        BrownoutWindow(from: second(45), until: second(50)),
    ]
    static let schedule = RuleSchedule(
        warnFrom: second(10),
        enforceFrom: second(50),
        until: second(60),
        brownouts: Self.windows
    )
    /// The first second of each stage, with the decision and the indexes of the running window and the next one.
    static let stages: [(first: Int64, kind: Decision.Kind, running: Int?, next: Int?)] = [
        (0, .allow, nil, nil), (10, .recommend, nil, 0), (20, .require, 0, 1),
        (22, .recommend, nil, 1), (30, .require, 1, 2), (31, .require, 2, 3),
        (34, .recommend, nil, 3), (45, .require, 3, nil), (50, .require, nil, nil),
        (60, .allow, nil, nil),
    ]

    @Test(arguments: zip(stages, stages.dropFirst().map(\.first) + [70]))
    func `a stage lasts from its first second to the next stage`(
        stage: (first: Int64, kind: Decision.Kind, running: Int?, next: Int?),
        end: Int64
    ) throws {
        let floors = [
            try rule("r", minimum: "4", schedule: Self.schedule),
            try rule("r", minimumBuild: 100, schedule: Self.schedule),
            try rule("r", blocked: ["3.x"], schedule: Self.schedule),
        ]
        let running = stage.running.map { Self.windows[$0] }
        for (floor, number) in floors.flatMap({ floor in (stage.first..<end).map { (floor, $0) } })
        {
            let old = try client(version: "3", build: 99)
            let decision = ruleSet([floor]).decide(old, at: second(number))
            #expect(decision.kind == stage.kind)
            #expect(decision.brownout == running)
            #expect(decision.warning?.nextBrownout == stage.next.map { Self.windows[$0] })
            #expect(decision.validUntil == (stage.first < 60 ? second(end) : nil))
            let isWarned = stage.kind == .recommend || running != nil
            #expect(decision.warning?.enforcedFrom == (isWarned ? second(50) : nil))
            let current = try client(version: "4", build: 100)
            #expect(ruleSet([floor]).decide(current, at: second(number)).kind == .allow)
        }
    }

    @Test func `a reason contains the requirement and the end of the brownout`() throws {
        let rules = ruleSet([try rule("r", minimum: "4", schedule: Self.schedule)])
        let reason = rules.decide(try client(version: "3"), at: second(20)).reason
        #expect(reason == .brownout(.belowMinimum, until: second(22)))
        #expect(
            reason.description
                == "the version is below the minimum, in a brownout until 2027-01-15T08:00:22Z"
        )
    }

    @Test func `a brownout affects all clients, regardless of the rollout`() throws {
        let never = [RolloutStep(percent: 0)]
        let late = [RolloutStep(at: second(55), percent: 100)]
        for rollout in [[], never, late, [RolloutStep(percent: 100)]] {
            let floor = try rule("r", minimum: "4", schedule: Self.schedule, rollout: rollout)
            for device in 0..<20 {
                let old = try client(version: "3", device: "d\(device)")
                #expect(ruleSet([floor]).decide(old, at: second(21)).kind == .require)
                #expect(ruleSet([floor]).decide(old, at: second(22)).kind == .recommend)
            }
        }
    }

    @Test func `a floor that waits for the store has no brownout`() throws {
        let floor = try rule(
            "r",
            minimum: "4",
            schedule: Self.schedule,
            holdUntilInStore: StoreHold()
        )
        let rules = ruleSet([floor], releases: [try release("4", at: second(21))])
        let old = try client(version: "3")
        let held = rules.decide(old, at: second(20))
        #expect(held.kind == .allow)
        #expect(held.brownout == nil)
        #expect(held.held == [.init(ruleID: "r", until: second(21))])
        #expect(rules.decide(old, at: second(21)).brownout == Self.windows[0])
    }

    @Test func `devices that cannot update and exempt requests are treated as usual`() throws {
        let floor = try rule("r", minimum: "4", schedule: Self.schedule, requiresOS: [">=16"])
        let path = try RequestPattern(path: "/logout", methods: nil)
        let rules = ruleSet([floor], exemptions: [path])
        let old = try client(version: "3", osVersion: "15")
        let decision = rules.decide(old, at: second(20))
        #expect(decision.brownout == Self.windows[0])
        #expect(decision.upgrade.cannotUpdate)
        let scope = rules.scope("GET", "/logout")
        let exempt = rules.decide(old, in: scope, at: second(20), address: nil)
        #expect(exempt == Decision(kind: .allow, reason: .exempt))
    }

    @Test func `an observing rule records the clients that a brownout would deny`() throws {
        let floor = try rule("r", minimum: "4", mode: .observe, schedule: Self.schedule)
        let rules = ruleSet([floor])
        let decision = rules.decide(try client(version: "3"), at: second(20))
        #expect(decision.kind == .allow)
        #expect(decision.brownout == nil)
        let reason = Decision.Reason.brownout(.belowMinimum, until: second(22))
        #expect(decision.observed == [.init(ruleID: "r", kind: .require, reason: reason)])
        let warned = rules.decide(try client(version: "3"), at: second(22))
        #expect(warned.observed.map(\.kind) == [.recommend])
        #expect(rules.hint(for: warned).isEmpty)
    }

    @Test func `a permanent requirement outranks a brownout, and a longer brownout a shorter one`()
        throws
    {
        func brownout(_ id: String, until end: Int64) throws -> RuleDefinition {
            let window = BrownoutWindow(from: second(0), until: second(end))
            let schedule = RuleSchedule(
                warnFrom: second(0),
                enforceFrom: second(90),
                brownouts: [window]
            )
            return try rule(id, minimum: "4", schedule: schedule)
        }
        let short = try brownout("short", until: 5)
        let long = try brownout("long", until: 9)
        let lasting = try rule("lasting", minimum: "4")
        let closed = try rule(
            "closed",
            maintenance: MaintenanceWindow(from: second(0), until: second(5))
        )
        let cases: [([RuleDefinition], String)] = [
            ([short, long], "long"), ([long, try brownout("same", until: 9)], "long"),
            ([short, long, lasting], "lasting"), ([lasting, short], "lasting"),
            ([lasting, try rule("other", minimum: "4"), long], "lasting"),
            ([long, lasting, closed], "closed"),
        ]
        let old = try client(version: "3")
        var random = SeededGenerator(seed: 7)
        for (rules, strictest) in cases {
            #expect(ruleSet(rules).decide(old, at: second(1)).ruleID == strictest)
            let shuffled = ruleSet(rules.shuffled(using: &random)).decide(old, at: second(1))
            #expect(shuffled.brownout == (strictest == "long" ? long.schedule.brownouts[0] : nil))
        }
    }

    @Test func `a rejection because of a permanent rule's gap is not a brownout`() throws {
        let build = try rule("build", minimumBuild: 5, storeURL: StoreURL("https://b.example"))
        let rules = ruleSet(
            [try rule("r", minimum: "4", schedule: Self.schedule), build],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(try client(version: "3"), at: second(20))
        #expect(decision.reason == .missing(.build))
        #expect(decision.ruleID == nil)
        #expect(decision.brownout == nil)
        #expect(decision.warning == nil)
        let complete = rules.decide(try client(version: "3", build: 5), at: second(20))
        #expect(complete.brownout == Self.windows[0])
    }

    @Test func `the next window of several rules is announced, in any order`() throws {
        func warning(_ id: String, _ end: Int64, _ windows: [(Int64, Int64)]) throws
            -> RuleDefinition
        {
            let schedule = RuleSchedule(
                warnFrom: second(0),
                enforceFrom: second(end),
                brownouts: windows.map {
                    BrownoutWindow(from: second($0), until: second($1))
                }
            )
            return try rule(id, minimum: "4", schedule: schedule)
        }
        let rules = [
            try warning("late", 90, [(20, 22), (40, 45)]), try warning("soon", 80, [(30, 31)]),
            try warning("none", 70, []), try warning("same", 95, [(20, 25)]),
        ]
        let old = try client(version: "3")
        var random = SeededGenerator(seed: 9)
        for _ in 0..<10 {
            let rules = ruleSet(rules.shuffled(using: &random))
            let decision = rules.decide(old, at: second(1))
            #expect(decision.ruleID == "none")
            let next = BrownoutWindow(from: second(20), until: second(25))
            #expect(decision.warning?.nextBrownout == next)
            #expect(decision.warning?.enforcedFrom == second(70))
            let after = rules.decide(old, at: second(26)).warning?.nextBrownout
            #expect(after == BrownoutWindow(from: second(30), until: second(31)))
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `outside of its windows, a rule decides as it would without windows`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        var brownouts = 0
        for _ in 0..<40 {
            let rules = try draw.announcers(3) + draw.rules(1)
            let plain = rules.map { rule in
                var rule = rule
                rule.schedule.brownouts = []
                return rule
            }
            let windows = rules.flatMap(\.schedule.brownouts)
            let policy = try draw.policy()
            let releases = try draw.releases(4)
            let identity = try draw.identity()
            let with = ruleSet(rules, unidentified: policy, releases: releases)
            let without = ruleSet(plain, unidentified: policy, releases: releases)
            for number in Int64(-1)...25 {
                let now = second(number)
                func decide(_ rules: RuleSet) -> Decision {
                    var decision = rules.decide(identity, at: now)
                    decision.validUntil = nil
                    decision.warning?.nextBrownout = nil
                    return decision
                }
                let decision = decide(with)
                let other = decide(without)
                if windows.contains(where: { $0.from <= now && now < $0.until }) {
                    #expect(decision.kind >= other.kind)
                    brownouts += decision.brownout == nil ? 0 : 1
                } else {
                    #expect(decision == other)
                }
            }
        }
        // The test is only meaningful if there are brownouts.
        #expect(brownouts > 5)
    }
}
