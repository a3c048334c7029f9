internal import GateCensus
package import GatePolicy

/// The builds that ask far more often than their neighbours, with the line that blocks each; a person decides.
package struct StrayReport: Sendable {
    private let since: Timestamp
    private let until: Timestamp
    private let strays: [StrayBuilds.Stray]

    /// Looks for them in the census from a second on.
    ///
    /// - Throws: `CensusStore.Failure` if the census cannot be read.
    package init(
        _ store: CensusStore,
        since start: Timestamp,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        self.since = start
        self.until = now
        self.strays = StrayBuilds.among(try store.rows(since: start), by: ruleSet, at: now)
    }

    /// The line of a rules file.
    private static func line(_ stray: StrayBuilds.Stray) -> String {
        stray.build.map { "blockedBuilds: [{ version: \"\(stray.version)\", build: \($0) }]" }
            ?? "blocked: [\"\(stray.version)\"]"
    }

    private static func number(_ rate: Double) -> Double { (rate * 10).rounded() / 10 }
}

extension StrayReport: CustomStringConvertible {
    package var description: String {
        let title = "\(self.since) to \(self.until)"
        guard !self.strays.isEmpty else {
            return "\(title): no build asks far more often than those beside it"
        }
        let lines = self.strays.map { stray in
            "\(stray.app ?? "-") \(stray.platform ?? "-"): \(stray.devices) devices ask "
                + "\(Self.number(stray.rate)) times each, \(Self.number(stray.usual)) are usual\n"
                + "  \(Self.line(stray))"
        }
        return ([title] + lines).joined(separator: "\n")
    }
}

extension StrayReport: Encodable {
    private struct Entry: Encodable {
        let app: String?
        let platform: String?
        let version: String
        let build: String?
        let requests: UInt64
        let devices: Int
        let requestsPerDevice: Double
        let usual: Double
        /// To be pasted into a rule.
        let line: String
    }

    private enum Key: String, CodingKey {
        case since, until, builds
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
        try container.encode(
            self.strays.map { stray in
                Entry(
                    app: stray.app,
                    platform: stray.platform,
                    version: "\(stray.version)",
                    build: stray.build,
                    requests: stray.requests,
                    devices: stray.devices,
                    requestsPerDevice: Self.number(stray.rate),
                    usual: Self.number(stray.usual),
                    line: Self.line(stray)
                )
            },
            forKey: .builds
        )
    }
}
