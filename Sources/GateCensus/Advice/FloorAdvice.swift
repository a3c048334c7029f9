package import GatePolicy

/// The highest floor that affects few enough clients, for each app and platform, and a forecast for
/// higher floors.
///
/// The forecast is the day on which a higher floor will affect just as few clients. To limit
/// memory, the advice is computed in two steps: `init` reads the most recent days, and `add(_:)`
/// reads all stored days for the floors that need a forecast.
package struct FloorAdvice: Sendable {
    /// A floor, with the clients below it that currently pass.
    package struct Floor: Sendable {
        package let version: AppVersion
        package let requests: UInt64
        package let devices: Int
        /// The share of these clients among all clients of the app and platform.
        package let share: Double
    }

    /// A floor that affects too many clients today.
    package struct Next: Sendable {
        package let floor: Floor
        package let forecast: AdoptionCurve.Forecast
    }

    /// The advice for one app and platform.
    package struct Part: Sendable {
        package let audience: CensusAudience
        package let requests: UInt64
        package let devices: Int
        /// Whether devices are counted.
        ///
        /// If most requests contain no device ID, requests are counted instead.
        package let countsDevices: Bool
        /// The floor; `nil` if every floor above the lowest version affects too many clients,
        /// or if only one version was seen.
        package let floor: Floor?
        package let next: [Next]
    }

    /// The maximum number of audiences; the audiences with the most requests are chosen.
    ///
    /// The number is limited, because clients can send any names.
    static let audienceLimit = 8
    /// The maximum number of future floors for each app and platform.
    static let nextLimit = 5
    /// The number of whole days that the curve uses in addition to the most recent days.
    package static let history: Int64 = 28
    /// The minimum number of devices for a forecast, or of requests if they contain no device IDs.
    static let minimumClients = 200

    private let limit: Double
    private let days: Int64
    private let today: Int64
    private var surveys: [Survey]
    private var judge: ClientEvaluator

    /// Reads the most recent days of the census.
    ///
    /// - Parameters:
    ///   - rows: The census of the last `days` days.
    ///   - ruleSet: The active rules; clients that the rules already deny are not counted.
    ///   - now: The time of the evaluation.
    ///   - limit: The maximum share of clients that a floor may affect, from 0 to 1.
    ///   - days: The number of days that the rows cover.
    ///   - isWanted: Whether to include an app and platform.
    package init(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        at now: Timestamp,
        limit: Double,
        days: Int64,
        isWanted: (CensusAudience) -> Bool = { _ in true }
    ) {
        var judge = ClientEvaluator(ruleSet, now)
        var counts: [CensusAudience: VersionCounts] = [:]
        for row in rows {
            guard let client = row.cell.client else { continue }
            let audience = CensusAudience(client)
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

    /// Whether earlier days are needed for a forecast.
    package var needsHistory: Bool { self.surveys.contains { !$0.next.isEmpty } }

    /// Adds the figures of a stored minute, hour or day.
    package mutating func add(_ period: CensusPeriod) {
        guard let client = period.cell.client, period.start.day < self.today else { return }
        let audience = CensusAudience(client)
        guard let place = self.surveys.firstIndex(where: { $0.audience == audience }),
            !self.surveys[place].next.isEmpty
        else { return }
        let version = self.judge.passes(period.cell) ? self.judge.version(of: client) : nil
        self.surveys[place].add(period.figures, version, on: period.start.day)
    }

    /// The advice, in descending order of requests.
    package var parts: [Part] {
        self.surveys.map { survey in
            Part(
                audience: survey.audience,
                requests: survey.counts.total.requests,
                devices: survey.counts.total.devices.count,
                countsDevices: survey.counts.total.countsDevices,
                floor: survey.floor,
                next: survey.next.enumerated().map { index, floor in
                    Next(floor: floor, forecast: self.forecast(survey, index))
                }
            )
        }
    }

    private func forecast(_ survey: Survey, _ index: Int) -> AdoptionCurve.Forecast {
        let (total, byDevices) = (survey.counts.total, survey.counts.total.countsDevices)
        guard total.clients(byDevices: byDevices) >= Self.minimumClients else {
            return .unknown(.fewDevices)
        }
        // Clients below the affordable floor are assumed never to update.
        let rest = self.limit - (survey.floor?.share ?? 0)
        guard rest > 0 else { return .unknown(.flattens) }
        let points = survey.days.points(of: index, over: self.days, byDevices: byDevices)
        return AdoptionCurve(points).forecast(below: rest, today: self.today)
    }
}

/// The clients of an app and platform, by version.
private struct VersionCounts: Sendable {
    private(set) var total = CensusFigures()
    /// The clients that pass and send a version.
    private(set) var versions: [AppVersion: CensusFigures] = [:]

    mutating func add(_ figures: CensusFigures, _ version: AppVersion?) {
        self.total.add(figures)
        if let version { self.versions[version, default: CensusFigures()].add(figures) }
    }
}

/// The evaluation of one app and platform.
private struct Survey: Sendable {
    let audience: CensusAudience
    let counts: VersionCounts
    let floor: FloorAdvice.Floor?
    let next: [FloorAdvice.Floor]
    /// The figures by day, with a part for each future floor: the clients below this floor but not
    /// below the affordable floor.
    private(set) var days: DailyFigures

    init(_ audience: CensusAudience, _ counts: VersionCounts, limit: Double) {
        var below = CensusFigures()
        var floors: [FloorAdvice.Floor] = []
        // A version with few clients is not a useful floor, because clients can send any version.
        var carried: [Bool] = []
        let byDevices = counts.total.countsDevices
        let total = Double(max(counts.total.clients(byDevices: byDevices), 1))
        for (version, figures) in counts.versions.sorted(by: { $0.key < $1.key }) {
            floors.append(
                FloorAdvice.Floor(
                    version: version,
                    requests: below.requests,
                    devices: below.devices.count,
                    share: min(Double(below.clients(byDevices: byDevices)) / total, 1)
                )
            )
            carried.append(Double(figures.clients(byDevices: byDevices)) / total >= limit)
            below.add(figures)
        }
        self.audience = audience
        self.counts = counts
        let cheap = floors.prefix { $0.share <= limit }
        // No client is below the lowest version that was seen.
        self.floor = cheap.count > 1 ? cheap.last : nil
        self.next = Array(
            zip(floors, carried).dropFirst(cheap.count).filter(\.1).map(\.0)
                .prefix(FloorAdvice.nextLimit)
        )
        self.days = DailyFigures(parts: self.next.count)
    }

    /// Adds the figures of clients; `version` is `nil` if the clients do not pass or send no version.
    mutating func add(_ figures: CensusFigures, _ version: AppVersion?, on day: Int64) {
        var floors: [Int] = []
        if let version, self.floor.map({ version >= $0.version }) ?? true {
            floors = self.next.indices.filter { version < self.next[$0].version }
        }
        self.days.add(figures, to: floors, on: day)
    }
}
