import Testing

@testable import GatePolicy

/// Explanations of rules that do not deny a client yet.
struct DeferralTests {
    private static func words(
        schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = [],
        version: String = "3.4",
        at now: Int64 = 0
    ) throws -> [String] {
        let rules = ruleSet(
            [try rule("floor", minimum: "3.5", schedule: schedule, rollout: rollout)]
        )
        var claims = rules.noClaims
        claims.addHeader("x-app-version", version)
        claims.addHeader("x-device-id", "d-1")
        let deferrals = rules.deferrals(
            for: rules.identify(claims),
            in: .unrestricted,
            at: second(now),
            address: nil
        )
        return deferrals.map { "\($0.ruleID): \($0.reason); \($0.words)" }
    }

    @Test func `the explanation contains a future enforcement date`() throws {
        let schedule = RuleSchedule(enforceFrom: second(10))
        let words = "floor: the version is below the minimum; the floor is enforced from "
        #expect(try Self.words(schedule: schedule) == [words + "\(second(10))"])
        #expect(try Self.words(schedule: schedule, at: 10) == [])
        #expect(try Self.words(schedule: schedule, version: "3.5") == [])
    }

    @Test func `the explanation contains the rollout share and the client's bucket`() throws {
        let place = RolloutBucket(
            ruleID: "floor",
            ClientIdentity(device: .stated("d-1")),
            address: nil
        )
        let percent = Double(place.number + 1) / 10_000
        #expect(try Self.words(rollout: [RolloutStep(percent: 100)]) == [])
        #expect(try Self.words(rollout: [RolloutStep(percent: percent)]) == [])
        let never = try Self.words(rollout: [RolloutStep(percent: percent / 2)])
        #expect(never.count == 1)
        #expect(never.first?.hasSuffix("%, but no step is that large") == true)
        let steps = [RolloutStep(percent: 0), RolloutStep(at: second(9), percent: 100)]
        let later = try Self.words(rollout: steps)
        #expect(
            later.first?.contains("; the rollout is at 0% and reaches this client at ") == true
        )
        #expect(later.first?.hasSuffix("%, on \(second(9))") == true)
        #expect(try Self.words(rollout: steps, at: 9) == [])
    }
}
