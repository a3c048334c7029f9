import Testing

@testable import GatePolicy

@Suite(.ownThread) struct RolloutTests {
    /// 100,000 devices, many of them with similar IDs.
    static let devices = (0..<100_000).map { number in
        number.isMultiple(of: 2) ? "device-\(number)" : "\(number)A3F0-\(number)"
    }

    static func identity(_ device: String) -> ClientIdentity {
        ClientIdentity(device: .stated(device))
    }

    @Test(arguments: [0, 0.1, 1, 5, 12.5, 25, 50, 75, 99, 99.9, 100])
    func `the share of devices is the configured one`(percent: Double) throws {
        for id in ["ios", "summer-deprecation"] {
            let rollout = try rule(id, rollout: [RolloutStep(percent: percent)])
            let count = Self.devices.count {
                rollout.admission(of: Self.identity($0), address: nil) == .always
            }
            let share = Double(count) / Double(Self.devices.count) * 100
            #expect(abs(share - percent) <= 0.5, "\(share)%")
            if percent == 0 { #expect(count == 0) }
            if percent == 100 { #expect(count == Self.devices.count) }
        }
    }

    @Test func `steps only add devices and remove none`() throws {
        let steps: [RolloutStep] = [
            .init(at: second(10), percent: 5), .init(at: second(20), percent: 5),
            .init(at: second(30), percent: 40.5), .init(at: second(40), percent: 100),
        ]
        let rules = ruleSet([try rule("r", minimum: "4", rollout: steps)])
        let edges: [Int64] = [0, 9, 10, 19, 20, 29, 30, 39, 40, 1_000]
        var shares = [Int](repeating: 0, count: edges.count)
        for device in Self.devices.prefix(20_000) {
            let identity = try client(version: "3", device: device)
            let isIn = edges.map { rules.decide(identity, at: second($0)).kind == .require }
            for (index, isIn) in isIn.enumerated() where isIn { shares[index] += 1 }
            let steps = zip(isIn, isIn.dropFirst())
            #expect(steps.allSatisfy { before, after in !before || after })
        }
        #expect(shares[0] == 0 && shares[1] == 0)
        #expect(shares[2] == shares[5] && (900...1_100).contains(shares[2]))
        #expect(shares[6] == shares[7] && (7_900...8_300).contains(shares[6]))
        #expect(shares[8] == 20_000 && shares[9] == 20_000)
    }

    @Test func `each rule has its own order of devices`() throws {
        let half = [RolloutStep(percent: 50)]
        let one = try rule("one", rollout: half)
        let other = try rule("other", rollout: half)
        let both = Self.devices.count { device in
            [one, other].allSatisfy {
                $0.admission(of: Self.identity(device), address: nil) == .always
            }
        }
        #expect((24_500...25_500).contains(both))
    }

    @Test func `a bucket depends on the device, or else the address, or else all values`() throws {
        func bucket(_ identity: ClientIdentity, _ address: String?) -> RolloutBucket {
            RolloutBucket(ruleID: "r", identity, address: address)
        }
        let device = try client(version: "3", device: "d")
        let updated = try client(app: "a", version: "4", build: 9, device: "d", languages: "ja")
        #expect(bucket(device, "192.0.2.1") == bucket(updated, "192.0.2.2"))
        #expect(bucket(device, "192.0.2.1") == bucket(updated, nil))

        var unreadable = try client(version: "3")
        unreadable.device = .unreadable("d, e")
        let deviceless = try client(version: "4")
        #expect(bucket(deviceless, "192.0.2.1") == bucket(unreadable, "192.0.2.1"))
        #expect(bucket(deviceless, "192.0.2.1") != bucket(deviceless, "192.0.2.2"))
        #expect(bucket(deviceless, "d") != bucket(device, nil))

        #expect(bucket(deviceless, nil) == bucket(try client(version: "4"), nil))
        let others = [
            try client(version: "4.1"), try client(platform: .android, version: "4"),
            try client(app: "a", version: "4"), try client(version: "4", build: 1),
            try client(version: "4", channel: "c"), try client(version: "4", osVersion: "16"),
            try client(version: "4", languages: "ja"),
        ]
        #expect(Set(others.map { bucket($0, nil).number }).count == others.count)
        for other in others { #expect(bucket(other, nil) != bucket(deviceless, nil)) }
    }

    static let known: [(String, String, UInt64)] = [
        ("ios", "device-0", 316_273), ("ios", "device-1", 32_939), ("android", "device-0", 350_533),
        ("", "", 484_984),
    ]

    @Test(arguments: known)
    func `a bucket is the same in every version of the gate`(
        ruleID: String,
        device: String,
        number: UInt64
    ) {
        let bucket = RolloutBucket(ruleID: ruleID, Self.identity(device), address: nil)
        #expect(bucket.number == number)
    }

    static let shares: [(Double, some: Bool, all: Bool)] = [
        (0, false, false), (-1, false, false), (.nan, false, false), (-.infinity, false, false),
        (100, true, true), (1e300, true, true), (.infinity, true, true), (50, true, false),
        (.leastNonzeroMagnitude, true, false), (99.999_999, true, true), (99.999, true, false),
    ]

    @Test(arguments: shares)
    func `any number is a valid share`(percent: Double, some: Bool, all: Bool) throws {
        // The devices with the lowest and highest buckets, found by trial and error.
        var numbers: [UInt64: RolloutBucket] = [:]
        for number in 0..<20_000 {
            let bucket = RolloutBucket(ruleID: "\(number)", ClientIdentity(), address: nil)
            numbers[bucket.number] = bucket
        }
        let low = try #require(numbers.values.min { $0.number < $1.number })
        #expect(low.isWithin(percent) == (some && percent > 1))
        if all { #expect(numbers.values.allSatisfy { $0.isWithin(percent) }) }
        if !some { #expect(numbers.values.allSatisfy { !$0.isWithin(percent) }) }
    }

    @Test func `a client outside of a rollout gets a warning or a recommendation`() throws {
        let never = [RolloutStep(percent: 0)]
        let schedule = RuleSchedule(warnFrom: second(0), enforceFrom: second(10))
        let warned = ruleSet([try rule("w", minimum: "4", schedule: schedule, rollout: never)])
        let old = try client(version: "3", device: "d")
        let before = warned.decide(old, at: second(9))
        #expect(before.warning == .init(since: second(0), enforcedFrom: second(10)))
        let after = warned.decide(old, at: second(10))
        #expect(after.kind == .recommend)
        #expect(after.reason == .warned(.belowMinimum, requiredFrom: nil))

        let later = [RolloutStep(percent: 0), RolloutStep(at: second(20), percent: 100)]
        let waiting = ruleSet([try rule("w", minimum: "4", schedule: schedule, rollout: later)])
        #expect(
            waiting.decide(old, at: second(10)).reason
                == .warned(.belowMinimum, requiredFrom: second(20))
        )
        #expect(waiting.decide(old, at: second(20)).kind == .require)

        let quiet = ruleSet([try rule("q", minimum: "4", rollout: never)])
        #expect(quiet.decide(old, at: second(0)).reason == .noRuleApplies)
        let hinting = ruleSet([try rule("h", minimum: "4", recommended: "5", rollout: never)])
        #expect(hinting.decide(old, at: second(0)).reason == .belowRecommended)
    }

    @Test func `an observing rollout records the clients within it`() throws {
        let steps = [RolloutStep(at: second(0), percent: 50)]
        let enforcing = ruleSet([try rule("r", minimum: "4", rollout: steps)])
        let observing = ruleSet([try rule("r", minimum: "4", mode: .observe, rollout: steps)])
        for device in Self.devices.prefix(200) {
            let identity = try client(version: "3", device: device)
            let isIn = enforcing.decide(identity, at: second(0)).kind == .require
            let decision = observing.decide(identity, at: second(0))
            #expect(decision.kind == .allow)
            #expect(decision.observed.map(\.kind) == (isIn ? [.require] : []))
        }
    }

    @Test func `only rules with a rollout depend on the address`() throws {
        let plain = try rule("p", minimum: "4", schedule: RuleSchedule(until: second(9)))
        #expect(!ruleSet([plain]).dependsOnAddress)
        let rolling = try rule("r", minimum: "4", rollout: [RolloutStep(percent: 5)])
        #expect(ruleSet([plain, rolling]).dependsOnAddress)
        let addresses = (0..<1_000).map { "192.0.2.\($0)" }
        let old = try client(version: "3")
        let denied = addresses.count {
            ruleSet([rolling]).decide(old, at: second(0), address: $0).kind == .require
        }
        #expect((20...80).contains(denied))
    }
}
