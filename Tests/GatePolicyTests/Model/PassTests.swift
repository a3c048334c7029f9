import GateTestSupport
import Testing

@testable import GatePolicy

struct PassTests {
    private static let pass = Pass(
        id: Pass.ID(1),
        issued: Timestamp(secondsSinceEpoch: 0),
        until: Timestamp(secondsSinceEpoch: 15)
    )

    @Test(
        arguments: [
            "b0a7c3d2e1f40596", "ffffffffffffffff", "a000000000000000", "face0ff1ce123456",
        ]
    )
    func `an ID has 16 digits, of which the first is a letter`(_ text: String) {
        #expect(Pass.ID(parsing: text)?.description == text)
    }

    @Test(
        arguments: [
            "", "b0a7c3d2e1f4059", "b0a7c3d2e1f405961", "B0a7c3d2e1f40596", "00a7c3d2e1f40596",
            "1234567890123456", "12e4567890123456", "g0a7c3d2e1f40596", "b0a7c3d2e1f4059é",
            " b0a7c3d2e1f4059", "b0a7c3d2e1f4059\n", "0xb0a7c3d2e1f405",
        ]
    )
    func `anything else is no ID`(_ text: String) {
        #expect(Pass.ID(parsing: text) == nil)
    }

    @Test func `every number has an ID`() {
        var random = SeededGenerator(seed: 20)
        for _ in 0..<1000 {
            let id = Pass.ID(random.next())
            #expect(Pass.ID(parsing: id.description) == id)
        }
        for number in [0, UInt64.max, 1 << 63, 1 << 60] {
            let id = Pass.ID(number)
            #expect(Pass.ID(parsing: id.description) == id)
        }
        #expect(Pass.ID.random() != Pass.ID.random())
    }

    /// A pass makes no decision stricter, and lasts no longer than the decision or the pass.
    @Test func `a pass allows what the rules deny, and ends a route`() throws {
        var draw = Draw(random: SeededGenerator(seed: 2026))
        var (lifted, rerouted) = (0, 0)
        for _ in 0..<400 {
            let rules = try (0..<3).map { try draw.rule($0) } + [try draw.router(0)]
            let ruleSet = RuleSet(RuleSetDefinition(revision: "r", rules: rules))
            for _ in 0..<10 {
                let decision = ruleSet.decide(
                    try draw.identity(),
                    in: .unrestricted,
                    at: draw.second(),
                    address: nil
                )
                let isDenied = Denial(decision) != nil
                #expect(decision.isLiftable == (isDenied || decision.route != nil))
                guard decision.isLiftable else { continue }
                let passed = decision.passed(by: Self.pass)
                #expect(passed.kind == (isDenied ? .allow : decision.kind))
                #expect(passed.route == nil)
                #expect(passed.validUntil ?? Self.pass.until <= Self.pass.until)
                if let end = decision.validUntil {
                    #expect(passed.validUntil ?? Self.pass.until <= end)
                }
                #expect(Hint(passed).fields == (isDenied ? [] : Hint(decision).fields))
                #expect(Denial(passed) == nil)
                #expect(passed.name == "passed" && decision.name == decision.kind.rawValue)
                #expect(passed.ruleID == (isDenied ? decision.ruleID : decision.route?.ruleID))
                if isDenied { lifted += 1 } else { rerouted += 1 }
            }
        }
        #expect(lifted > 100 && rerouted > 100)
    }

    @Test func `a passed request has labels of its own`() throws {
        let ruleSet = RuleSet(
            RuleSetDefinition(
                revision: "r",
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .allow),
                rules: [
                    try rule("floor", minimum: "2"), try rule("soon", minimum: "3", mode: .observe),
                ]
            )
        )
        for (version, name) in [("1", "floor"), (nil, "unidentified")] {
            let client = try client(version: version)
            let denial = ruleSet.decide(
                client,
                in: .unrestricted,
                at: Timestamp(secondsSinceEpoch: 9),
                address: nil
            )
            #expect(denial.kind == .require)
            let terms = ruleSet.terms(of: denial.passed(by: Self.pass), for: client)
            #expect(terms.decision == "passed" && terms.rule == name && terms.kind == .allow)
            #expect(!terms.passesByObserving)
            #expect(terms.withoutNames.decision == "passed")
        }
    }

    @Test func `the status of a client with a pass contains no terms of the rules`() throws {
        let ruleSet = RuleSet(
            RuleSetDefinition(revision: "r", rules: [try rule("floor", minimum: "2")])
        )
        func status(_ version: String, _ pass: Pass?) throws -> LaunchStatus {
            ruleSet.launchStatus(
                previewing: nil,
                passing: { pass },
                for: try client(version: version),
                in: .unrestricted,
                at: Timestamp(secondsSinceEpoch: 9),
                address: nil
            )
        }
        let passed = try status("1", Self.pass)
        #expect(
            String(decoding: passed.body, as: UTF8.self)
                == #"{"decision":"allow","currentVersion":"1"}"#
        )
        #expect(passed.decision.validUntil == Self.pass.until)
        #expect(ruleSet.inputs(of: passed, isPreview: false).hasSuffix(", x-versiongate-pass"))
        #expect(try status("1", nil).decision.kind == .require)
        // The pass of a client that the rules allow is not read.
        let current = ruleSet.launchStatus(
            previewing: nil,
            passing: {
                Issue.record("the pass was read")
                return nil
            },
            for: try client(version: "2"),
            in: .unrestricted,
            at: Timestamp(secondsSinceEpoch: 9),
            address: nil
        )
        #expect(ruleSet.inputs(of: current, isPreview: false) == ruleSet.answerInputs)
    }

    @Test(
        arguments: [
            ("com.example.shop", true), ("8C5B 7A1E", true), ("", false), ("a,b", false),
            (" a", false), ("a ", false), ("a\nb", false), ("a\u{7F}", false),
        ]
    )
    func `a pass is only for clients that a request can state`(_ name: String, _ isStated: Bool) {
        #expect(Pass.canState(name) == isStated)
    }
}
