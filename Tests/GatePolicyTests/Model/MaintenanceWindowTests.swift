import GateTestSupport
import Testing

@testable import GatePolicy

@Suite struct MaintenanceWindowTests {
    static let window = MaintenanceWindow(
        from: second(100),
        until: second(200),
        announceFrom: second(50)
    )

    static func rules(_ mode: RuleMode = .enforce) throws -> RuleSet {
        let match = RuleMatch(
            platforms: [.ios],
            requests: [try RequestPattern(path: "/v2/orders/**", methods: nil)]
        )
        return ruleSet([
            try rule("db", match: match, mode: mode, maintenance: self.window),
            try rule("floor", match: RuleMatch(platforms: [.ios]), minimum: "2"),
        ])
    }

    @Test func `matching clients get maintenance in every second of the window`() throws {
        let rules = try Self.rules()
        let clients = [
            try client(version: "1"), try client(version: "9"), try client(),
            ClientIdentity(platform: .stated(.ios), version: .unreadable("x")),
        ]
        for identity in clients {
            for number in Int64(40)...210 {
                let inside = rules.decide(
                    identity,
                    in: rules.scope("GET", "/v2/orders/1"),
                    at: second(number),
                    address: nil
                )
                let outside = rules.decide(identity, at: second(number))
                #expect(
                    (inside.kind == .maintenance) == (100..<200).contains(number),
                    "second \(number)"
                )
                #expect(outside.kind != .maintenance)
                #expect(outside.maintenance == nil)
                #expect((inside.maintenance != nil) == (50..<200).contains(number))
            }
        }
        let android = try client(platform: .android, version: "1")
        let scope = rules.scope("GET", "/v2/orders/1")
        #expect(rules.decide(android, in: scope, at: second(150), address: nil).kind == .allow)
    }

    @Test func `Retry-After of a maintenance response is the time until its end`() throws {
        let rules = try Self.rules()
        let identity = try client(version: "1")
        let scope = rules.scope("GET", "/v2/orders/1")
        let decision = rules.decide(identity, in: scope, at: second(100), address: nil)
        let answer = try #require(rules.answer(to: decision, for: identity, at: second(100)))
        #expect(answer.status == 503)
        #expect(
            answer.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/problem+json",
                "Cache-Control: no-store",
                "Content-Language: en",
                "Vary: x-app-platform, x-app-version, accept-language, \(formFields), origin",
                "X-VersionGate: maintenance",
                "Retry-After: 100",
            ]
        )
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"type":"urn:versiongate:maintenance","title":"Down for maintenance","#
                + #""status":503,"message":"We are working on the service. Please try again "#
                + #"later.","currentVersion":"1","maintenanceFrom":"2027-01-15T08:01:40Z","#
                + #""maintenanceUntil":"2027-01-15T08:03:20Z","rule":"db","revision":"r1"}"#
        )
        for (now, seconds) in [(100, "100"), (101, "99"), (199, "1"), (200, "1"), (300, "1")] {
            let now = second(Int64(now))
            let counted = answer.counted(to: now)
            #expect(counted.fields.last == HeaderField(name: "Retry-After", value: seconds))
            #expect(counted.fields.count == answer.fields.count)
            #expect(counted == rules.answer(to: decision, for: identity, at: now))
        }
    }

    @Test func `Retry-After never exceeds the range of OkHttp`() {
        let answer = Answer(status: 503, fields: [], body: [], retryAt: second(0x8000_0000))
        for (now, seconds) in [(0, "2147483647"), (1, "2147483647"), (2, "2147483646")] {
            let counted = answer.counted(to: second(Int64(now)))
            #expect(counted.fields == [HeaderField(name: "Retry-After", value: seconds)])
        }
    }

    @Test func `maintenance has the notice of its rule, and a denial has no Retry-After`() throws {
        let text = NoticeText(
            title: NoticeTemplate(literal: "Back soon"),
            message: NoticeTemplate(literal: "Moving house."),
            button: NoticeTemplate(literal: "Status")
        )
        let maintained = try rule(
            "m",
            minimum: "2",
            notice: "move",
            storeURL: StoreURL("https://status.example"),
            maintenance: Self.window
        )
        let notices = ["move": NoticeDefinition(texts: [.english: text])]
        let rules = ruleSet([maintained], notices: notices)
        let old = try client(version: "1")
        let decision = rules.decide(old, at: second(150))
        let answer = try #require(rules.answer(to: decision, for: old, at: second(150)))
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"type":"urn:versiongate:maintenance","title":"Back soon","status":503,"#
                + #""message":"Moving house.","button":"Status","#
                + #""storeUrl":"https://status.example","minimumVersion":"2","#
                + #""currentVersion":"1","maintenanceFrom":"2027-01-15T08:01:40Z","#
                + #""maintenanceUntil":"2027-01-15T08:03:20Z","rule":"m","revision":"r1"}"#
        )
        let required = rules.decide(old, at: second(200))
        #expect(required.kind == .require)
        let denial = try #require(rules.answer(to: required, for: old, at: second(200)))
        #expect(denial.retryAt == nil)
        #expect(denial.counted(to: second(0)) == denial)
    }

    @Test func `maintenance without an end has no Retry-After`() throws {
        let rules = ruleSet([
            try rule("closed", maintenance: .open),
            try rule("m", maintenance: Self.window),
        ])
        let current = try client(version: "9")
        let decision = rules.decide(current, at: second(99))
        #expect((decision.kind, decision.ruleID) == (.maintenance, "closed"))
        #expect(decision.reason.description == "maintenance is in progress")
        let answer = try #require(rules.answer(to: decision, for: current, at: second(99)))
        #expect(answer.status == 503)
        #expect(!answer.fields.contains { $0.name == "Retry-After" })
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(body.contains(#""currentVersion":"9","rule":"closed""#), "\(body)")
        // A window without an end has precedence over one with an end, regardless of their order in
        // the file.
        for number in [Int64(100), 199, 200, 1_000_000_000] {
            #expect(rules.decide(current, at: second(number)).ruleID == "closed")
        }
        let reversed = ruleSet([
            try rule("m", maintenance: Self.window), try rule("closed", maintenance: .open),
        ])
        #expect(reversed.decide(current, at: second(150)).ruleID == "closed")
    }

    @Test func `an announcement is a separate hint on requests that pass`() throws {
        let rules = ruleSet([
            try rule("m", maintenance: Self.window),
            try rule("hint", match: RuleMatch(platforms: [.ios]), recommended: "2"),
            try rule("floor", match: RuleMatch(platforms: [.android]), minimum: "2"),
        ])
        let announced = HeaderField(
            name: "X-VersionGate",
            value: #"maintenance-announced; maintenance-from="2027-01-15T08:01:40Z"; "#
                + #"maintenance-until="2027-01-15T08:03:20Z""#
        )
        func hint(_ decision: Decision) -> [HeaderField] {
            rules.hint(for: decision).filter { $0.name == Answer.markerName }
        }
        let calm = rules.decide(try client(version: "2"), at: second(50))
        #expect(calm.kind == .allow)
        #expect(hint(calm) == [announced])
        let hinted = rules.decide(try client(version: "1"), at: second(99))
        let recommended = HeaderField(
            name: "X-VersionGate",
            value: #"recommend; latest="2"; snooze-seconds=86400"#
        )
        #expect(hint(hinted) == [recommended, announced])
        let denied = rules.decide(try client(platform: .android, version: "1"), at: second(99))
        #expect(denied.kind == .require)
        #expect(rules.hint(for: denied).isEmpty)
        let early = rules.decide(try client(version: "2"), at: second(49))
        #expect(rules.hint(for: early).isEmpty)
        let running = rules.decide(try client(version: "2"), at: second(100))
        #expect(rules.hint(for: running).isEmpty)
    }

    @Test func `the next of several windows is announced, and the last determines the end`() throws
    {
        func window(_ id: String, _ from: Int64, _ until: Int64) throws -> RuleDefinition {
            let window = MaintenanceWindow(
                from: second(from),
                until: second(until),
                announceFrom: second(0)
            )
            return try rule(id, maintenance: window)
        }
        let rules = [
            try window("a", 20, 30), try window("b", 10, 25), try window("c", 10, 15),
        ]
        var random = SeededGenerator(seed: 5)
        let anyone = ClientIdentity()
        for _ in 0..<10 {
            let rules = ruleSet(rules.shuffled(using: &random))
            let announced = rules.decide(anyone, at: second(5))
            #expect(announced.maintenance?.from == second(10))
            #expect(announced.maintenance?.until == second(25))
            #expect(rules.decide(anyone, at: second(12)).ruleID == "b")
            #expect(rules.decide(anyone, at: second(22)).ruleID == "a")
            #expect(rules.decide(anyone, at: second(22)).maintenance?.until == second(30))
        }
    }

    @Test func `observed maintenance is only recorded`() throws {
        let rules = try Self.rules(.observe)
        let current = try client(version: "9")
        let scope = rules.scope("GET", "/v2/orders/1")
        for number in [Int64(49), 50, 99, 100, 199, 200] {
            let now = second(number)
            let decision = rules.decide(current, in: scope, at: now, address: nil)
            #expect(decision.kind == .allow)
            #expect(decision.maintenance == nil)
            #expect(rules.hint(for: decision).isEmpty)
            let observed = Decision.Observed(
                ruleID: "db",
                kind: .maintenance,
                reason: .maintenance(until: second(200))
            )
            #expect(decision.observed == ((100..<200).contains(number) ? [observed] : []))
        }
    }

    @Test func `maintenance has no gaps outside of its window`() throws {
        let maintained = try rule(
            "m",
            match: RuleMatch(platforms: [.ios]),
            maintenance: Self.window
        )
        let rules = ruleSet(
            [maintained],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let nameless = try client(platform: nil, version: "9")
        for (number, kind) in [
            (49, Decision.Kind.allow), (50, .allow), (99, .allow), (100, .require), (200, .allow),
        ] {
            let decision = rules.decide(nameless, at: second(Int64(number)))
            #expect(decision.kind == kind)
            #expect(decision.maintenance == nil)
        }
    }

    @Test func `an invalid window and an expired rule have no effect`() throws {
        let empty = MaintenanceWindow(from: second(10), until: second(10))
        let reversed = MaintenanceWindow(from: second(20), until: second(10))
        for window in [empty, reversed] {
            let rules = ruleSet([try rule("m", maintenance: window)])
            for number in Int64(0)...30 {
                #expect(rules.decide(ClientIdentity(), at: second(number)).kind == .allow)
            }
        }
        let schedule = RuleSchedule(until: second(150))
        let rules = ruleSet([try rule("m", schedule: schedule, maintenance: Self.window)])
        #expect(rules.decide(ClientIdentity(), at: second(149)).kind == .maintenance)
        #expect(rules.decide(ClientIdentity(), at: second(150)).kind == .allow)
    }
}
