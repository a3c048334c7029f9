internal import GateCensus
package import GatePolicy

/// The decisions from the last 15 minutes, and from the 15 minutes one hour earlier.
package struct OverviewReport: Sendable {
    /// The length of each period in seconds.
    private static let length: Int64 = 900
    /// The number of seconds between the two periods.
    private static let distance: Int64 = 3_600

    private let until: Timestamp
    private let now: DecisionSurvey
    private let earlier: DecisionSurvey
    private let versions: [VersionEntry]

    /// The maximum number of versions in the report.
    private static let versionLimit = 5

    /// Reads both periods; the later one ends with the current minute, which is incomplete.
    package init(
        _ store: CensusStore,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        let minute = CensusStore.Span.minute
        let until = Timestamp(secondsSinceEpoch: minute.start(of: now) + minute.rawValue)
        func rows(endingAt end: Timestamp) throws(CensusStore.Failure) -> [CensusRow] {
            try store.rows(since: Self.period(endingAt: end).since, until: end)
        }
        let last = try rows(endingAt: until)
        let earlier = try rows(endingAt: until.advanced(by: -Self.distance))
        self.until = until
        self.now = DecisionSurvey(last, by: ruleSet, at: now)
        self.earlier = DecisionSurvey(earlier, by: ruleSet, at: now)
        self.versions = Self.versions(of: last)
    }

    private static func period(endingAt end: Timestamp) -> ReportPeriod {
        ReportPeriod(since: end.advanced(by: -self.length), until: end)
    }

    /// Returns the versions with the most requests, across all apps and platforms.
    private static func versions(of rows: [CensusRow]) -> [VersionEntry] {
        var requests: [String: UInt64] = [:]
        for row in rows {
            guard let version = row.cell.client?.version.text else { continue }
            requests[version, default: 0] += row.figures.requests
        }
        return requests.map { VersionEntry(version: $0.key, requests: $0.value) }
            .sorted(byRequests: \.requests, thenBy: \.version)
            .prefix(Self.versionLimit).map(\.self)
    }
}

extension OverviewReport: Encodable {
    private enum Key: String, CodingKey {
        case earlier, total, platforms, versions
    }

    private struct VersionEntry: Encodable {
        let version: String
        let requests: UInt64
    }

    /// The figures of all clients, or of the clients of a platform.
    private struct Entry: Encodable {
        var platform: String?
        var isOther: Bool?
        let now: Figures
        let earlier: Figures
    }

    private struct Figures: Encodable {
        let requests: UInt64
        let devices: Int
        let denied: Amount
        let recommended: Amount
        let observed: Amount
        let serverErrors: UInt64

        init(_ totals: DecisionTotals?) {
            let totals = totals ?? DecisionTotals()
            let all = Amount(totals.all)
            self.requests = all.requests
            self.devices = all.devices
            self.denied = Amount(totals.denied)
            self.recommended = Amount(totals.recommended)
            self.observed = Amount(totals.observed)
            self.serverErrors = totals.serverErrors
        }
    }

    private struct Amount: Encodable {
        let requests: UInt64
        let devices: Int

        init(_ amount: ImpactAmount) {
            self.requests = UInt64(amount.requests.rounded())
            self.devices = Int(amount.devices.rounded())
        }
    }

    package func encode(to encoder: any Encoder) throws {
        try Self.period(endingAt: self.until).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        let earlier = Self.period(endingAt: self.until.advanced(by: -Self.distance))
        try container.encode(earlier, forKey: .earlier)
        let total = Entry(now: Figures(self.now.total), earlier: Figures(self.earlier.total))
        try container.encode(total, forKey: .total)
        try container.encode(self.platforms, forKey: .platforms)
        try container.encode(self.versions, forKey: .versions)
    }

    /// The platforms, in descending order of requests.
    private var platforms: [Entry] {
        let groups = Set(self.now.groups.keys).union(self.earlier.groups.keys)
        let entries = groups.map { group in
            let (now, earlier) = (self.now.groups[group], self.earlier.groups[group])
            var entry = Entry(now: Figures(now), earlier: Figures(earlier))
            switch group {
            case .platform(let name): entry.platform = name
            case .other: entry.isOther = true
            }
            return entry
        }
        return entries.sorted(byRequests: \.now.requests) { $0.platform ?? "" }
    }
}
