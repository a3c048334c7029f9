package import GatePolicy

/// Builds that are far from the versions beside them: their devices ask far more often, as in a loop, or a
/// retry without a pause, or the backend fails to answer them far more often.
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
        /// `nil`: it asks about as often as its neighbours.
        package let asking: Asking?
        /// `nil`: it fails about as often as its neighbours.
        package let failing: Failing?
    }

    /// The requests of each device of a build, and those that are usual beside it.
    package struct Asking: Sendable, Equatable {
        package let rate: Double
        package let usual: Double
    }

    /// The requests of a build that the backend failed to answer.
    package struct Failing: Sendable, Equatable {
        package let serverErrors: UInt64
        /// Requests that were let pass while somebody looked at the answers.
        package let watched: UInt64
        /// The share that is usual beside it, 0 to 1.
        package let usual: Double

        package var share: Double { Double(self.serverErrors) / Double(self.watched) }
    }

    /// Devices that a build and each of its neighbours have at the least; where requests do not name
    /// them, requests.
    static let leastDevices = 50
    /// Requests of a build that failed, likewise.
    static let leastErrors: UInt64 = 20
    /// Neighbours on either side that it is held against, and how many it takes.
    static let reach = 3
    static let leastNeighbours = 2
    /// A jump is so many times as many requests as usual, and so many times as many failures.
    static let jump = 3.0
    static let jumpOfErrors = 2.0

    /// Finds them, first those of which the largest shares fail, then those that ask most often.
    ///
    /// Those that rules refuse already are left out, and so is what they ask: a refused app may try again
    /// and again.
    package static func among(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        at now: Timestamp
    ) -> [Stray] {
        var judge = PassingJudge(ruleSet, now)
        var counts: [FloorAdvice.Audience: [Place: CensusFigures]] = [:]
        for row in rows {
            guard let client = row.cell.client, judge.passes(row.cell),
                let version = judge.version(of: client)
            else { continue }
            let audience = FloorAdvice.Audience(
                app: client.app.text,
                platform: client.platform.text
            )
            let place = Place(version: version, build: client.build.text)
            counts[audience, default: [:]][place, default: CensusFigures()].add(row.figures)
        }
        return counts.flatMap { audience, builds in Self.strays(of: audience, builds) }
            .sorted { $0.distance > $1.distance }
    }

    private struct Place: Hashable {
        let version: AppVersion
        let build: String?

        var order: (AppVersion, BuildNumber) {
            (self.version, self.build.flatMap { try? BuildNumber(parsing: $0) } ?? .zero)
        }
    }

    private static func strays(
        of audience: FloorAdvice.Audience,
        _ builds: [Place: CensusFigures]
    ) -> [Stray] {
        let builds = builds.sorted { $0.key.order < $1.key.order }
            .map { Build(place: $0.key, figures: $0.value, devices: $0.value.devices.count) }
        let asking = Self.held(builds.filter { $0.rate != nil }, Self.asking)
        let failing = Self.held(builds.filter { $0.interval != nil }, Self.failing)
        return builds.compactMap { build in
            let (asking, failing) = (asking[build.place], failing[build.place])
            guard asking != nil || failing != nil else { return nil }
            return Stray(
                app: audience.app,
                platform: audience.platform,
                version: build.place.version,
                build: build.place.build,
                requests: build.figures.requests,
                devices: build.devices,
                asking: asking,
                failing: failing
            )
        }
    }

    /// Holds each build against those beside it, in the order of their versions.
    private static func held<Finding>(
        _ builds: [Build],
        _ look: (_ build: Build, _ beside: [Build]) -> Finding?
    ) -> [Place: Finding] {
        var found: [Place: Finding] = [:]
        for (index, build) in builds.enumerated() {
            let beside =
                builds[max(0, index - Self.reach)..<index]
                + builds[(index + 1)...].prefix(Self.reach)
            guard beside.count >= Self.leastNeighbours else { continue }
            found[build.place] = look(build, Array(beside))
        }
        return found
    }

    private static func asking(_ build: Build, _ beside: [Build]) -> Asking? {
        guard let rate = build.rate else { return nil }
        let usual = Self.median(beside.compactMap(\.rate))
        return rate >= usual * Self.jump ? Asking(rate: rate, usual: usual) : nil
    }

    /// Whether the lower end of a build's interval is above the upper end of its neighbours', of which one
    /// may stray as well: the median counts.
    private static func failing(_ build: Build, _ beside: [Build]) -> Failing? {
        guard build.figures.serverErrors >= Self.leastErrors, let interval = build.interval,
            interval.lowerBound > Self.median(beside.compactMap(\.interval?.upperBound))
        else { return nil }
        let usual = Self.median(beside.map(\.failingShare))
        guard build.failingShare >= usual * Self.jumpOfErrors else { return nil }
        return Failing(
            serverErrors: build.figures.serverErrors,
            watched: max(build.figures.watched, build.figures.serverErrors),
            usual: usual
        )
    }

    /// The one in the middle, or what lies between the two; there is at least one.
    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// A build, as it is held against others.
    private struct Build {
        let place: Place
        let figures: CensusFigures
        let devices: Int

        /// Requests of each device; `nil`: there are too few devices.
        var rate: Double? {
            guard self.devices >= StrayBuilds.leastDevices else { return nil }
            return Double(self.figures.identified) / Double(self.devices)
        }

        /// The share of requests that failed; of an hour, answers may come that were asked for before it.
        var failingShare: Double {
            min(1, Double(self.figures.serverErrors) / Double(max(self.figures.watched, 1)))
        }

        /// The interval in which that share lies, as far as so many can tell; `nil`: they are too few.
        ///
        /// Requests of one device are not independent: a device that fails once fails again and again. So
        /// there are as many independent observations as devices, and not as requests.
        var interval: ClosedRange<Double>? {
            guard self.figures.watched > 0 else { return nil }
            let namesDevices = self.figures.identified * 2 >= self.figures.requests
            let count = namesDevices ? UInt64(self.devices) : self.figures.watched
            guard count >= UInt64(StrayBuilds.leastDevices) else { return nil }
            return WilsonInterval.of(
                self.failingShare,
                among: Double(min(count, self.figures.watched))
            )
        }
    }
}

extension StrayBuilds.Stray {
    fileprivate var distance: (Double, Double) {
        (self.failing?.share ?? 0, self.asking.map { $0.rate / max($0.usual, 1) } ?? 0)
    }
}

/// The score interval of a share, as Wilson has it.
///
/// E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
/// Statistical Association 22 (1927), 209–212. It holds for few observations, and where none or all of them are what is counted.
enum WilsonInterval {
    /// The standard normal deviate of 99 %: hundreds of builds are looked at each time.
    private static let deviate = 2.575_829

    /// The ends between which the true share lies in 99 of 100 cases.
    ///
    /// - Parameters:
    ///   - share: The share that was seen, 0 to 1.
    ///   - count: Independent observations, above 0.
    /// - Returns: The ends.
    static func of(_ share: Double, among count: Double) -> ClosedRange<Double> {
        let square = self.deviate * self.deviate
        let scale = 1 + square / count
        let middle = (share + square / (2 * count)) / scale
        let variance = share * (1 - share) / count + square / (4 * count * count)
        let half = self.deviate / scale * variance.squareRoot()
        return max(0, middle - half)...min(1, middle + half)
    }
}
