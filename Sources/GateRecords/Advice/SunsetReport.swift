internal import GateCensus
package import GatePolicy
internal import GateRules

/// The paths that old versions still call, as a text table and as JSON.
package struct SunsetReport: Sendable {
    /// The maximum number of path shapes in the table.
    private static let tableLimit = 40
    /// The maximum number of path shapes in the JSON.
    private static let dataLimit = 1_000

    /// The parameters of the query.
    package struct Question: Sendable {
        /// The condition that selects the clients of the report.
        let subject: SunsetFilter.Criterion
        /// The app to include; `nil` to include all apps.
        package let app: String?
        package let platform: String?
        package let since: Timestamp

        package init(below: AppVersion, app: String?, platform: String?, since: Timestamp) {
            self.subject = .below(below)
            self.app = app
            self.platform = platform.map { Platform($0).name }
            self.since = since
        }

        /// Creates a query about the clients that are routed by the active rules.
        package init(
            _ routes: RouteReport.Question,
            by ruleSet: RuleSet,
            at now: Timestamp,
            since: Timestamp
        ) {
            self.subject = .routes(RouteSelection(routes.target, by: ruleSet, at: now))
            self.app = routes.clients.app
            self.platform = routes.clients.platform
            self.since = since
        }

        var filter: SunsetFilter {
            SunsetFilter(self.subject) { [app, platform] client in
                app.map { $0 == client.app.text } ?? true
                    && platform.map { $0 == client.platform.text } ?? true
            }
        }

        /// The condition for clients, as text for the title.
        fileprivate var words: String {
            switch self.subject {
            case .below(let version): "versions below \(version)"
            case .routes(let selection): "clients of \(selection.target.words)"
            }
        }
    }

    /// The total of all calls, together with the query.
    struct Summary: Sendable {
        let question: Question
        let until: Timestamp
        let total: CensusFigures

        var period: ReportPeriod { ReportPeriod(since: self.question.since, until: self.until) }

        /// Returns the end of a stored period, capped at the end of the report, as text.
        func text(_ end: Timestamp?) -> String? { end.map { "\(min($0, self.until))" } }
    }

    private let summary: Summary
    private let survey: SunsetSurvey
    /// The requests that match no pattern, by shape.
    private let shapes: ShapeSurvey
    /// The time since which each pattern has been counted separately, if it is after the start of
    /// the report.
    private let patternsSince: [String: Timestamp]

    /// Finds the paths that old versions still call.
    package init(
        _ store: CensusStore,
        _ question: Question,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        var survey = SunsetSurvey(question.filter)
        try store.forEachPeriod(since: question.since) { survey.add($0) }
        self.summary = Summary(question: question, until: now, total: survey.total)
        self.survey = survey
        var shapes = ShapeSurvey(question.filter)
        for row in try store.rows(since: question.since, withShapes: true) { shapes.add(row) }
        try store.forEachLastShape(since: question.since) { shapes.see($1, by: $0, until: $2) }
        self.shapes = shapes
        self.patternsSince = try store.patternsSince().filter { $0.value > question.since }
    }
}

extension SunsetReport.Summary: CustomStringConvertible {
    var description: String {
        let title = "\(self.period), \(self.question.words): "
        guard self.total.requests > 0 else { return "\(title)no requests" }
        let devices = self.total.identified == 0 ? "" : ", \(self.total.devices.count) devices"
        return "\(title)\(self.total.requests) requests\(devices)"
    }
}

extension SunsetReport.Summary: Encodable {
    private enum Key: String, CodingKey {
        case below, route, backend, requests, devices
    }

    func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        switch self.question.subject {
        case .below(let version): try container.encode("\(version)", forKey: .below)
        case .routes(let selection):
            switch selection.target {
            case .rule(let id): try container.encode(id, forKey: .route)
            case .backend(let name): try container.encode(name, forKey: .backend)
            }
        }
        try container.encode(self.total.requests, forKey: .requests)
        try container.encode(self.total.devices.count, forKey: .devices)
    }
}

extension SunsetReport: CustomStringConvertible {
    package var description: String {
        guard self.summary.total.requests > 0 else { return "\(self.summary)" }
        let shapes = self.shapes.found
        let hasShapes = !shapes.isEmpty || self.shapes.others != nil
        let patterns = self.survey.found.filter { $0.place != .other || !hasShapes }
        let shown = shapes.prefix(Self.tableLimit)
        let more = shapes.count - shown.count
        let rows =
            patterns.map { (Double($0.figures.requests), self.row($0)) }
            + shown.map { ($0.figures.requests, self.row($0.shape.text, $0.figures)) }
        let others = self.shapes.others.map { [self.row("(other)", $0)] } ?? []
        let sorted = rows.sorted(byRequests: \.0) { $0.1[0] }.map(\.1)
        let titles = ["path", "requests", "devices", "last", "versions"]
        let remarks = self.patternsSince.sorted { $0.key < $1.key }.map { text, since in
            "'\(text)' has been counted separately since \(since)"
        }
        return
            (["\(self.summary)"]
            + TextTable([titles] + sorted + others).lines
            + (more > 0 ? ["\(more) more paths; use --json for up to \(Self.dataLimit)"] : [])
            + remarks).joined(separator: "\n")
    }

    private func row(_ line: SunsetSurvey.Line) -> [String] {
        [
            Self.name(line.place), "\(line.figures.requests)",
            line.figures.identified == 0 ? "-" : "\(line.figures.devices.count)",
            self.summary.text(line.lastSeen.end) ?? "-", VersionTexts(line.versions).summary,
        ]
    }

    private func row(_ name: String, _ figures: EstimatedFigures) -> [String] {
        [
            name, "\(figures.count)",
            figures.devices.isEmpty ? "-" : "at most \(figures.devices.count)",
            self.summary.text(figures.lastSeen) ?? "-", VersionTexts(figures.versions).summary,
        ]
    }

    private static func name(_ place: SunsetSurvey.Place) -> String {
        switch place {
        case .pattern(let text): text
        case .exempt: "(exempt)"
        case .other: "(other)"
        }
    }
}

extension SunsetReport: Encodable {
    private struct Entry: Encodable {
        /// The pattern as written in the rules; omitted for requests that match no pattern.
        let pattern: String?
        let isExempt: Bool?
        let requests: UInt64
        let devices: Int
        let lastSeen: String?
        /// The uncertainty of `lastSeen`: how many seconds earlier the last request may have
        /// occurred.
        let withinSeconds: Int64
        let versions: [String]
        /// The time since which the pattern has been counted separately; omitted if it is before the
        /// start of the report.
        let countedSince: String?
    }

    /// Requests that match no pattern, by the shape of their path.
    private struct Shape: Encodable {
        let method: String
        let path: String
        let requests: Int
        let devicesAtMost: Int
        let lastSeen: String?
        let versions: [String]
    }

    private enum Key: String, CodingKey {
        case paths, shapes, moreShapes
    }

    package func encode(to encoder: any Encoder) throws {
        try self.summary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.survey.found.map { self.entry($0) }, forKey: .paths)
        let shapes = self.shapes.found
        try container.encode(shapes.prefix(Self.dataLimit).map { self.shape($0) }, forKey: .shapes)
        try container.encode(max(0, shapes.count - Self.dataLimit), forKey: .moreShapes)
    }

    private func shape(_ line: ShapeSurvey.Line) -> Shape {
        Shape(
            method: line.shape.method,
            path: "/" + line.shape.segments.joined(separator: "/"),
            requests: line.figures.count,
            devicesAtMost: line.figures.devices.count,
            lastSeen: self.summary.text(line.figures.lastSeen),
            versions: VersionTexts(line.figures.versions).sorted
        )
    }

    private func entry(_ line: SunsetSurvey.Line) -> Entry {
        let pattern: String?
        if case .pattern(let text) = line.place { pattern = text } else { pattern = nil }
        return Entry(
            pattern: pattern,
            isExempt: line.place == .exempt ? true : nil,
            requests: line.figures.requests,
            devices: line.figures.devices.count,
            lastSeen: self.summary.text(line.lastSeen.end),
            withinSeconds: line.lastSeen.start
                .seconds(until: min(line.lastSeen.end, self.summary.until)),
            versions: VersionTexts(line.versions).sorted,
            countedSince: pattern.flatMap { self.patternsSince[$0] }.map { "\($0)" }
        )
    }
}

/// Versions as written by clients.
struct VersionTexts {
    /// The maximum number of versions in a summary.
    private static let limit = 5

    /// The versions, oldest first, followed by the strings that are not valid versions.
    let sorted: [String]

    init(_ texts: Set<String>) {
        self.sorted = texts.map { ($0, try? AppVersion(parsing: $0)) }.sorted { left, right in
            switch (left.1, right.1) {
            case (let first?, let second?) where first != second: first < second
            case (_?, nil): true
            case (nil, _?): false
            default: left.0 < right.0
            }
        }.map(\.0)
    }

    var summary: String {
        let more = self.sorted.count - Self.limit
        return self.sorted.prefix(Self.limit).joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }
}
