import GatePolicy
import GateWire
import Testing
import WireSamples

@testable import GateProxy

/// Cached verdicts, which end at the second at which the decision changes.
struct VerdictValidityTests {
    private let clock = WallClock()
    private var start: Int64 { 1_000_000 }

    private func rules(_ definition: RuleDefinition) -> WorkerRules {
        WorkerRules(
            RuleSet(RuleSetDefinition(revision: "1", rules: [definition])),
            cacheCapacity: 100,
            now: { self.clock.now }
        )
    }

    private func verdict(
        _ rules: WorkerRules,
        version: String = "1.0",
        device: String = "d",
        address: String = "192.0.2.1",
        last: inout RememberedVerdict?
    ) throws -> Verdict {
        let bytes = Array(
            "GET / HTTP/1.1\r\nHost: a\r\nX-App-Version: \(version)\r\nX-Device-Id: \(device)\r\n\r\n"
                .utf8
        )
        var parser = RequestHeadParser()
        try #require(parser.parse(bytes.span, table: rules.table) == .complete)
        return rules.verdict(
            on: parser.head,
            facts: try RequestFacts(parser.head, in: bytes.span),
            in: bytes.span,
            address: address,
            last: &last
        )
    }

    @Test func `a floor starts at its exact second without a reload`() throws {
        let rules = self.rules(
            RuleDefinition(
                id: "r",
                minimum: try AppVersion(parsing: "2"),
                storeURL: StoreURL("https://example.com"),
                schedule: RuleSchedule(
                    warnFrom: nil,
                    enforceFrom: Timestamp(secondsSinceEpoch: self.start + 10),
                    until: Timestamp(secondsSinceEpoch: self.start + 20)
                )
            )
        )
        var last: RememberedVerdict?
        var kinds: [Decision.Kind] = []
        for second in 0..<22 {
            self.clock.seconds = self.start + Int64(second)
            let verdict = try self.verdict(rules, last: &last)
            kinds.append(verdict.decision.kind)
        }
        let expected: [Decision.Kind] =
            Array(repeating: .allow, count: 10) + Array(repeating: .require, count: 10)
            + [.allow, .allow]
        #expect(kinds == expected)
    }

    @Test func `between two changes the cached verdict is used`() throws {
        let rules = self.rules(
            RuleDefinition(
                id: "r",
                minimum: try AppVersion(parsing: "2"),
                schedule: RuleSchedule(
                    warnFrom: nil,
                    enforceFrom: Timestamp(secondsSinceEpoch: self.start + 10),
                    until: nil
                )
            )
        )
        var last: RememberedVerdict?
        let first = try self.verdict(rules, last: &last)
        self.clock.seconds += 9
        #expect(try self.verdict(rules, last: &last) === first)
        self.clock.seconds += 1
        let second = try self.verdict(rules, last: &last)
        #expect(second !== first)
        self.clock.seconds += 1_000_000
        #expect(try self.verdict(rules, last: &last) === second)
    }

    @Test func `a decision from a later second is not used`() throws {
        let rules = self.rules(
            RuleDefinition(
                id: "r",
                minimum: try AppVersion(parsing: "2"),
                storeURL: StoreURL("https://example.com"),
                schedule: RuleSchedule(
                    warnFrom: nil,
                    enforceFrom: self.clock.later(10),
                    until: self.clock.later(20)
                )
            )
        )
        var last: RememberedVerdict?
        func kind(at second: Int64) throws -> Decision.Kind {
            self.clock.seconds = self.start + second
            return try self.verdict(rules, last: &last).decision.kind
        }
        #expect(try kind(at: 15) == .require)
        #expect(try kind(at: 5) == .allow)
        #expect(try kind(at: 4) == .allow)
        #expect(try kind(at: 12) == .require)
    }

    @Test func `Retry-After counts down`() throws {
        let rules = self.rules(
            RuleDefinition(
                id: "m",
                maintenance: MaintenanceWindow(
                    from: Timestamp(secondsSinceEpoch: self.start),
                    until: Timestamp(secondsSinceEpoch: self.start + 3),
                    announceFrom: nil
                )
            )
        )
        var last: RememberedVerdict?
        for left in [3, 2, 1] {
            let denial = try #require(try self.verdict(rules, last: &last).denial)
            #expect(denial.status == 503)
            let head = String(decoding: denial.head, as: UTF8.self)
            #expect(head.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
            #expect(head.contains("Retry-After: \(left)\r\n"))
            self.clock.seconds += 1
        }
        #expect(try self.verdict(rules, last: &last).denial == nil)
    }

    @Test func `a rollout distinguishes clients without a device by address`() throws {
        let rules = self.rules(
            RuleDefinition(
                id: "r",
                minimum: try AppVersion(parsing: "2"),
                storeURL: StoreURL("https://example.com"),
                rollout: [RolloutStep(at: nil, percent: 50)]
            )
        )
        var denied = 0
        for host in 1...200 {
            var last: RememberedVerdict?
            let address = "192.0.2.\(host)"
            let first = try self.verdict(rules, device: "", address: address, last: &last)
            let again = try self.verdict(rules, device: "", address: address, last: &last)
            #expect(first === again)
            denied += first.denial == nil ? 0 : 1
        }
        #expect((70...130).contains(denied))
    }
}
