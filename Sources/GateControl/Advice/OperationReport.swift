internal import GateCensus
package import GatePolicy

/// The operations of an API document that old versions still call, as a table for people and as data for
/// programs.
package struct OperationReport: Sendable {
    private let summary: SunsetReport.Summary
    private let survey: OperationSurvey

    /// Looks for calls of old versions.
    ///
    /// - Throws: `CensusStore.Failure` if the census cannot be read.
    package init(
        _ store: CensusStore,
        _ question: SunsetReport.Question,
        _ document: OpenAPIDocument,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        var survey = OperationSurvey(question.filter, document.operations)
        for row in try store.rows(since: question.since, withShapes: true) { survey.add(row) }
        try store.forEachLastShape(since: question.since) { cell, shape, start, length in
            survey.see(shape, by: cell, start, length: length)
        }
        self.summary = SunsetReport.Summary(question: question, until: now, total: survey.total)
        self.survey = survey
    }
}

extension OperationReport: CustomStringConvertible {
    package var description: String {
        let rows = self.survey.found.map { line in
            line.requests < 0.5
                ? [line.place.words, "-"]
                : [
                    line.place.words, "\(Int(line.requests.rounded()))",
                    line.devices.isEmpty ? "-" : "\(line.devices.count)",
                    self.summary.end(of: line.lastSeen).map { "\($0)" } ?? "-",
                    VersionTexts(line.versions).summary,
                ]
        }
        let titles = ["operation", "requests", "devices at most", "last", "versions"]
        return (["\(self.summary)"] + TextTable([titles] + rows).lines).joined(separator: "\n")
    }
}

extension OperationReport: Encodable {
    private struct Entry: Encodable {
        let method: String?
        let path: String?
        /// Whether the document has it.
        let isInDocument: Bool
        let requests: Int
        let devicesAtMost: Int
        let lastSeen: String?
        let versions: [String]
    }

    private enum Key: String, CodingKey {
        case operations
    }

    package func encode(to encoder: any Encoder) throws {
        try self.summary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.survey.found.map { self.entry($0) }, forKey: .operations)
    }

    private func entry(_ line: OperationSurvey.Line) -> Entry {
        let words: (method: String?, path: String?, isInDocument: Bool) =
            switch line.place {
            case .operation(let operation): (operation.method, operation.path, true)
            case .path(let shape):
                (shape.method, "/" + shape.segments.joined(separator: "/"), false)
            case .other: (nil, nil, false)
            }
        return Entry(
            method: words.method,
            path: words.path,
            isInDocument: words.isInDocument,
            requests: Int(line.requests.rounded()),
            devicesAtMost: line.devices.count,
            lastSeen: self.summary.end(of: line.lastSeen).map { "\($0)" },
            versions: VersionTexts(line.versions).sorted
        )
    }
}

/// Versions as clients write them.
struct VersionTexts {
    /// Versions that a line of a table names.
    private static let limit = 5

    /// From the oldest to the newest.
    let sorted: [String]

    init(_ texts: Set<String>) {
        self.sorted = texts.map { ($0, try? AppVersion(parsing: $0)) }.sorted { left, right in
            guard let first = left.1, let second = right.1, first != second else {
                return left.0 < right.0
            }
            return first < second
        }.map(\.0)
    }

    var summary: String {
        let more = self.sorted.count - Self.limit
        return self.sorted.prefix(Self.limit).joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }
}
