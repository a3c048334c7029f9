internal import GateCensus
package import GatePolicy

/// The builds with far more requests or failures than comparable builds, each with the line that
/// blocks it in a rules file.
///
/// The report is only advice: nothing is blocked until an operator adds a line to the rules.
package struct StrayReport: Sendable {
    private let period: ReportPeriod
    private let strays: [StrayBuilds.Stray]

    /// Finds builds with excessive requests or failures in the census since a time.
    package init(
        _ store: CensusStore,
        since start: Timestamp,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        self.period = ReportPeriod(since: start, until: now)
        self.strays = StrayBuilds.among(try store.rows(since: start), by: ruleSet, at: now)
    }

    /// Returns the line that blocks a build in a rules file.
    private static func line(_ stray: StrayBuilds.Stray) -> String {
        stray.build.map { "blockedBuilds: [{ version: \"\(stray.version)\", build: \"\($0)\" }]" }
            ?? "blocked: [\"\(stray.version)\"]"
    }

    private static func number(_ rate: Double) -> Double { (rate * 10).rounded() / 10 }
}

extension StrayReport: CustomStringConvertible {
    package var description: String {
        guard !self.strays.isEmpty else {
            return
                "\(self.period): no build has far more requests or failures than comparable builds"
        }
        let lines = self.strays.map { stray in
            let found = [
                stray.failing.map(Self.words), Self.words(stray.asking, of: stray.devices),
            ]
            return "\(stray.audience.words): "
                + found.compactMap(\.self).joined(separator: "; ") + "\n  \(Self.line(stray))"
        }
        return (["\(self.period)"] + lines).joined(separator: "\n")
    }

    private static func words(_ failing: StrayBuilds.Failing) -> String {
        "\(ShareFormat.percent(failing.share)) of \(failing.requests) requests got a 5xx response "
            + "(usual: \(ShareFormat.percent(failing.usual)))"
    }

    private static func words(_ asking: StrayBuilds.Asking?, of devices: Int) -> String? {
        asking.map {
            "\(devices) devices sent \(Self.number($0.rate)) requests each "
                + "(usual: \(Self.number($0.usual)))"
        }
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
        let asks: Asks?
        let fails: StrayBuilds.Failing?
        /// The line for a rule that blocks the build.
        let line: String
    }

    private struct Asks: Encodable {
        let requestsPerDevice: Double
        let usual: Double
    }

    private enum Key: String, CodingKey {
        case builds
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(
            self.strays.map { stray in
                Entry(
                    app: stray.audience.app,
                    platform: stray.audience.platform,
                    version: "\(stray.version)",
                    build: stray.build,
                    requests: stray.requests,
                    devices: stray.devices,
                    asks: stray.asking.map {
                        Asks(requestsPerDevice: Self.number($0.rate), usual: Self.number($0.usual))
                    },
                    fails: stray.failing,
                    line: Self.line(stray)
                )
            },
            forKey: .builds
        )
    }
}
