import GatePolicy
import Testing
import WireSamples

@testable import GateProxy

/// Clients that share a verdict regardless of their devices, because nothing depends on the device.
struct IndifferentFieldTests {
    private static let kinds: [[String]] = [
        [], ["X-Device-Id: a"], ["X-Device-Id: b"], ["X-Device-Id: \u{E4}"], ["X-Device-Id: a b"],
        ["X-Device-Id:"], ["X-Device-Id: a, b"], ["X-Device-Id: c, b"], ["X-Device-Id: a,"],
        ["X-Device-Id: a", "X-Device-Id: b"], ["X-Device-Id: c", "X-Device-Id: b"],
        ["X-Device-Id: a", "X-Install-Id: b"], ["X-Install-Id: b"], ["X-Install-Id: b, a"],
        ["X-Device-Id: a", "X-Install-Id: a"],
        ["X-Device-Id: \(String(repeating: "d", count: 300))"],
        ["X-Device-Id: \(String(repeating: "e", count: 300))"],
    ]

    private static func rules(
        rollout: [RolloutStep] = [],
        version: [String] = ["x-app-version"]
    ) throws -> WorkerRules {
        var identity = IdentitySources.defaults
        identity.headers[.device] = ["x-device-id", "x-install-id"]
        identity.headers[.version] = version
        let rule = RuleDefinition(
            id: "floor",
            match: RuleMatch(),
            minimum: try AppVersion(parsing: "2"),
            rollout: rollout
        )
        return WorkerRules(
            RuleSet(RuleSetDefinition(revision: "1", identity: identity, rules: [rule])),
            cacheCapacity: 100
        )
    }

    private static func verdict(_ rules: WorkerRules, _ fields: [String]) throws -> Verdict {
        try rules.verdict(
            onFirst: wire(["GET / HTTP/1.1", "Host: a", "X-App-Version: 1"] + fields)
        )
    }

    @Test func `two devices, and a client without one, share a denial`() throws {
        let rules = try Self.rules()
        let first = try Self.verdict(rules, ["X-Device-Id: a"])
        #expect(try Self.verdict(rules, ["X-Device-Id: b"]) === first)
        #expect(try Self.verdict(rules, []) === first)
    }

    @Test func `a rollout distinguishes devices`() throws {
        let rules = try Self.rules(rollout: [RolloutStep(at: nil, percent: 50)])
        let kinds = try (0..<64).map { number in
            try Self.verdict(rules, ["X-Device-Id: \(number)"]).decision.kind
        }
        #expect(Set(kinds) == [.allow, .require])
    }

    @Test func `a device field with another meaning distinguishes clients`() throws {
        let rules = try Self.rules(version: ["x-app-version", "x-device-id"])
        let same = try Self.verdict(rules, ["X-Device-Id: 1"])
        let other = try Self.verdict(rules, ["X-Device-Id: 3"])
        #expect(same.decision.gap == nil)
        #expect(other.decision.gap != nil)
    }

    @Test(arguments: kinds)
    func `the fields for the backend do not depend on previous clients`(_ fields: [String]) throws {
        let alone = try Self.verdict(try Self.rules(), fields)
        for others in Self.kinds {
            let rules = try Self.rules()
            _ = try Self.verdict(rules, others)
            let after = try Self.verdict(rules, fields)
            #expect(after.upstreamFields == alone.upstreamFields, "after \(others)")
            #expect(after.droppedFields == alone.droppedFields, "after \(others)")
            #expect(after.decision == alone.decision, "after \(others)")
        }
    }
}
