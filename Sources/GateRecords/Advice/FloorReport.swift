internal import GateCensus
package import GatePolicy

/// The highest floors that affect few clients, as text and as JSON.
package struct FloorReport: Sendable {
    package typealias Question = AdviceQuestion

    /// The supported periods in days, and the default.
    package static let days: ClosedRange<Int64> = 1...30
    package static let usualDays: Int64 = 7

    private let question: Question
    private let until: Timestamp
    private let parts: [FloorAdvice.Part]
    /// The number of stored periods that a forecast was computed from.
    let periodCount: Int

    /// Finds floors.
    ///
    /// - Parameters:
    ///   - store: The census.
    ///   - question: The parameters of the query.
    ///   - ruleSet: The active rules.
    ///   - now: The end of the period.
    /// - Throws: `CensusStore.Failure` if the census cannot be read.
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
        self.until = now
        self.parts = advice.parts
    }

    private var since: Timestamp { self.question.start(before: self.until) }
}

extension FloorReport: CustomStringConvertible {
    package var description: String {
        let limit = ShareFormat.percent(self.question.limit)
        let title = "\(self.since) to \(self.until), at most \(limit)"
        guard !self.parts.isEmpty else { return "\(title)\nno clients were counted" }
        return ([title] + self.parts.flatMap { Self.lines($0) }).joined(separator: "\n")
    }

    private static func lines(_ part: FloorAdvice.Part) -> [String] {
        let audience = "\(part.audience.app ?? "-") \(part.audience.platform ?? "-")"
        let count = part.countsDevices ? "\(part.devices) devices" : "\(part.requests) requests"
        var lines = ["\(audience): \(count)"]
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
        /// The day from which the floor affects no more than the requested share.
        var from: String?
        /// The relative decrease of the share per day.
        var dailyFall: Double?
        /// The reason why `from` is missing.
        var undated: String?

        init(_ floor: FloorAdvice.Floor, _ forecast: AdoptionCurve.Forecast? = nil) {
            self.minimum = "\(floor.version)"
            self.requests = floor.requests
            self.devices = floor.devices
            self.share = (floor.share * 1e6).rounded() / 1e6
            switch forecast {
            case .reached(let day, let daily):
                self.from = AdoptionCurve.Forecast.date(day)
                self.dailyFall = (daily * 1e4).rounded() / 1e4
            case .unknown(let reason): self.undated = reason.rawValue
            case nil: break
            }
        }
    }

    private enum Key: String, CodingKey {
        case since, until, atMost, floors
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
        try container.encode(self.question.limit, forKey: .atMost)
        try container.encode(self.parts.map { Entry($0) }, forKey: .floors)
    }
}
