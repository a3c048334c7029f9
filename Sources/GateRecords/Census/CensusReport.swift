package import GateCensus
package import GatePolicy

/// A census report, as a text table and as JSON.
package struct CensusReport: Sendable {
    /// A kind of client, with the decision and the rule that determined it.
    struct Line: Sendable, Hashable {
        let client: CensusClient?
        let kind: Decision.Kind
        let rule: String

        init(_ cell: CensusCell) {
            self.client = cell.client
            self.kind = cell.outcome.kind
            self.rule = cell.outcome.rule
        }

        /// The line as a string, which is the same on all gates of a fleet.
        var text: String {
            CensusCell(
                client: self.client,
                outcome: CensusOutcome(paths: .none, kind: self.kind, rule: self.rule)
            ).text
        }
    }

    /// The maximum number of lines in the table; the JSON contains all lines.
    private static let tableLimit = 40

    private let period: ReportPeriod
    private let total: CensusFigures
    private let lines: [(line: Line, figures: CensusFigures)]
    /// The devices of all gates; `nil` without a fleet store, or if the store is unavailable.
    private var fleet: FleetStore.Counts?

    /// Creates a report by summing the rows of a period over all paths.
    package init(_ rows: [CensusRow], since: Timestamp, until: Timestamp) {
        var total = CensusFigures()
        var sums: [Line: CensusFigures] = [:]
        for row in rows {
            total.add(row.figures)
            sums[Line(row.cell), default: CensusFigures()].add(row.figures)
        }
        self.period = ReportPeriod(since: since, until: until)
        self.total = total
        self.lines = sums.map { (line: $0.key, figures: $0.value) }
            .sorted(byRequests: \.figures.requests) { $0.line.words.joined(separator: "\0") }
    }
}

extension CensusReport {
    /// Adds the devices of the fleet; the call blocks, so it must not be made on an event loop.
    package mutating func add(_ fleet: FleetStore) {
        self.fleet = fleet.counts(of: self.lines.map(\.line), in: self.period)
    }
}

extension CensusReport.Line {
    /// The columns that identify the line.
    fileprivate var words: [String] {
        let client = self.client?.parts.map(\.words) ?? Array(repeating: "(other)", count: 6)
        return client + [self.kind.rawValue, self.rule]
    }
}

extension CensusClient.Part {
    /// The part as a table cell.
    var words: String {
        switch self {
        case .missing: "-"
        case .unreadable: "(unreadable)"
        case .stated(let text): text
        }
    }
}

extension CensusReport: CustomStringConvertible {
    private static let titles = [
        "app", "platform", "channel", "version", "build", "os", "decision", "rule", "requests",
        "share", "devices",
    ]

    package var description: String {
        let summary =
            "\(self.period): \(self.total.requests) requests, "
            + "\(self.total.devices.count) devices in \(self.total.identified) of them"
            + (self.fleet.map { "; \($0.total) devices in the fleet" } ?? "")
        guard !self.lines.isEmpty else { return summary }
        let requests = Double(max(self.total.requests, 1))
        let hasErrors = self.total.serverErrors > 0
        let rows = self.lines.prefix(Self.tableLimit).map { item in
            item.line.words + [
                "\(item.figures.requests)",
                ShareFormat.percent(Double(item.figures.requests) / requests),
                item.figures.identified == 0 ? "-" : "\(item.figures.devices.count)",
            ] + (self.fleet.map { [$0.lines[item.line].map { "\($0)" } ?? "-"] } ?? [])
                + (hasErrors ? ["\(item.figures.serverErrors)"] : [])
        }
        let titles =
            Self.titles + (self.fleet == nil ? [] : ["fleet"]) + (hasErrors ? ["5xx"] : [])
        let hidden = self.lines.count - rows.count
        let rest = hidden > 0 ? ["… and \(hidden) more; use --json for all of them"] : []
        return ([summary] + TextTable([titles] + rows).lines + rest).joined(separator: "\n")
    }
}

/// Formats rows as left-aligned columns.
struct TextTable {
    let lines: [String]

    init(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        self.lines = rows.map { row in
            let cells = zip(row, widths).map { word, width in
                word + String(repeating: " ", count: width - word.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension CensusReport: Encodable {
    private enum Key: String, CodingKey {
        case requests, identifiedRequests, serverErrors, devices, fleetDevices, clients
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.total.requests, forKey: .requests)
        try container.encode(self.total.identified, forKey: .identifiedRequests)
        try container.encode(self.total.serverErrors, forKey: .serverErrors)
        try container.encode(self.total.devices.count, forKey: .devices)
        try container.encodeIfPresent(self.fleet?.total, forKey: .fleetDevices)
        let entries = self.lines.map { item in
            ClientEntry(
                line: item.line,
                figures: item.figures,
                fleetDevices: self.fleet?.lines[item.line]
            )
        }
        try container.encode(entries, forKey: .clients)
    }

    /// The JSON entry for a line.
    private struct ClientEntry: Encodable {
        let line: Line
        let figures: CensusFigures
        let fleetDevices: Int?

        private enum Key: String, CodingKey {
            case decision, rule, requests, identifiedRequests, serverErrors, devices, fleetDevices
        }

        func encode(to encoder: any Encoder) throws {
            try CensusClientEntry(self.line.client).encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(self.line.kind.rawValue, forKey: .decision)
            try container.encode(self.line.rule, forKey: .rule)
            try container.encode(self.figures.requests, forKey: .requests)
            try container.encode(self.figures.identified, forKey: .identifiedRequests)
            try container.encode(self.figures.serverErrors, forKey: .serverErrors)
            try container.encode(self.figures.devices.count, forKey: .devices)
            try container.encodeIfPresent(self.fleetDevices, forKey: .fleetDevices)
        }
    }
}

/// The JSON entry for a client, without absent parts.
struct CensusClientEntry: Encodable {
    var app: String?
    var platform: String?
    var channel: String?
    var version: String?
    var build: String?
    var osMajor: String?
    /// The names of the parts that could not be parsed.
    var unreadable: [String]?
    /// Whether the entry represents all clients beyond the cell limit.
    var isOther: Bool?

    init(_ client: CensusClient?) {
        guard let client else {
            self.isOther = true
            return
        }
        self.app = client.app.text
        self.platform = client.platform.text
        self.channel = client.channel.text
        self.version = client.version.text
        self.build = client.build.text
        self.osMajor = client.osMajor.text
        let names = ["app", "platform", "channel", "version", "build", "osMajor"]
        let unreadable = zip(names, client.parts).filter { $0.1 == .unreadable }.map(\.0)
        self.unreadable = unreadable.isEmpty ? nil : unreadable
    }
}
