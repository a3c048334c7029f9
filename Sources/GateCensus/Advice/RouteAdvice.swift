package import GatePolicy

/// The clients that some routes select, for each app and platform, and the day on which they will be few enough to
/// deny them.
///
/// Like `FloorAdvice`, it reads the most recent days first, and all stored days only if a forecast is needed.
package struct RouteAdvice: Sendable {
    /// The selected clients with one version.
    package struct Version: Sendable {
        /// The version as sent by clients; `nil` if it is missing or unparsable.
        package let version: String?
        package let figures: CensusFigures
    }

    /// The advice for one app and platform.
    package struct Part: Sendable {
        package let audience: FloorAdvice.Audience
        /// All clients of the app and platform, and those that the routes select.
        package let total: CensusFigures
        package let selected: CensusFigures
        /// Whether devices are counted, because most requests contain one; otherwise, requests are.
        package let countsDevices: Bool
        package let share: Double
        /// In descending order of requests.
        package let versions: [Version]
        /// The day on which the share will be low enough; `nil` if it already is.
        package let forecast: AdoptionCurve.Forecast?
    }

    private struct Day {
        var total = CensusFigures()
        var selected = CensusFigures()
    }

    private struct Survey {
        var total = CensusFigures()
        var selected = CensusFigures()
        var versions: [String?: CensusFigures] = [:]
        var days: [Int64: Day] = [:]

        var countsDevices: Bool { self.total.identified * 2 >= self.total.requests }

        func number(_ figures: CensusFigures) -> Int {
            self.countsDevices ? figures.devices.count : Int(clamping: figures.requests)
        }

        func share(_ selected: CensusFigures, of total: CensusFigures) -> Double {
            min(Double(self.number(selected)) / Double(max(self.number(total), 1)), 1)
        }

        /// Returns the share in each period of `length` days; a device counts once per period.
        func points(over length: Int64) -> [AdoptionCurve.Point] {
            self.days.keys.sorted().compactMap { last in
                let days = (last - length + 1...last).compactMap { self.days[$0] }
                // A day without requests counts as a day on which the gate did not run.
                guard days.count == length else { return nil }
                var (selected, total) = (CensusFigures(), CensusFigures())
                for day in days {
                    selected.add(day.selected)
                    total.add(day.total)
                }
                return AdoptionCurve.Point(day: last, share: self.share(selected, of: total))
            }
        }
    }

    private let limit: Double
    private let days: Int64
    private let today: Int64
    private var selection: RouteSelection
    private var surveys: [FloorAdvice.Audience: Survey] = [:]

    /// Reads the most recent days of the census.
    ///
    /// - Parameters:
    ///   - rows: The census of the last `days` days.
    ///   - selection: The routes.
    ///   - now: The time of the evaluation.
    ///   - limit: The share of clients that may be denied, from 0 to 1.
    ///   - days: The number of days that the rows cover.
    ///   - isWanted: Whether to include an app and platform.
    package init(
        _ rows: [CensusRow],
        _ selection: RouteSelection,
        at now: Timestamp,
        limit: Double,
        days: Int64,
        isWanted: (FloorAdvice.Audience) -> Bool = { _ in true }
    ) {
        self.limit = limit
        self.days = days
        self.today = now.day
        var selection = selection
        var surveys: [FloorAdvice.Audience: Survey] = [:]
        for row in rows where row.figures.requests > 0 {
            guard let client = row.cell.client else { continue }
            let audience = FloorAdvice.Audience(client)
            guard isWanted(audience) else { continue }
            surveys[audience, default: Survey()].total.add(row.figures)
            guard selection.includes(row.cell) else { continue }
            surveys[audience, default: Survey()].selected.add(row.figures)
            surveys[audience, default: Survey()]
                .versions[client.version.text, default: CensusFigures()].add(row.figures)
        }
        self.selection = selection
        let found = surveys.filter { $0.value.selected.requests > 0 }.sorted { left, right in
            left.value.selected.requests > right.value.selected.requests
        }
        for (audience, survey) in found.prefix(FloorAdvice.audienceLimit) {
            self.surveys[audience] = survey
        }
    }

    /// Whether earlier days are needed for a forecast.
    package var needsHistory: Bool { self.surveys.values.contains { !self.isLow($0) } }

    private func isLow(_ survey: Survey) -> Bool {
        survey.share(survey.selected, of: survey.total) <= self.limit
    }

    /// Adds the figures of a stored minute, hour or day.
    package mutating func add(_ period: CensusPeriod) {
        guard let client = period.cell.client, period.start.day < self.today else { return }
        let audience = FloorAdvice.Audience(client)
        guard var survey = self.surveys.removeValue(forKey: audience) else { return }
        survey.days[period.start.day, default: Day()].total.add(period.figures)
        if self.selection.includes(period.cell) {
            survey.days[period.start.day, default: Day()].selected.add(period.figures)
        }
        self.surveys[audience] = survey
    }

    /// The apps and platforms with selected clients, in descending order of their requests.
    package var parts: [Part] {
        self.surveys.map { audience, survey in
            Part(
                audience: audience,
                total: survey.total,
                selected: survey.selected,
                countsDevices: survey.countsDevices,
                share: survey.share(survey.selected, of: survey.total),
                versions: survey.versions.map { Version(version: $0.key, figures: $0.value) }
                    .sorted { left, right in
                        left.figures.requests == right.figures.requests
                            ? (left.version ?? "") < (right.version ?? "")
                            : left.figures.requests > right.figures.requests
                    },
                forecast: self.isLow(survey) ? nil : self.forecast(survey)
            )
        }.sorted { left, right in
            left.selected.requests == right.selected.requests
                ? left.audience.order < right.audience.order
                : left.selected.requests > right.selected.requests
        }
    }

    private func forecast(_ survey: Survey) -> AdoptionCurve.Forecast {
        guard survey.number(survey.total) >= FloorAdvice.minimumClients else {
            return .unknown(.fewDevices)
        }
        return AdoptionCurve(survey.points(over: self.days))
            .forecast(below: self.limit, today: self.today)
    }
}

extension FloorAdvice.Audience {
    init(_ client: CensusClient) {
        self.init(app: client.app.text, platform: client.platform.text)
    }

    fileprivate var order: String { "\(self.app ?? "")\0\(self.platform ?? "")" }
}
