/// Sample devices, each of which represents a share of the devices in a rollout.
struct ComparedDevices {
    let samples: [RuleSet.DeviceSample]
    /// Whether some combinations of rollout steps have no sample, because they are too rare or too
    /// numerous.
    let isIncomplete: Bool

    private static let candidates = 20_000
    private static let groupLimit = 64

    /// Finds one device for each combination of the rules' rollout steps.
    init(_ rules: [RuleDefinition]) {
        let ids = Set(rules.filter { !$0.rollout.isEmpty }.map(\.id)).sorted()
        let bounds = ids.map { id in
            let percents = rules.filter { $0.id == id }.flatMap(\.rollout).map(\.percent)
            return (ruleID: id, percents: Set(percents).union([0, 100]).sorted())
        }
        guard !bounds.isEmpty else {
            self.samples = [.init(device: .missing, share: 1)]
            self.isIncomplete = false
            return
        }
        let ways = bounds.reduce(1) { min($0 * ($1.percents.count - 1), Self.candidates) }
        var found: [[Int]: Claim<String>] = [:]
        for number in 0..<Self.candidates where found.count < min(ways, Self.groupLimit) {
            let device = Claim<String>.stated("sample-\(number)")
            let identity = ClientIdentity(device: device)
            let place = bounds.map { rule in
                let bucket = RolloutBucket(ruleID: rule.ruleID, identity, address: nil)
                return rule.percents.firstIndex { bucket.isWithin($0) } ?? rule.percents.count - 1
            }
            if found[place] == nil { found[place] = device }
        }
        self.isIncomplete = found.count < ways
        self.samples = found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { found in
            let share = zip(bounds, found.key).reduce(1.0) { share, step in
                let (rule, place) = step
                return share * (rule.percents[place] - rule.percents[place - 1]) / 100
            }
            return .init(device: found.value, share: share)
        }
    }
}

extension RuleSet {
    /// A device that represents a share of all devices.
    package struct DeviceSample: Sendable {
        package let device: Claim<String>
        /// The share of all devices that this device represents.
        package let share: Double
    }

    /// Returns one device for each combination of the rules' rollout steps.
    package static func deviceSamples(for rules: [RuleDefinition]) -> [DeviceSample] {
        let samples = ComparedDevices(rules).samples
        // With many rollouts, the rarest combinations have no sample. The shares of the other
        // combinations are scaled up.
        let whole = samples.reduce(0) { $0 + $1.share }
        guard whole > 0 else { return [DeviceSample(device: .missing, share: 1)] }
        return samples.map { DeviceSample(device: $0.device, share: $0.share / whole) }
    }
}
