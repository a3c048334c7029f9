internal import GateCensus
internal import GatePolicy

/// The requests of one cell over time.
struct CensusSeries: Sendable {
    let cell: CensusCell
    /// The requests by the start of their minute, hour or day, in seconds since 1970.
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

    private let since: Timestamp
    private let until: Timestamp
    /// The number of seconds per point.
    private let step: Int64
    private let lines: [(line: Line?, counts: [Int64: Count])]

    /// Sums up the requests of clients with the same version.
    ///
    /// - Parameters:
    ///   - series: The requests.
    ///   - since: The start of their period.
    ///   - until: The end of their period, exclusive.
    init(_ series: [CensusSeries], since: Timestamp, until: Timestamp) {
        let step = Self.step(of: since.seconds(until: until))
        var lines: [Line: [Int64: Count]] = [:]
        var totals: [Line: UInt64] = [:]
        for part in series {
            let client = part.cell.client
            let isDenied = part.cell.outcome.kind >= .require
            let line = Line(
                app: client?.app.text,
                platform: client?.platform.text,
                version: client?.version.text
            )
            var counts = lines.removeValue(forKey: line) ?? [:]
            for (time, requests) in part.requests {
                let count = Count(requests: requests, denied: isDenied ? requests : 0)
                counts[time / step * step, default: Count()].add(count)
            }
            totals[line, default: 0] += part.requests.values.reduce(0, +)
            lines[line] = counts
        }
        let order = totals.sorted { left, right in
            left.value == right.value
                ? left.key.words < right.key.words : left.value > right.value
        }.map(\.key)
        var rest: [Int64: Count] = [:]
        for line in order.dropFirst(Self.limit) {
            for (time, count) in lines[line] ?? [:] { rest[time, default: Count()].add(count) }
        }
        self.since = since
        self.until = until
        self.step = step
        self.lines =
            order.prefix(Self.limit).map { ($0, lines[$0] ?? [:]) }
            + (rest.isEmpty ? [] : [(nil, rest)])
    }

    /// Returns the span that the census keeps for a period: minutes up to two hours, hours up to
    /// eight days, otherwise days.
    static func step(of span: Int64) -> Int64 {
        switch span {
        case ...7_200: CensusStore.Span.minute.rawValue
        case ...(8 * 86_400): CensusStore.Span.hour.rawValue
        default: CensusStore.Span.day.rawValue
        }
    }
}

extension TrafficReport.Line {
    fileprivate var words: String {
        [self.app, self.platform, self.version].map { $0 ?? "" }.joined(separator: "\0")
    }
}

extension TrafficReport.Count {
    fileprivate mutating func add(_ other: TrafficReport.Count) {
        self.requests += other.requests
        self.denied += other.denied
    }
}

extension TrafficReport: Encodable {
    private enum Key: String, CodingKey {
        case since, until, stepSeconds, series
    }

    private struct Series: Encodable {
        let app: String?
        let platform: String?
        /// Also omitted if the version could not be parsed.
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
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
        try container.encode(self.step, forKey: .stepSeconds)
        // Most lines have the same times.
        let times = Set(self.lines.flatMap(\.counts.keys))
        let texts = Dictionary(
            uniqueKeysWithValues: times.map { ($0, "\(Timestamp(secondsSinceEpoch: $0))") }
        )
        let series = self.lines.map { item in
            Series(
                app: item.line?.app,
                platform: item.line?.platform,
                version: item.line?.version,
                isOther: item.line == nil ? true : nil,
                points: item.counts.sorted { $0.key < $1.key }.map { time, count in
                    Point(
                        at: texts[time, default: ""],
                        requests: count.requests,
                        denied: count.denied
                    )
                }
            )
        }
        try container.encode(series, forKey: .series)
    }
}
