package import GatePolicy

/// Builds that differ strongly from their neighbors, the preceding and following builds in version order.
///
/// Devices with such a build send far more requests, for example in a loop or by retrying without a
/// pause, or far more of their requests fail in the backend.
package enum StrayBuilds {
    /// A build that differs from its neighbors.
    package struct Stray: Sendable, Equatable {
        package let audience: CensusAudience
        package let version: AppVersion
        /// The build; `nil` if its requests contain no build.
        package let build: String?
        package let requests: UInt64
        package let devices: Int
        /// The request rate; `nil` if it is similar to the request rates of the neighbors.
        package let asking: Asking?
        /// The failures; `nil` if they are similar to the failures of the neighbors.
        package let failing: Failing?
    }

    /// A build's number of requests per device, and the usual number among its neighbors.
    package struct Asking: Sendable, Equatable {
        package let rate: Double
        package let usual: Double
    }

    /// A build's requests that failed in the backend.
    package struct Failing: Sendable, Equatable, Encodable {
        package let serverErrors: UInt64
        /// The number of forwarded requests whose responses were observed.
        package let requests: UInt64
        package let share: Double
        /// The usual share among the build's neighbors, from 0 to 1.
        package let usual: Double
    }

    /// The minimum number of devices with a build and with each neighbor, or of requests if they contain no device IDs.
    static let minimumDevices = 50
    /// The minimum number of failed requests from a build.
    static let minimumErrors: UInt64 = 20
    /// The maximum number of neighbors on each side that a build is compared with, and the minimum
    /// number of neighbors in total.
    static let reach = 3
    static let minimumNeighbors = 2
    /// The minimum ratio to the usual request rate, and to the usual share of failures.
    static let jump = 3.0
    static let jumpOfErrors = 2.0

    /// Finds stray builds, in descending order of their share of failures, and then of their
    /// relative request rate.
    ///
    /// Requests that the rules deny are not counted, because an app may retry a denied request
    /// repeatedly.
    package static func among(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        at now: Timestamp
    ) -> [Stray] {
        var judge = ClientEvaluator(ruleSet, now)
        var counts: [CensusAudience: [Place: CensusFigures]] = [:]
        for row in rows {
            guard let client = row.cell.client, judge.passes(row.cell),
                let version = judge.version(of: client)
            else { continue }
            let place = Place(version: version, build: client.build.text)
            counts[CensusAudience(client), default: [:]][place, default: CensusFigures()]
                .add(row.figures)
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
        of audience: CensusAudience,
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
                audience: audience,
                version: build.place.version,
                build: build.place.build,
                requests: build.figures.requests,
                devices: build.devices,
                asking: asking,
                failing: failing
            )
        }
    }

    /// Compares each build with its neighbors in version order, and returns the findings by build.
    private static func held<Finding>(
        _ builds: [Build],
        _ look: (_ build: Build, _ beside: [Build]) -> Finding?
    ) -> [Place: Finding] {
        var found: [Place: Finding] = [:]
        for (index, build) in builds.enumerated() {
            let beside =
                builds[max(0, index - Self.reach)..<index]
                + builds[(index + 1)...].prefix(Self.reach)
            guard beside.count >= Self.minimumNeighbors else { continue }
            found[build.place] = look(build, Array(beside))
        }
        return found
    }

    private static func asking(_ build: Build, _ beside: [Build]) -> Asking? {
        guard let rate = build.rate else { return nil }
        let usual = Self.median(beside.compactMap(\.rate))
        return rate >= usual * Self.jump ? Asking(rate: rate, usual: usual) : nil
    }

    /// Returns the failures of a build; `nil` unless the lower bound of its confidence interval is
    /// above the median of the upper bounds of its neighbors' intervals.
    ///
    /// The median is used, because a neighbor may also be stray.
    private static func failing(_ build: Build, _ beside: [Build]) -> Failing? {
        guard build.figures.serverErrors >= Self.minimumErrors, let interval = build.interval,
            interval.lowerBound > Self.median(beside.compactMap(\.interval?.upperBound))
        else { return nil }
        let usual = Self.median(beside.map(\.failingShare))
        guard build.failingShare >= usual * Self.jumpOfErrors else { return nil }
        let errors = build.figures.serverErrors
        let requests = max(build.figures.watched, errors)
        let share = Double(errors) / Double(requests)
        return Failing(serverErrors: errors, requests: requests, share: share, usual: usual)
    }

    /// Returns the median of at least one value.
    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// A build that is compared with its neighbors.
    private struct Build {
        let place: Place
        let figures: CensusFigures
        let devices: Int

        /// The number of requests per device; `nil` if there are too few devices.
        var rate: Double? {
            guard self.devices >= StrayBuilds.minimumDevices else { return nil }
            return Double(self.figures.identified) / Double(self.devices)
        }

        /// The share of requests that failed, capped at 1, because the failures may include requests
        /// from an earlier period.
        var failingShare: Double {
            min(1, Double(self.figures.serverErrors) / Double(max(self.figures.watched, 1)))
        }

        /// The confidence interval of `failingShare`; `nil` if there are too few observations.
        ///
        /// Devices, and not requests, count as independent observations, because a device whose
        /// request fails once tends to fail again.
        var interval: ClosedRange<Double>? {
            guard self.figures.watched > 0 else { return nil }
            let count =
                self.figures.countsDevices ? UInt64(self.devices) : self.figures.watched
            guard count >= UInt64(StrayBuilds.minimumDevices) else { return nil }
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

/// The Wilson score interval of a share, which is valid for few observations, and for shares of 0
/// and 1.
///
/// E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of
/// the American Statistical Association 22 (1927), 209–212.
enum WilsonInterval {
    /// The standard normal deviate for a confidence level of 99%, which is high because hundreds of
    /// builds are compared each time.
    private static let deviate = 2.575_829

    /// Returns the interval that contains the true share in 99 out of 100 cases.
    ///
    /// - Parameters:
    ///   - share: The observed share, from 0 to 1.
    ///   - count: The number of independent observations, greater than 0.
    /// - Returns: The interval.
    static func of(_ share: Double, among count: Double) -> ClosedRange<Double> {
        let square = self.deviate * self.deviate
        let scale = 1 + square / count
        let middle = (share + square / (2 * count)) / scale
        let variance = share * (1 - share) / count + square / (4 * count * count)
        let half = self.deviate / scale * variance.squareRoot()
        return max(0, middle - half)...min(1, middle + half)
    }
}
