internal import GateCensus
internal import GatePolicy

/// The requests of one cell over time.
struct CensusSeries: Sendable {
    let cell: CensusCell
    /// The number of requests by the start of their minute, hour or day, in seconds since 1970.
    let requests: [Int64: UInt64]
}

/// The requests over time by platform and version.
package struct TrafficReport: Sendable {
    /// A version of an app on a platform.
    struct Line: Hashable {
        let app: String?
        let platform: String?
        let version: String?
    }

    struct Count {
        var requests: UInt64 = 0
        var denied: UInt64 = 0
    }

    /// The maximum number of separate lines; the other lines are combined into one.
    static let limit = 40

    private let period: ReportPeriod
    /// The number of seconds per point.
    private let step: Int64
    /// The start of the first step, in seconds since 1970.
    private let start: Int64
    /// The lines, each with its counts by step; the line is `nil` for the sum of all other lines.
    private let lines: [(line: Line?, counts: [Count])]

    /// Sums up the requests by version; requests outside the period are ignored.
    init(_ series: [CensusSeries], since: Timestamp, until: Timestamp) {
        let step = Self.step(of: since.seconds(until: until))
        // The census keeps no counts from before this time.
        let kept = until.advanced(by: -CensusStore.daysKept)
        let start = max(since, kept).secondsSinceEpoch / step * step
        let count = max(0, Int((until.secondsSinceEpoch - 1 - start) / step + 1))
        let range = start..<start + Int64(count) * step
        var totals: [Line: UInt64] = [:]
        for part in series {
            let requests = part.requests.lazy.filter { range.contains($0.key) }
            totals[Line(part.cell.client), default: 0] += requests.reduce(0) { $0 + $1.value }
        }
        let lines = totals.filter { $0.value > 0 }
            .sorted(byRequests: \.value, thenBy: \.key.words).map(\.key)
        let shown = lines.prefix(Self.limit)
        let places = Dictionary(uniqueKeysWithValues: zip(shown, shown.indices))
        // The counts of all other lines come last.
        var counts = Array(
            repeating: Array(repeating: Count(), count: count),
            count: shown.count + 1
        )
        for part in series {
            let place = places[Line(part.cell.client)] ?? shown.count
            let isDenied = part.cell.outcome.kind >= .require
            for (time, requests) in part.requests where range.contains(time) {
                let index = Int((time - start) / step)
                counts[place][index].requests += requests
                if isDenied { counts[place][index].denied += requests }
            }
        }
        let isWhole = lines.count == shown.count
        self.period = ReportPeriod(since: since, until: until)
        self.step = step
        self.start = start
        self.lines =
            zip(shown, counts).map { ($0, $1) } + (isWhole ? [] : [(nil, counts[shown.count])])
    }

    /// Returns the span that the census keeps for a period: minutes for up to two hours, hours for
    /// up to eight days, and days for longer periods.
    static func step(of span: Int64) -> Int64 {
        switch span {
        case ...7_200: CensusStore.Span.minute.rawValue
        case ...(8 * 86_400): CensusStore.Span.hour.rawValue
        default: CensusStore.Span.day.rawValue
        }
    }
}

extension TrafficReport.Line {
    fileprivate init(_ client: CensusClient?) {
        self.init(
            app: client?.app.text,
            platform: client?.platform.text,
            version: client?.version.text
        )
    }

    fileprivate var words: String {
        [self.app, self.platform, self.version].map { $0 ?? "" }.joined(separator: "\0")
    }
}

extension TrafficReport: Encodable {
    private enum Key: String, CodingKey {
        case stepSeconds, series
    }

    private struct Series: Encodable {
        let app: String?
        let platform: String?
        /// The version as text; omitted if it is missing or could not be parsed.
        let version: String?
        /// Whether the series is the sum of all other lines.
        let isOther: Bool?
        let points: [Point]
    }

    private struct Point: Encodable {
        let at: String
        let requests: UInt64
        let denied: UInt64
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.step, forKey: .stepSeconds)
        let times = (self.lines.first?.counts ?? []).indices.map { index in
            "\(Timestamp(secondsSinceEpoch: self.start + Int64(index) * self.step))"
        }
        let series = self.lines.map { item in
            Series(
                app: item.line?.app,
                platform: item.line?.platform,
                version: item.line?.version,
                isOther: item.line == nil ? true : nil,
                points: zip(times, item.counts).lazy.filter { $1.requests > 0 }.map { time, count in
                    Point(at: time, requests: count.requests, denied: count.denied)
                }
            )
        }
        try container.encode(series, forKey: .series)
    }
}
