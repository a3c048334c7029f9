internal import GateCensus
package import GatePolicy

/// The paths that old versions still call, as a table for people and as data for programs.
package struct SunsetReport: Sendable {
    /// What is asked for.
    package struct Question: Sendable {
        package let below: AppVersion
        /// `nil`: every app, every platform.
        package let app: String?
        package let platform: String?
        package let since: Timestamp

        package init(below: AppVersion, app: String?, platform: String?, since: Timestamp) {
            self.below = below
            self.app = app
            self.platform = platform.map { Platform($0).name }
            self.since = since
        }
    }

    /// Versions that a line of the table names.
    private static let versionLimit = 5

    private let question: Question
    private let until: Timestamp
    private let survey: SunsetSurvey
    /// Patterns that were not counted apart from the first second on.
    private let patternsSince: [String: Timestamp]

    /// Looks for calls of old versions.
    ///
    /// - Throws: `CensusStore.Failure` if the census cannot be read.
    package init(
        _ store: CensusStore,
        _ question: Question,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        var survey = SunsetSurvey(below: question.below) { client in
            question.app.map { $0 == client.app.text } ?? true
                && question.platform.map { $0 == client.platform.text } ?? true
        }
        try store.forEachPeriod(since: question.since) { survey.add($0) }
        self.question = question
        self.until = now
        self.survey = survey
        self.patternsSince = try store.patternsSince().filter { $0.value > question.since }
    }

    /// A line in words: its last second, as far as it is kept.
    private func lastSeen(_ line: SunsetSurvey.Line) -> Timestamp? {
        line.lastSeen.map { min($0.start.advanced(by: $0.length), self.until) }
    }
}

extension SunsetReport: CustomStringConvertible {
    package var description: String {
        let total = self.survey.total
        let title = "\(self.question.since) to \(self.until), versions below \(self.question.below)"
        guard total.requests > 0 else { return "\(title): no requests" }
        let rows = self.survey.found.map { line in
            [
                Self.name(line.place), "\(line.figures.requests)",
                line.figures.identified == 0 ? "-" : "\(line.figures.devices.count)",
                self.lastSeen(line).map { "\($0)" } ?? "-", Self.versions(line.versions),
            ]
        }
        let titles = ["path", "requests", "devices", "last", "versions"]
        let remarks = self.patternsSince.sorted { $0.key < $1.key }.map { text, since in
            "'\(text)' is counted apart since \(since)"
        }
        let devices = total.identified == 0 ? "" : ", \(total.devices.count) devices"
        return
            (["\(title): \(total.requests) requests\(devices)"]
            + TextTable([titles] + rows).lines + remarks).joined(separator: "\n")
    }

    private static func name(_ place: SunsetSurvey.Place) -> String {
        switch place {
        case .pattern(let text): text
        case .exempt: "(exempt)"
        case .other: "(other)"
        }
    }

    private static func versions(_ texts: Set<String>) -> String {
        let sorted = Self.sorted(texts)
        let more = sorted.count - Self.versionLimit
        return sorted.prefix(Self.versionLimit).joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }

    fileprivate static func sorted(_ texts: Set<String>) -> [String] {
        texts.map { ($0, try? AppVersion(parsing: $0)) }.sorted { left, right in
            guard let first = left.1, let second = right.1, first != second else {
                return left.0 < right.0
            }
            return first < second
        }.map(\.0)
    }
}

extension SunsetReport: Encodable {
    private struct Entry: Encodable {
        /// As the rules write it; missing for requests that match none.
        let pattern: String?
        let isExempt: Bool?
        let requests: UInt64
        let devices: Int
        let lastSeen: String?
        /// Seconds before `lastSeen` in which it may have been as well.
        let withinSeconds: Int64?
        let versions: [String]
        /// Since when its requests are counted apart, if not all the time.
        let countedSince: String?
    }

    private enum Key: String, CodingKey {
        case since, until, below, requests, devices, paths
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.question.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
        try container.encode("\(self.question.below)", forKey: .below)
        try container.encode(self.survey.total.requests, forKey: .requests)
        try container.encode(self.survey.total.devices.count, forKey: .devices)
        try container.encode(self.survey.found.map { self.entry($0) }, forKey: .paths)
    }

    private func entry(_ line: SunsetSurvey.Line) -> Entry {
        let pattern: String?
        if case .pattern(let text) = line.place { pattern = text } else { pattern = nil }
        let seen = self.lastSeen(line)
        return Entry(
            pattern: pattern,
            isExempt: line.place == .exempt ? true : nil,
            requests: line.figures.requests,
            devices: line.figures.devices.count,
            lastSeen: seen.map { "\($0)" },
            withinSeconds: line.lastSeen.flatMap { place in
                seen.map { place.start.seconds(until: $0) }
            },
            versions: Self.sorted(line.versions),
            countedSince: pattern.flatMap { self.patternsSince[$0] }.map { "\($0)" }
        )
    }
}
