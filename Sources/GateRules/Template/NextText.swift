internal import GatePolicy

/// A floor in the syntax of `next:`, on one line.
struct NextText {
    let text: String

    /// Creates the YAML text of a floor.
    ///
    /// - Parameters:
    ///   - floor: The floor.
    ///   - base: The rule that contains the `next`; its blocked ranges are not repeated.
    ///   - storeURL: The store URL, if the rule has none.
    init(_ floor: RuleDefinition, besides base: RuleDefinition, storeURL: String? = nil) {
        var parts: [String] = []
        if let minimum = floor.minimum { parts.append("minimum: \"\(minimum)\"") }
        if let build = floor.minimumBuild { parts.append("minimumBuild: \"\(build)\"") }
        if let version = floor.minimumBuildOf { parts.append("minimumBuildOf: \"\(version)\"") }
        let blocked = floor.blocked.filter { !base.blocked.contains($0) }.map { "\"\($0)\"" }
        parts += Self.list("blocked", blocked)
        let builds = floor.blockedBuilds.filter { !base.blockedBuilds.contains($0) }
        parts += Self.list("blockedBuilds", builds.map(Self.builds))
        if let time = floor.schedule.warnFrom { parts.append("warnFrom: \(time)") }
        if let time = floor.schedule.enforceFrom { parts.append("enforceFrom: \(time)") }
        let windows = floor.schedule.brownouts.map { "{ from: \($0.from), until: \($0.until) }" }
        parts += Self.list("brownouts", windows)
        parts += Self.rollout(floor.rollout)
        if let hold = floor.holdUntilInStore { parts.append(Self.hold(hold)) }
        if floor.mode == .observe { parts.append("mode: observe") }
        if let storeURL { parts.append("storeUrl: \"\(storeURL)\"") }
        self.text = "next: { \(parts.joined(separator: ", ")) }"
    }

    /// Returns a key and its list as YAML; an empty array if the list is empty.
    private static func list(_ key: String, _ items: [String]) -> [String] {
        items.isEmpty ? [] : ["\(key): [\(items.joined(separator: ", "))]"]
    }

    private static func builds(_ item: BlockedBuilds) -> String {
        if let builds = item.builds, item.versions == nil, item.written.isAny {
            return "\"\(builds)\""
        }
        let fields =
            [
                item.versions.map { "version: \"\($0)\"" },
                item.builds.map { "build: \"\($0)\"" },
            ].compactMap(\.self)
            + item.written.keys.map { key, patterns in
                // A backslash in single quotes is literal (YAML 1.2 section 7.3.2).
                let texts = patterns.map { pattern in
                    "'\(pattern.description.replacing("'", with: "''"))'"
                }
                return "\(key): [\(texts.joined(separator: ", "))]"
            }
        return "{ \(fields.joined(separator: ", ")) }"
    }

    private static func rollout(_ steps: [RolloutStep]) -> [String] {
        guard let first = steps.first else { return [] }
        guard first.at != nil else { return ["rollout: \(RolloutDecoder.number(first.percent))"] }
        let items = steps.compactMap { step in
            step.at.map { "{ at: \($0), percent: \(RolloutDecoder.number(step.percent)) }" }
        }
        return self.list("rollout", items)
    }

    private static func hold(_ hold: StoreHold) -> String {
        // Without quotation marks, YAML reads Norway's code as `false`.
        var parts = self.list("countries", hold.countries.map { "\"\($0)\"" })
        if hold.soak > 0 { parts.append("soak: \(hold.soak)s") }
        return parts.isEmpty
            ? "holdUntilInStore: true" : "holdUntilInStore: { \(parts.joined(separator: ", ")) }"
    }
}
