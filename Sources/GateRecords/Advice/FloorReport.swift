internal import GateCensus
package import GatePolicy

/// The parameters of a query for changes that affect few clients.
package struct AdviceQuestion: Sendable, Equatable {
    /// The app to include; `nil` to include all apps.
    package let app: String?
    package let platform: String?
    /// The maximum share of clients that may be affected, from 0 to 1.
    package let limit: Double
    /// The length in days of the period in which clients are counted; it ends at the time of the query.
    package let days: Int64

    package init(app: String?, platform: String?, limit: Double, days: Int64) {
        self.app = app
        self.platform = platform.map { Platform($0).name }
        self.limit = limit
        self.days = days
    }

    /// Returns the start of the period.
    func start(before now: Timestamp) -> Timestamp { now.advanced(by: -self.days * 86_400) }

    /// Returns the start of the census data that a forecast is computed from.
    func historyStart(before now: Timestamp) -> Timestamp {
        let days = self.days + FloorAdvice.history
        return Timestamp(secondsSinceEpoch: (now.day - days) * 86_400)
    }

    /// Returns whether the query includes an app and platform.
    func includes(_ audience: CensusAudience) -> Bool {
        self.app.map { $0 == audience.app } ?? true
            && self.platform.map { $0 == audience.platform } ?? true
    }
}

/// The highest floors that affect few clients, as text and as JSON.
package struct FloorReport: Sendable {
    package typealias Question = AdviceQuestion

    /// The supported lengths of the period in days, and the default length.
    package static let days: ClosedRange<Int64> = 1...30
    package static let usualDays: Int64 = 7

    private let question: Question
    private let period: ReportPeriod
    private let parts: [FloorAdvice.Part]
    /// The number of stored periods from which the forecasts were computed.
    let periodCount: Int

    /// Finds higher floors for the clients that the active rules allow, in the period that ends
    /// now.
    package init(
        _ store: CensusStore,
        _ question: Question,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        var advice = FloorAdvice(
            try store.rows(since: question.start(before: now)),
            by: ruleSet,
            at: now,
            limit: question.limit,
            days: question.days,
            isWanted: question.includes
        )
        var periodCount = 0
        if advice.needsHistory {
            try store.forEachPeriod(since: question.historyStart(before: now)) { period in
                advice.add(period)
                periodCount += 1
            }
        }
        self.periodCount = periodCount
        self.question = question
        self.period = ReportPeriod(since: question.start(before: now), until: now)
        self.parts = advice.parts
    }
}

extension FloorReport: CustomStringConvertible {
    package var description: String {
        let limit = ShareFormat.percent(self.question.limit)
        let title = "\(self.period), at most \(limit)"
        guard !self.parts.isEmpty else { return "\(title)\nno clients were counted" }
        return ([title] + self.parts.flatMap { Self.lines($0) }).joined(separator: "\n")
    }

    private static func lines(_ part: FloorAdvice.Part) -> [String] {
        let count = part.countsDevices ? "\(part.devices) devices" : "\(part.requests) requests"
        var lines = ["\(part.audience.words): \(count)"]
        if let floor = part.floor {
            lines.append(
                "  minimum: \"\(floor.version)\"  # \(Self.cost(floor, of: part)) below it pass now"
            )
        } else {
            lines.append("  no version in the census could be a higher floor within the limit")
        }
        for next in part.next {
            let cost = "\(Self.cost(next.floor, of: part)) today"
            lines.append("  \(next.floor.version): \(cost); \(next.forecast.words)")
        }
        return lines
    }

    private static func cost(_ floor: FloorAdvice.Floor, of part: FloorAdvice.Part) -> String {
        let count = part.countsDevices ? "\(floor.devices) devices" : "\(floor.requests) requests"
        return "\(count) (\(ShareFormat.percent(floor.share)))"
    }
}

extension FloorReport: Encodable {
    private struct Entry: Encodable {
        let app: String?
        let platform: String?
        let requests: UInt64
        let devices: Int
        /// The unit of the shares: `devices` or `requests`.
        let counts: String
        let floor: Floor?
        let next: [Floor]

        init(_ part: FloorAdvice.Part) {
            self.app = part.audience.app
            self.platform = part.audience.platform
            self.requests = part.requests
            self.devices = part.devices
            self.counts = part.countsDevices ? "devices" : "requests"
            self.floor = part.floor.map { Floor($0) }
            self.next = part.next.map { Floor($0.floor, $0.forecast) }
        }
    }

    private struct Floor: Encodable {
        let minimum: String
        let requests: UInt64
        let devices: Int
        let share: Double
        /// The first day on which the floor affects no more than the requested share.
        let from: String?
        /// The relative decrease in the share per day, as a fraction.
        let dailyFall: Double?
        /// The reason why `from` is missing; `nil` if `from` is set.
        let undated: String?

        init(_ floor: FloorAdvice.Floor, _ forecast: AdoptionCurve.Forecast? = nil) {
            self.minimum = "\(floor.version)"
            self.requests = floor.requests
            self.devices = floor.devices
            self.share = (floor.share * 1e6).rounded() / 1e6
            (self.from, self.dailyFall, self.undated) = forecast?.members ?? (nil, nil, nil)
        }
    }

    private enum Key: String, CodingKey {
        case atMost, floors
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.question.limit, forKey: .atMost)
        try container.encode(self.parts.map { Entry($0) }, forKey: .floors)
    }
}

extension AdoptionCurve.Forecast {
    /// The forecast as text.
    var words: String {
        switch self {
        case .reached(let day, let daily):
            "within the limit from about \(Self.date(day)), if their share keeps falling by "
                + "\(ShareFormat.percent(daily)) per day"
        case .unknown(.fewDays): "no date: the census covers too few days"
        case .unknown(.fewDevices): "no date: too few clients for a forecast"
        case .unknown(.notFalling): "no date: their share is not falling"
        case .unknown(.unsteady): "no date: their share is falling too unevenly"
        case .unknown(.flattens):
            "no date: their share is falling more and more slowly; some clients never update"
        case .unknown(.far): "no date: too far in the future"
        }
    }

    /// The forecast as members of a JSON object.
    var members: (from: String?, dailyFall: Double?, undated: String?) {
        switch self {
        case .reached(let day, let daily): (Self.date(day), (daily * 1e4).rounded() / 1e4, nil)
        case .unknown(let reason): (nil, nil, reason.rawValue)
        }
    }

    /// Returns a number of days since 1970 as a date, such as `2027-01-15`.
    static func date(_ day: Int64) -> String {
        String("\(Timestamp(secondsSinceEpoch: day * 86_400))".prefix(10))
    }
}
