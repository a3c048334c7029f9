internal import GateCensus
package import GatePolicy
internal import GateRules

/// The paths that old versions still call, as a text table and as JSON.
package struct SunsetReport: Sendable {
    /// The maximum number of shapes in the table.
    private static let tableLimit = 40
    /// The maximum number of shapes in JSON.
    private static let dataLimit = 1_000

    /// The parameters of the query.
    package struct Question: Sendable {
        /// The clients that the report is about.
        enum Subject: Sendable {
            case below(AppVersion)
            case routes(RouteSelection)
        }

        let subject: Subject
        /// `nil` for all apps or platforms.
        package let app: String?
        package let platform: String?
        package let since: Timestamp

        package init(below: AppVersion, app: String?, platform: String?, since: Timestamp) {
            self.subject = .below(below)
            self.app = app
            self.platform = platform.map { Platform($0).name }
            self.since = since
        }

        /// Creates a query about the clients that routes of the active rules select.
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
            let isWanted: @Sendable (CensusClient) -> Bool = { [app, platform] client in
                app.map { $0 == client.app.text } ?? true
                    && platform.map { $0 == client.platform.text } ?? true
            }
            return switch self.subject {
            case .below(let version): SunsetFilter(below: version, isWanted: isWanted)
            case .routes(let selection):
                SunsetFilter(selectedBy: selection, isWanted: isWanted)
            }
        }

        /// The clients as text.
        fileprivate var words: String {
            switch self.subject {
            case .below(let version): "versions below \(version)"
            case .routes(let selection): "clients of \(selection.target.words)"
            }
        }
    }

    /// The summary of all calls.
    struct Summary: Sendable {
        let question: Question
        let until: Timestamp
        let total: CensusFigures

        /// Returns the end of a stored period, at most the end of the report.
        func end(of span: (start: Timestamp, length: Int64)?) -> Timestamp? {
            span.map { min($0.start.advanced(by: $0.length), self.until) }
        }
    }

    private let summary: Summary
    private let survey: SunsetSurvey
    /// The shapes of requests that match no pattern.
    private let shapes: [ShapeSurvey.Line]
    /// The patterns that were counted separately only from a time after the start of the report,
    /// each with that time.
    private let patternsSince: [String: Timestamp]

    /// Finds the paths that old versions still call.
    ///
    /// - Throws: `CensusStore.Failure` if the census cannot be read.
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
        try store.forEachLastShape(since: question.since) { cell, shape, start, length in
            shapes.see(shape, by: cell, start, length: length)
        }
        self.shapes = shapes.found
        self.patternsSince = try store.patternsSince().filter { $0.value > question.since }
    }
}

extension SunsetReport.Summary: CustomStringConvertible {
    var description: String {
        let title = "\(self.question.since) to \(self.until), \(self.question.words): "
        guard self.total.requests > 0 else { return "\(title)no requests" }
        let devices = self.total.identified == 0 ? "" : ", \(self.total.devices.count) devices"
        return "\(title)\(self.total.requests) requests\(devices)"
    }
}

extension SunsetReport.Summary: Encodable {
    private enum Key: String, CodingKey {
        case since, until, below, route, backend, requests, devices
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.question.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
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
        let patterns = self.survey.found.filter { $0.place != .other || self.shapes.isEmpty }
        let shown = self.shapes.filter { $0.shape != nil }.prefix(Self.tableLimit)
        let more = self.shapes.count { $0.shape != nil } - shown.count
        let rows =
            patterns.map { (Double($0.figures.requests), self.row($0)) }
            + shown.map { ($0.requests, self.row($0)) }
        let others = self.shapes.filter { $0.shape == nil }.map { self.row($0) }
        let sorted = rows.sorted { left, right in
            left.0 == right.0 ? left.1[0] < right.1[0] : left.0 > right.0
        }.map(\.1)
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
            self.summary.end(of: line.lastSeen).map { "\($0)" } ?? "-",
            VersionTexts(line.versions).summary,
        ]
    }

    private func row(_ line: ShapeSurvey.Line) -> [String] {
        [
            line.shape?.text ?? "(other)", "\(max(1, Int(line.requests.rounded())))",
            line.devices.isEmpty ? "-" : "at most \(line.devices.count)",
            self.summary.end(of: line.lastSeen).map { "\($0)" } ?? "-",
            VersionTexts(line.versions).summary,
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
        /// The pattern as written in the rules; omitted for requests that match none.
        let pattern: String?
        let isExempt: Bool?
        let requests: UInt64
        let devices: Int
        let lastSeen: String?
        /// The uncertainty of `lastSeen`: how many seconds earlier the last request may have
        /// occurred.
        let withinSeconds: Int64?
        let versions: [String]
        /// The time from which requests are counted separately, if later than the start.
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
        let shapes = self.shapes.compactMap { self.shape($0) }
        try container.encode(Array(shapes.prefix(Self.dataLimit)), forKey: .shapes)
        try container.encode(max(0, shapes.count - Self.dataLimit), forKey: .moreShapes)
    }

    private func shape(_ line: ShapeSurvey.Line) -> Shape? {
        line.shape.map { shape in
            Shape(
                method: shape.method,
                path: "/" + shape.segments.joined(separator: "/"),
                requests: max(1, Int(line.requests.rounded())),
                devicesAtMost: line.devices.count,
                lastSeen: self.summary.end(of: line.lastSeen).map { "\($0)" },
                versions: VersionTexts(line.versions).sorted
            )
        }
    }

    private func entry(_ line: SunsetSurvey.Line) -> Entry {
        let pattern: String?
        if case .pattern(let text) = line.place { pattern = text } else { pattern = nil }
        let seen = self.summary.end(of: line.lastSeen)
        return Entry(
            pattern: pattern,
            isExempt: line.place == .exempt ? true : nil,
            requests: line.figures.requests,
            devices: line.figures.devices.count,
            lastSeen: seen.map { "\($0)" },
            withinSeconds: line.lastSeen.flatMap { place in
                seen.map { place.start.seconds(until: $0) }
            },
            versions: VersionTexts(line.versions).sorted,
            countedSince: pattern.flatMap { self.patternsSince[$0] }.map { "\($0)" }
        )
    }
}
