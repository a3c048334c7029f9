import GateCensus
import GatePolicy

/// Simulated past traffic of the demo apps.
struct DemoPast {
    /// A period whose requests are counted together.
    struct Period {
        let start: Timestamp
        /// The length in seconds.
        let length: Int64
    }

    /// The mean number of requests per second, the same as in `demo-traffic`.
    private static let rate = 12.0
    /// The maximum ages, in seconds, of one-minute and one-hour periods.
    private static let (minutes, hours): (Int64, Int64) = (3 * 3_600, 8 * 86_400)

    /// A release and a path of an app.
    private struct Kind: Hashable {
        let app: Int
        let version: String
        let path: Int
    }

    private let now: Timestamp
    /// The hashes of the devices' IDs, by app.
    private let hashes: [[UInt64]]
    private var generator = DemoGenerator(seed: 54)

    init(_ hash: SipHash, now: Timestamp) {
        self.now = now
        self.hashes = DemoApp.all.map { app in
            (0..<app.devices).map { hash.hash(Array(app.deviceID($0).utf8).span) }
        }
    }

    /// Returns the periods between two times: days, and hours and minutes for the recent past.
    static func periods(from start: Timestamp, until end: Timestamp, now: Timestamp) -> [Period] {
        var periods: [Period] = []
        var time = start.secondsSinceEpoch
        while time < end.secondsSinceEpoch {
            let age = now.secondsSinceEpoch - time
            let span: Int64 = age <= self.minutes ? 60 : age <= self.hours ? 3_600 : 86_400
            let next = min((time / span + 1) * span, end.secondsSinceEpoch)
            periods.append(
                Period(start: Timestamp(secondsSinceEpoch: time), length: next - time)
            )
            time = next
        }
        return periods
    }

    /// Returns simulated counts for a period.
    mutating func bucket(of period: Period, by ruleSet: RuleSet) -> CensusBucket {
        let middle = period.start.advanced(by: period.length / 2)
        let daysAgo = Double(middle.seconds(until: self.now)) / 86_400
        let devices = Double(DemoApp.all.map(\.devices).reduce(0, +))
        let mean = Self.rate * Double(period.length) * Self.activity(in: period) / devices
        var counts: [Kind: CensusFigures] = [:]
        for (place, app) in DemoApp.all.enumerated() {
            for device in 0..<app.devices {
                let version = app.release(on: device, daysAgo: daysAgo).version
                for path in app.paths.indices {
                    // The count is rounded down or up at random, because the mean for a minute is below 1.
                    let most = 2 * mean / Double(app.paths.count)
                    let requests =
                        (Double.random(in: 0...most, using: &self.generator)
                        + Double.random(in: 0..<1, using: &self.generator)).rounded(.down)
                    guard requests > 0 else { continue }
                    let kind = Kind(app: place, version: version, path: path)
                    counts[kind, default: CensusFigures()].requests += UInt64(requests)
                    counts[kind]?.identified += UInt64(requests)
                    counts[kind]?.devices.add(self.hashes[place][device])
                }
            }
        }
        var bucket = CensusBucket(limit: 10_000)
        for (kind, figures) in counts {
            var figures = figures
            let cell = Self.cell(of: kind, by: ruleSet, at: middle)
            figures.watched = cell.outcome.kind < .require ? figures.requests : 0
            bucket.add(figures, to: cell)
        }
        return bucket
    }

    /// Returns the level of activity relative to the mean: lower at night, and 1 for a period of a day.
    private static func activity(in period: Period) -> Double {
        guard period.length <= 3_600 else { return 1 }
        let hour = period.start.secondsSinceEpoch / 3_600 % 24
        return hour < 6 ? 0.45 : hour < 9 ? 0.9 : hour < 22 ? 1.25 : 0.8
    }

    private static func cell(of kind: Kind, by ruleSet: RuleSet, at time: Timestamp) -> CensusCell {
        let app = DemoApp.all[kind.app]
        let release = app.releases.first { $0.version == kind.version }
        let client = CensusClient(
            app: .stated(app.id),
            platform: .stated(app.platform),
            version: .stated(kind.version),
            build: release.map { .stated("\($0.build)") } ?? .missing
        )
        let scope = ruleSet.scope(
            method: Array("GET".utf8).span,
            target: Array(app.paths[kind.path].utf8).span
        )
        let decision = ruleSet.decide(client.identity, in: scope, at: time, address: nil)
        let terms = ruleSet.terms(of: decision, for: client.identity)
        return CensusCell(
            client: client,
            outcome: CensusOutcome(
                paths: CensusPaths(scope, in: ruleSet),
                kind: decision.kind,
                rule: terms.rule
            )
        )
    }
}
