internal import GateCensus
package import GatePolicy
package import GateRules

/// The documented API operations that old versions still call, as a text table and as JSON.
package struct OperationReport: Sendable {
    /// The maximum number of undocumented paths in the table; the JSON contains all undocumented
    /// paths.
    private static let tableLimit = 40

    let summary: SunsetReport.Summary
    let found: [OperationSurvey.Line]
    let mismatches: [OperationSurvey.Misfit]
    let gaps: ShapeGaps
    let coverage: CensusCoverage
    let operations: [APIOperation]
    /// The file names of the documents, in the order of the documents.
    let names: [String]

    /// Finds the operations that old versions still call.
    package init(
        _ store: CensusStore,
        _ question: SunsetReport.Question,
        _ documents: [OpenAPIDocument],
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        var survey = OperationSurvey(question.filter, documents.flatMap(\.operations))
        for row in try store.rows(since: question.since, withShapes: true) { survey.add(row) }
        try store.forEachLastShape(since: question.since) { survey.see($1, by: $0, until: $2) }
        let coverage = try store.coverage(since: question.since, until: now)
        self.summary = SunsetReport.Summary(question: question, until: now, total: survey.total)
        self.found = survey.found(isCovered: !coverage.isEmpty && coverage.pauses.isEmpty)
        self.mismatches = survey.mismatches
        self.gaps = survey.gaps
        self.coverage = coverage
        self.operations = survey.operations
        self.names = documents.map(\.name)
    }
}

extension OperationReport: CustomStringConvertible {
    package var description: String {
        var others = 0
        let shown = self.found.filter { line in
            guard case .path = line.place else { return true }
            others += 1
            return others <= Self.tableLimit
        }
        let titles = ["operation", "requests", "devices at most", "last", "versions"]
        let table = TextTable([titles] + shown.map { self.row($0) }).lines
        let more = others - Self.tableLimit
        let rest =
            more > 0
            ? ["\(more) more paths that are not in any document; use --json for all of them"] : []
        return (["\(self.summary)"] + table + rest + self.remarks).joined(separator: "\n")
    }

    private func row(_ line: OperationSurvey.Line) -> [String] {
        let name = line.place.text(self.operations)
        let figures = line.figures
        return switch line.calls {
        case .none: [name, "-"]
        case .unknown: [name, "?"]
        case .some, .possible:
            [
                name, line.calls == .some ? "\(figures.count)" : "at most \(figures.count)",
                figures.devices.isEmpty ? "-" : "\(figures.devices.count)",
                self.summary.text(figures.lastSeen) ?? "-", VersionTexts(figures.versions).summary,
            ]
        }
    }
}

extension OperationReport: Encodable {
    private struct Entry: Encodable {
        let method: String?
        let path: String?
        /// The path in the document, without the server's path; `nil` for undocumented paths.
        let template: String?
        /// The file of the document that contains the operation; `nil` for undocumented paths.
        let document: String?
        let isInDocument: Bool
        /// `some`, `possible`, `none` or `unknown`.
        let calls: String
        /// The reason why the calls are unknown; `nil` if they are known.
        let reason: String?
        let requests: Int
        let devicesAtMost: Int
        let lastSeen: String?
        let versions: [String]
    }

    private enum Key: String, CodingKey {
        case operations, countedSince, pauses, incomplete, mismatches
    }

    private struct Pause: Encodable {
        let from: String
        let until: String
    }

    private struct Mismatch: Encodable {
        let document: String
        let isWhole: Bool
        let seen: [String]
        let base: String?
    }

    package func encode(to encoder: any Encoder) throws {
        try self.summary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.found.map { self.entry($0) }, forKey: .operations)
        try container.encodeIfPresent(self.coverage.start.map { "\($0)" }, forKey: .countedSince)
        let pauses = self.coverage.pauses.map {
            Pause(from: "\($0.lowerBound)", until: "\($0.upperBound)")
        }
        try container.encode(pauses, forKey: .pauses)
        try container.encode(self.gaps, forKey: .incomplete)
        let mismatches = self.mismatches.map { misfit in
            Mismatch(
                document: self.names[misfit.document],
                isWhole: misfit.isWhole,
                seen: misfit.seen.map(\.text),
                base: misfit.base
            )
        }
        try container.encode(mismatches, forKey: .mismatches)
    }

    private func entry(_ line: OperationSurvey.Line) -> Entry {
        var (method, path, operation): (String?, String?, APIOperation?)
        switch line.place {
        case .operation(let number, let place):
            operation = self.operations[number]
            (method, path) = (operation?.method, place)
        case .path(let shape):
            (method, path) = (shape.method, "/" + shape.segments.joined(separator: "/"))
        case .other: break
        }
        let isCalled = line.calls == .some || line.calls == .possible
        return Entry(
            method: method,
            path: path,
            template: operation?.path,
            document: operation.map { self.names[$0.document] },
            isInDocument: operation != nil,
            calls: line.calls.text,
            reason: line.calls.reason,
            requests: isCalled ? line.figures.count : 0,
            devicesAtMost: line.figures.devices.count,
            lastSeen: self.summary.text(line.figures.lastSeen),
            versions: VersionTexts(line.figures.versions).sorted
        )
    }
}

extension OperationSurvey.Calls {
    fileprivate var text: String {
        switch self {
        case .some: "some"
        case .possible: "possible"
        case .none: "none"
        case .unknown: "unknown"
        }
    }

    fileprivate var reason: String? {
        guard case .unknown(let doubt) = self else { return nil }
        switch doubt {
        case .missingShapes: return "shapes-missing"
        case .noShape: return "no-shape"
        case .uncounted: return "not-counted"
        case .unversionedClients: return "clients-without-version"
        case .misfit: return "document-does-not-fit"
        case .unread(let reason): return reason
        case .uncoveredTime: return "census-missing"
        }
    }
}
