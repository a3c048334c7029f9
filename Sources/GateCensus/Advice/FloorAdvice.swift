package import GatePolicy

/// The highest floor that few enough clients would notice, for each app and platform that was seen, and the
/// days on which the next ones will cost no more.
///
/// It is made in two steps, so that no more is held than it takes: `init` looks at the last days, and
/// `add(_:)` at all days that are kept, for what those have left open.
package struct FloorAdvice: Sendable {
    /// An app on a platform, as clients name them.
    package struct Audience: Sendable, Hashable {
        package let app: String?
        package let platform: String?

        package init(app: String?, platform: String?) {
            self.app = app
            self.platform = platform
        }
    }

    /// A floor, and those below it who pass now.
    package struct Floor: Sendable {
        package let version: AppVersion
        package let requests: UInt64
        package let devices: Int
        /// The part of the clients of its app and platform.
        package let share: Double
    }

    /// A floor that costs too much today.
    package struct Next: Sendable {
        package let floor: Floor
        package let forecast: AdoptionCurve.Forecast
    }

    /// The advice for one app and platform.
    package struct Part: Sendable {
        package let audience: Audience
        package let requests: UInt64
        package let devices: Int
        /// Whether devices are counted; requests, where most of them do not name theirs.
        package let countsDevices: Bool
        /// `nil`: no version that was seen is cheap enough, or none is below another one.
        package let floor: Floor?
        package let next: [Next]
    }

    /// Apps and platforms that are looked at, those with most requests: clients can name any.
    static let audienceLimit = 8
    /// Floors of the future for each.
    static let nextLimit = 5
    /// Whole days before the last ones that a curve is looked for in.
    package static let history: Int64 = 28
    /// Devices, or requests where they do not name any, below which nothing is foretold.
    static let leastClients = 200

    private let limit: Double
    private let days: Int64
    private let today: Int64
    private var surveys: [Survey]
    private var judge: PassingJudge

    /// Looks at the last days.
    ///
    /// - Parameters:
    ///   - rows: The census of the last `days`.
    ///   - ruleSet: The rules in force: whom they refuse already, no floor costs again.
    ///   - now: The second at which they judge.
    ///   - limit: The share of clients that a floor may cost, from 0 to 1.
    ///   - days: How many days the rows are of.
    ///   - isWanted: Whether an app and platform is asked for.
    package init(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        at now: Timestamp,
        limit: Double,
        days: Int64,
        isWanted: (Audience) -> Bool = { _ in true }
    ) {
        var judge = PassingJudge(ruleSet, now)
        var counts: [Audience: VersionCounts] = [:]
        for row in rows {
            guard let client = row.cell.client else { continue }
            let audience = Audience(app: client.app.text, platform: client.platform.text)
            guard isWanted(audience) else { continue }
            let version = judge.passes(row.cell) ? judge.version(of: client) : nil
            counts[audience, default: VersionCounts()].add(row.figures, version)
        }
        self.limit = limit
        self.days = days
        self.today = now.day
        self.judge = judge
        self.surveys = counts.sorted { $0.value.total.requests > $1.value.total.requests }
            .prefix(Self.audienceLimit)
            .map { Survey($0.key, $0.value, limit: limit) }
    }

    /// Whether earlier days are of use.
    package var wantsHistory: Bool { self.surveys.contains { !$0.next.isEmpty } }

    /// Looks at a minute, an hour or a day that is kept.
    package mutating func add(_ period: CensusPeriod) {
        guard let client = period.cell.client, period.start.day < self.today,
            let place = self.surveys.firstIndex(where: { survey in
                survey.audience.app == client.app.text
                    && survey.audience.platform == client.platform.text
            }), !self.surveys[place].next.isEmpty
        else { return }
        let version = self.judge.passes(period.cell) ? self.judge.version(of: client) : nil
        self.surveys[place].add(period.figures, version, on: period.start.day)
    }

    /// The advice, those with most requests first.
    package var parts: [Part] {
        self.surveys.map { survey in
            Part(
                audience: survey.audience,
                requests: survey.counts.total.requests,
                devices: survey.counts.total.devices.count,
                countsDevices: survey.counts.countsDevices,
                floor: survey.floor,
                next: survey.next.enumerated().map { index, floor in
                    Next(floor: floor, forecast: self.forecast(survey, index))
                }
            )
        }
    }

    private func forecast(_ survey: Survey, _ index: Int) -> AdoptionCurve.Forecast {
        guard survey.counts.clients >= Self.leastClients else { return .unknown(.fewDevices) }
        // Those who have not updated so far are taken to stay.
        let rest = self.limit - (survey.floor?.share ?? 0)
        guard rest > 0 else { return .unknown(.flattens) }
        let curve = AdoptionCurve(survey.points(index, over: self.days))
        return curve.forecast(below: rest, today: self.today)
    }
}

/// The clients of one app and platform, by version.
private struct VersionCounts: Sendable {
    private(set) var total = CensusFigures()
    /// Those who pass, and who state a version.
    private(set) var versions: [AppVersion: CensusFigures] = [:]

    mutating func add(_ figures: CensusFigures, _ version: AppVersion?) {
        self.total.add(figures)
        if let version { self.versions[version, default: CensusFigures()].add(figures) }
    }

    /// Whether devices can stand for clients: most requests named theirs.
    var countsDevices: Bool { self.total.identified * 2 >= self.total.requests }

    var clients: Int { self.number(self.total) }

    func number(_ figures: CensusFigures) -> Int {
        self.countsDevices ? figures.devices.count : Int(clamping: figures.requests)
    }
}

/// One app and platform, while it is looked at.
private struct Survey: Sendable {
    /// The count of a day: all, and those below each floor to come who are not below the one that is
    /// cheap enough now.
    private struct Day: Sendable {
        var total = CensusFigures()
        var below: [CensusFigures]
    }

    let audience: FloorAdvice.Audience
    let counts: VersionCounts
    let floor: FloorAdvice.Floor?
    let next: [FloorAdvice.Floor]
    private var days: [Int64: Day] = [:]

    init(_ audience: FloorAdvice.Audience, _ counts: VersionCounts, limit: Double) {
        var below = CensusFigures()
        var floors: [FloorAdvice.Floor] = []
        // A floor that few clients could keep is nobody's aim, whatever one of them calls itself.
        var carried: [Bool] = []
        let total = Double(max(counts.clients, 1))
        for (version, figures) in counts.versions.sorted(by: { $0.key < $1.key }) {
            floors.append(
                FloorAdvice.Floor(
                    version: version,
                    requests: below.requests,
                    devices: below.devices.count,
                    share: min(Double(counts.number(below)) / total, 1)
                )
            )
            carried.append(Double(counts.number(figures)) / total >= limit)
            below.add(figures)
        }
        self.audience = audience
        self.counts = counts
        let cheap = floors.prefix { $0.share <= limit }
        // Below the lowest version that was seen, there is nobody to ask.
        self.floor = cheap.count > 1 ? cheap.last : nil
        self.next = Array(
            zip(floors, carried).dropFirst(cheap.count).filter(\.1).map(\.0)
                .prefix(FloorAdvice.nextLimit)
        )
    }

    mutating func add(_ figures: CensusFigures, _ version: AppVersion?, on day: Int64) {
        let none = Day(below: self.next.map { _ in CensusFigures() })
        self.days[day, default: none].total.add(figures)
        guard let version, self.floor.map({ version >= $0.version }) ?? true else { return }
        for (index, floor) in self.next.enumerated() where version < floor.version {
            self.days[day, default: none].below[index].add(figures)
        }
    }

    /// The share below a floor of so many days, each time they end: a device counts once in all of them.
    func points(_ index: Int, over length: Int64) -> [AdoptionCurve.Point] {
        self.days.keys.sorted().compactMap { last in
            let days = (last - length + 1...last).compactMap { self.days[$0] }
            // A day without anybody is one on which the gate did not run.
            guard days.count == length else { return nil }
            var (below, total) = (CensusFigures(), CensusFigures())
            for day in days {
                below.add(day.below[index])
                total.add(day.total)
            }
            let share =
                Double(self.counts.number(below)) / Double(max(self.counts.number(total), 1))
            return AdoptionCurve.Point(day: last, share: share)
        }
    }
}
