package import GatePolicy

/// For each app and platform, the clients to which the given routes apply, and a forecast of the
/// day on which their share will be low enough to deny them.
///
/// Like `FloorAdvice`, this type reads the most recent days first, and all stored days only if a forecast is needed.
package struct RouteAdvice: Sendable {
    /// The selected clients with one version.
    package struct Version: Sendable {
        /// The version as sent by clients; `nil` if it is missing or unparsable.
        package let version: String?
        package let figures: CensusFigures
    }

    /// The advice for one app and platform.
    package struct Part: Sendable {
        package let audience: CensusAudience
        /// All clients of the app and platform, and those to which the routes apply.
        package let total: CensusFigures
        package let selected: CensusFigures
        /// Whether devices are counted, because most requests contain a device ID; otherwise, requests are counted.
        package let countsDevices: Bool
        package let share: Double
        /// The versions of the selected clients, in descending order of requests.
        package let versions: [Version]
        /// The day on which the share will be low enough; `nil` if it already is.
        package let forecast: AdoptionCurve.Forecast?
    }

    private struct Survey {
        var total = CensusFigures()
        var selected = CensusFigures()
        var versions: [String?: CensusFigures] = [:]
        var days = DailyFigures(parts: 1)

        var share: Double {
            self.selected.share(of: self.total, byDevices: self.total.countsDevices)
        }
    }

    private let limit: Double
    private let days: Int64
    private let today: Int64
    private var selection: RouteSelection
    private var surveys: [CensusAudience: Survey] = [:]

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
        isWanted: (CensusAudience) -> Bool = { _ in true }
    ) {
        self.limit = limit
        self.days = days
        self.today = now.day
        var selection = selection
        var surveys: [CensusAudience: Survey] = [:]
        for row in rows where row.figures.requests > 0 {
            guard let client = row.cell.client else { continue }
            let audience = CensusAudience(client)
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

    private func isLow(_ survey: Survey) -> Bool { survey.share <= self.limit }

    /// Adds the figures of a stored minute, hour or day.
    package mutating func add(_ period: CensusPeriod) {
        guard let client = period.cell.client, period.start.day < self.today else { return }
        let audience = CensusAudience(client)
        guard var survey = self.surveys.removeValue(forKey: audience) else { return }
        let parts = self.selection.includes(period.cell) ? [0] : []
        survey.days.add(period.figures, to: parts, on: period.start.day)
        self.surveys[audience] = survey
    }

    /// The apps and platforms with selected clients, in descending order of their requests.
    package var parts: [Part] {
        self.surveys.map { audience, survey in
            Part(
                audience: audience,
                total: survey.total,
                selected: survey.selected,
                countsDevices: survey.total.countsDevices,
                share: survey.share,
                versions: survey.versions.map { Version(version: $0.key, figures: $0.value) }
                    .sorted(byRequests: \.figures.requests) { $0.version ?? "" },
                forecast: self.isLow(survey) ? nil : self.forecast(survey)
            )
        }.sorted(byRequests: \.selected.requests, thenBy: \.audience.name)
    }

    private func forecast(_ survey: Survey) -> AdoptionCurve.Forecast {
        let byDevices = survey.total.countsDevices
        guard survey.total.clients(byDevices: byDevices) >= FloorAdvice.minimumClients else {
            return .unknown(.fewDevices)
        }
        let points = survey.days.points(of: 0, over: self.days, byDevices: byDevices)
        return AdoptionCurve(points).forecast(below: self.limit, today: self.today)
    }
}
