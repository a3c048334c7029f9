package import GatePolicy

/// Builds whose devices ask far more often than those of the versions beside them: a loop, a retry without
/// a pause.
package enum StrayBuilds {
    /// A build that is far from its neighbours.
    package struct Stray: Sendable, Equatable {
        package let app: String?
        package let platform: String?
        package let version: AppVersion
        /// `nil`: its requests state none.
        package let build: String?
        package let requests: UInt64
        package let devices: Int
        /// Requests of each of its devices, and what is usual beside it.
        package let rate: Double
        package let usual: Double
    }

    /// Devices that a build and each of its neighbours have at the least.
    static let leastDevices = 50
    /// Neighbours on either side that it is held against, and how many it takes.
    static let reach = 3
    static let leastNeighbours = 2
    /// A jump is so many times as much as usual.
    static let jump = 3.0

    /// Finds them.
    ///
    /// Those that rules refuse already are left out, and so is what they ask: a refused app may try again
    /// and again.
    package static func among(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        at now: Timestamp
    ) -> [Stray] {
        var judge = PassingJudge(ruleSet, now)
        var counts: [FloorAdvice.Audience: [Build: CensusFigures]] = [:]
        for row in rows {
            guard let client = row.cell.client, judge.passes(row.cell),
                let version = judge.version(of: client)
            else { continue }
            let audience = FloorAdvice.Audience(
                app: client.app.text,
                platform: client.platform.text
            )
            let build = Build(version: version, build: client.build.text)
            counts[audience, default: [:]][build, default: CensusFigures()].add(row.figures)
        }
        return counts.flatMap { audience, builds in Self.strays(of: audience, builds) }
            .sorted { $0.rate / $0.usual > $1.rate / $1.usual }
    }

    private struct Build: Hashable {
        let version: AppVersion
        let build: String?

        var order: (AppVersion, UInt64) { (self.version, self.build.flatMap { UInt64($0) } ?? 0) }
    }

    private static func strays(
        of audience: FloorAdvice.Audience,
        _ builds: [Build: CensusFigures]
    ) -> [Stray] {
        let known = builds.compactMap { build, figures -> (Build, CensusFigures, Int, Double)? in
            let devices = figures.devices.count
            guard devices >= Self.leastDevices else { return nil }
            return (build, figures, devices, Double(figures.identified) / Double(devices))
        }.sorted { $0.0.order < $1.0.order }
        return known.indices.compactMap { index in
            let (build, figures, devices, rate) = known[index]
            let beside =
                known[max(0, index - Self.reach)..<index]
                + known[(index + 1)...].prefix(Self.reach)
            guard beside.count >= Self.leastNeighbours else { return nil }
            let rates = beside.map(\.3).sorted()
            let usual = (rates[(rates.count - 1) / 2] + rates[rates.count / 2]) / 2
            guard rate >= usual * Self.jump else { return nil }
            return Stray(
                app: audience.app,
                platform: audience.platform,
                version: build.version,
                build: build.build,
                requests: figures.requests,
                devices: devices,
                rate: rate,
                usual: usual
            )
        }
    }
}
