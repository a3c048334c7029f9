internal import GateCensus
package import GatePolicy

/// The builds with far more requests or failures than comparable builds, each with the line that
/// blocks it in a rules file.
///
/// The report is only advice; the operator decides.
package struct StrayReport: Sendable {
    private let since: Timestamp
    private let until: Timestamp
    private let strays: [StrayBuilds.Stray]

    /// Finds such builds in the census since a time.
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

    /// Returns the line for a rules file.
    private static func line(_ stray: StrayBuilds.Stray) -> String {
        stray.build.map { "blockedBuilds: [{ version: \"\(stray.version)\", build: \"\($0)\" }]" }
            ?? "blocked: [\"\(stray.version)\"]"
    }

    private static func number(_ rate: Double) -> Double { (rate * 10).rounded() / 10 }
}

extension StrayReport: CustomStringConvertible {
    package var description: String {
        let title = "\(self.since) to \(self.until)"
        guard !self.strays.isEmpty else {
            return
                "\(title): no build has far more requests or failures than comparable builds"
        }
        let lines = self.strays.map { stray in
            let found = [
                stray.failing.map(Self.words), Self.words(stray.asking, of: stray.devices),
            ]
            return "\(stray.app ?? "-") \(stray.platform ?? "-"): "
                + found.compactMap(\.self).joined(separator: "; ") + "\n  \(Self.line(stray))"
        }
        return ([title] + lines).joined(separator: "\n")
    }

    private static func words(_ failing: StrayBuilds.Failing) -> String {
        "\(ShareFormat.percent(failing.share)) of \(failing.watched) requests got a 5xx response "
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
        let fails: Fails?
        /// The line to paste into a rule.
        let line: String
    }

    private struct Asks: Encodable {
        let requestsPerDevice: Double
        let usual: Double

        init(_ asking: StrayBuilds.Asking) {
            self.requestsPerDevice = StrayReport.number(asking.rate)
            self.usual = StrayReport.number(asking.usual)
        }
    }

    private struct Fails: Encodable {
        let serverErrors: UInt64
        let requests: UInt64
        let share: Double
        let usual: Double

        init(_ failing: StrayBuilds.Failing) {
            self.serverErrors = failing.serverErrors
            self.requests = failing.watched
            self.share = failing.share
            self.usual = failing.usual
        }
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
                    asks: stray.asking.map(Asks.init(_:)),
                    fails: stray.failing.map(Fails.init(_:)),
                    line: Self.line(stray)
                )
            },
            forKey: .builds
        )
    }
}
