internal import GateCensus
internal import GatePolicy

/// Requests of one kind at a time.
struct CensusPoint: Sendable {
    /// The first second of the minute, hour or day.
    let time: Timestamp
    let cell: CensusCell
    let requests: UInt64
}

/// Requests over time by platform and version.
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

    /// Lines that are told apart; the others are one.
    static let limit = 40

    private let since: Timestamp
    private let until: Timestamp
    /// Seconds from one point to the next.
    private let step: Int64
    private let lines: [(line: Line?, counts: [Int64: Count])]

    /// Sums up points.
    ///
    /// - Parameters:
    ///   - points: The requests.
    ///   - since: The first second that they are about.
    ///   - until: The second after the last.
    init(_ points: [CensusPoint], since: Timestamp, until: Timestamp) {
        let step = Self.step(of: since.seconds(until: until))
        var lines: [Line: [Int64: Count]] = [:]
        var totals: [Line: UInt64] = [:]
        for point in points {
            let client = point.cell.client
            let line = Line(
                app: client?.app.text,
                platform: client?.platform.text,
                version: client?.version.text
            )
            let place = point.time.secondsSinceEpoch / step * step
            lines[line, default: [:]][place, default: Count()].add(point)
            totals[line, default: 0] += point.requests
        }
        let order = totals.sorted { left, right in
            (right.value, left.key.words) < (left.value, right.key.words)
        }.map(\.key)
        var rest: [Int64: Count] = [:]
        for line in order.dropFirst(Self.limit) {
            rest.merge(lines[line] ?? [:]) { $0.adding($1) }
        }
        self.since = since
        self.until = until
        self.step = step
        self.lines =
            order.prefix(Self.limit).map { ($0, lines[$0] ?? [:]) }
            + (rest.isEmpty ? [] : [(nil, rest)])
    }

    /// A length of time as the census keeps it: minutes for two hours, hours for eight days, else days.
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
    fileprivate mutating func add(_ point: CensusPoint) {
        self.requests += point.requests
        if point.cell.outcome.kind >= .require { self.denied += point.requests }
    }

    fileprivate func adding(_ other: TrafficReport.Count) -> TrafficReport.Count {
        TrafficReport.Count(
            requests: self.requests + other.requests,
            denied: self.denied + other.denied
        )
    }
}

extension TrafficReport: Encodable {
    private enum Key: String, CodingKey {
        case since, until, stepSeconds, series
    }

    private struct Series: Encodable {
        let app: String?
        let platform: String?
        /// Missing also where it could not be read.
        let version: String?
        /// Whether it stands for all that there was no room for.
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
        let series = self.lines.map { item in
            Series(
                app: item.line?.app,
                platform: item.line?.platform,
                version: item.line?.version,
                isOther: item.line == nil ? true : nil,
                points: item.counts.sorted { $0.key < $1.key }.map { time, count in
                    Point(
                        at: "\(Timestamp(secondsSinceEpoch: time))",
                        requests: count.requests,
                        denied: count.denied
                    )
                }
            )
        }
        try container.encode(series, forKey: .series)
    }
}
