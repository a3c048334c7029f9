package import GateCensus
package import GatePolicy

/// The impact of a change to the rules, as text and as JSON.
package struct ImpactReport: Sendable {
    private static let tableLimit = 20

    private let impact: Impact
    private let period: ReportPeriod
    /// The revisions of the old and the new rules.
    private let revisions: (before: String, after: String)
    private let remarks: [String]

    /// Compares new rules with old ones, based on census data from the period that ends now.
    ///
    /// `later` is the time for which the new rules are evaluated, if it is not `now`.
    package init(
        _ rows: [CensusRow],
        since: Timestamp,
        from old: RuleSet,
        to new: RuleSet,
        at now: Timestamp,
        later: Timestamp? = nil
    ) {
        self.impact = Impact(on: rows, from: old, to: new, at: now, later: later)
        self.period = ReportPeriod(since: since, until: now)
        self.revisions = (old.definition.revision, new.definition.revision)
        let floors = old.definition.rulesWithNext + new.definition.rulesWithNext
        self.remarks = [
            old.definition.identity == new.definition.identity
                ? nil
                : "'identity' differs between the rules: clients may be identified differently",
            floors.contains { $0.holdUntilInStore != nil }
                ? "the census does not record countries: a hold is evaluated for all countries "
                    + "together"
                : nil,
            floors.contains { !$0.requiresOS.isEmpty || $0.match.osVersions != nil }
                ? "the census records only major OS versions: 17.4 is evaluated as 17"
                : nil,
            self.impact.slicesPaths
                ? "paths that are new to the rules are matched by their shapes; the number of "
                    + "devices for each path is estimated from its share of the requests"
                : nil,
        ].compactMap(\.self)
    }
}

extension ImpactReport: CustomStringConvertible {
    package var description: String {
        let total = self.impact.total
        var lines = [
            "\(self.period): \(Self.number(total.requests)) requests, "
                + "\(Self.number(total.devices)) devices",
            "revision \(self.revisions.before) -> \(self.revisions.after)",
        ]
        lines += self.lines("newly denied", self.impact.denied)
        lines += self.lines("newly allowed", self.impact.passed)
        lines += self.movedLines
        if self.impact.hinted.requests > 0 {
            lines.append("other hints: \(self.words(self.impact.hinted))")
        }
        if self.impact.unknownRequests > 0 {
            lines.append(
                "\(self.impact.unknownRequests) more requests are from kinds of clients beyond --census-max-cells"
            )
        }
        return (lines + self.remarks).joined(separator: "\n")
    }

    private func lines(_ title: String, _ side: Impact.Side) -> [String] {
        var lines: [String] = []
        if side.amount.requests == 0 {
            lines.append("\(title): none")
        } else {
            lines.append("\(title): \(self.words(side.amount))")
            for (rule, amount) in Self.sorted(side.byRule, by: { $0 ?? "" }) {
                lines.append("  by \(Self.name(rule)): \(self.words(amount))")
            }
            let rows = Self.sorted(side.byVersion, by: \.name).map { version, amount in
                version.words + Self.figures(amount)
            }
            lines += Self.table(["app", "platform", "version", "requests", "devices"], rows)
        }
        lines += self.bound(side.possible, above: side.amount)
        return lines
    }

    /// The lines about clients that are sent to another backend; empty if there are none.
    private var movedLines: [String] {
        let moved = self.impact.moved
        guard moved.possible.requests > 0 else { return [] }
        let pairs = Self.sorted(moved.byBackends, by: \.name).map { backends, amount in
            "  \(backends.words): \(self.words(amount))"
        }
        let rows = Self.sorted(moved.byVersion, by: \.name).map { moved, amount in
            moved.version.words + [moved.backends.words] + Self.figures(amount)
        }
        let sum = moved.amount.requests > 0 ? self.words(moved.amount) : "none"
        return ["sent to another backend: \(sum)"] + pairs
            + Self.table(["app", "platform", "version", "backend", "requests", "devices"], rows)
            + self.bound(moved.possible, above: moved.amount)
    }

    private static func figures(_ amount: ImpactAmount) -> [String] {
        [self.number(amount.requests), amount.devices > 0 ? self.number(amount.devices) : "-"]
    }

    /// Returns an indented table, with a limited number of rows.
    private static func table(_ titles: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let lines = TextTable([titles] + rows.prefix(self.tableLimit)).lines.map { "  \($0)" }
        let hidden = rows.count - self.tableLimit
        return lines + (hidden > 0 ? ["  … and \(hidden) more; use --json for all of them"] : [])
    }

    /// Returns a line with the maximum amount; empty if it does not differ from the certain amount.
    private func bound(_ possible: ImpactAmount, above amount: ImpactAmount) -> [String] {
        guard possible.requests - amount.requests >= 0.5 else { return [] }
        return [
            "  at most \(self.words(possible)): for some requests, it is unknown whether they "
                + "match the paths that are new to the rules"
        ]
    }

    private func words(_ amount: ImpactAmount) -> String {
        let total = self.impact.total
        let requests =
            "\(Self.number(amount.requests)) requests "
            + "(\(ShareFormat.percent(amount.requests / max(total.requests, 1))))"
        guard amount.devices > 0 else { return requests }
        let share = ShareFormat.percent(amount.devices / max(total.devices, 1))
        return "\(requests), \(Self.number(amount.devices)) devices (\(share))"
    }

    private static func name(_ rule: String?) -> String {
        rule.map { "the rule '\($0)'" } ?? "'unidentified'"
    }

    private static func number(_ number: Double) -> String { "\(Int(number.rounded()))" }

    /// Sorts amounts by requests, largest first.
    private static func sorted<Key>(
        _ amounts: [Key: ImpactAmount],
        by name: (Key) -> String
    ) -> [(key: Key, amount: ImpactAmount)] {
        amounts.map { (key: $0.key, amount: $0.value) }
            .sorted(byRequests: \.amount.requests) { name($0.key) }
    }
}

extension Impact.Version {
    fileprivate var name: String {
        [self.app, self.platform, self.version].map { $0.text ?? "" }.joined(separator: "\0")
    }

    /// The app, the platform and the version as table cells.
    fileprivate var words: [String] {
        [self.app.text ?? "-", self.platform.text ?? "-", self.version.words]
    }
}

extension Impact.Backends {
    /// The backends as text, such as `default -> legacy`.
    fileprivate var words: String { "\(self.fromName) -> \(self.toName)" }

    fileprivate var name: String { "\(self.from ?? "")\0\(self.to ?? "")" }
}

extension Impact.MovedVersion {
    fileprivate var name: String { "\(self.version.name)\0\(self.backends.name)" }
}

extension ImpactReport: Encodable {
    /// The numbers of requests and devices, rounded to one decimal place.
    package struct Amount: Sendable, Equatable, Codable {
        package let requests: Double
        package let devices: Double
    }

    /// The amount for a rule, a version, or a change of backend; members that do not apply are
    /// omitted.
    private struct Entry: Encodable {
        /// The rule; omitted for the policy for unidentified clients.
        var rule: String?
        var app: String?
        var platform: String?
        var version: String?
        /// The name of the previous backend; `default` is the default backend.
        var from: String?
        var to: String?
        let amount: Amount

        init(rule: String?, _ amount: ImpactAmount) {
            self.rule = rule
            self.amount = Amount(amount)
        }

        init(
            version: Impact.Version? = nil,
            backends: Impact.Backends? = nil,
            _ amount: ImpactAmount
        ) {
            self.app = version?.app.text
            self.platform = version?.platform.text
            self.version = version?.version.text
            self.from = backends?.fromName
            self.to = backends?.toName
            self.amount = Amount(amount)
        }
    }

    private struct SideEntry: Encodable {
        let amount: Amount
        let possible: Amount
        let rules: [Entry]
        let versions: [Entry]

        init(_ side: Impact.Side) {
            self.amount = Amount(side.amount)
            self.possible = Amount(side.possible)
            self.rules = ImpactReport.sorted(side.byRule, by: { $0 ?? "" }).map {
                Entry(rule: $0.key, $0.amount)
            }
            self.versions = ImpactReport.sorted(side.byVersion, by: \.name).map {
                Entry(version: $0.key, $0.amount)
            }
        }
    }

    private struct MovedEntry: Encodable {
        let amount: Amount
        let possible: Amount
        let backends: [Entry]
        let versions: [Entry]

        init(_ moved: Impact.Moves) {
            self.amount = Amount(moved.amount)
            self.possible = Amount(moved.possible)
            self.backends = ImpactReport.sorted(moved.byBackends, by: \.name).map {
                Entry(backends: $0.key, $0.amount)
            }
            self.versions = ImpactReport.sorted(moved.byVersion, by: \.name).map {
                Entry(version: $0.key.version, backends: $0.key.backends, $0.amount)
            }
        }
    }

    /// The clients of an app on a platform, and those of them that only the new rules deny.
    private struct AudienceEntry: Encodable {
        let app: String
        let platform: String
        let total: Amount
        let denied: Amount
    }

    private enum Key: String, CodingKey {
        case before, after, total, audiences, denied, passed, moved, hinted,
            unknownRequests, remarks
    }

    private var audiences: [AudienceEntry] {
        self.impact.parts
            .sorted { ($0.key.app, $0.key.platform) < ($1.key.app, $1.key.platform) }
            .map { audience, part in
                AudienceEntry(
                    app: audience.app,
                    platform: audience.platform,
                    total: Amount(part.total),
                    denied: Amount(part.denied.amount)
                )
            }
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.revisions.before, forKey: .before)
        try container.encode(self.revisions.after, forKey: .after)
        try container.encode(Amount(self.impact.total), forKey: .total)
        try container.encode(self.audiences, forKey: .audiences)
        try container.encode(SideEntry(self.impact.denied), forKey: .denied)
        try container.encode(SideEntry(self.impact.passed), forKey: .passed)
        try container.encode(MovedEntry(self.impact.moved), forKey: .moved)
        try container.encode(Amount(self.impact.hinted), forKey: .hinted)
        try container.encode(self.impact.unknownRequests, forKey: .unknownRequests)
        try container.encode(self.remarks, forKey: .remarks)
    }
}

extension ImpactReport.Amount {
    init(_ amount: ImpactAmount) {
        self.requests = (amount.requests * 10).rounded() / 10
        self.devices = (amount.devices * 10).rounded() / 10
    }
}
