package import GateCensus
package import GatePolicy
internal import GateRules

/// The clients that are still routed, and whether and how their routes can be removed, as text and as
/// JSON.
package struct RouteReport: Sendable {
    package typealias Target = RouteSelection.Target

    /// The parameters of the query.
    package struct Question: Sendable {
        package let target: Target
        /// The clients to include, and the maximum share of clients that a denial may affect.
        let clients: AdviceQuestion

        package init(
            _ target: Target,
            app: String?,
            platform: String?,
            limit: Double = 0.01,
            days: Int64 = FloorReport.usualDays
        ) {
            self.target = target
            self.clients = AdviceQuestion(app: app, platform: platform, limit: limit, days: days)
        }
    }

    /// When the routes can be removed.
    private enum Outlook: Sendable, Equatable {
        case now
        case from(day: Int64)
        case unknown
    }

    private let question: Question
    private let period: ReportPeriod
    private let rules: [RuleDefinition]
    private let parts: [RouteAdvice.Part]
    private let outlook: Outlook
    private let refusals: [Result<RouteRefusal, RouteRefusal.Obstacle>]

    /// Evaluates the routes of the active rules, in the period that ends now.
    package init(
        _ store: CensusStore,
        _ question: Question,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) {
        let clients = question.clients
        var advice = RouteAdvice(
            try store.rows(since: clients.start(before: now)),
            RouteSelection(question.target, by: ruleSet, at: now),
            at: now,
            limit: clients.limit,
            days: clients.days,
            isWanted: clients.includes
        )
        if advice.needsHistory {
            try store.forEachPeriod(since: clients.historyStart(before: now)) { advice.add($0) }
        }
        self.question = question
        self.period = ReportPeriod(since: question.clients.start(before: now), until: now)
        self.rules = ruleSet.definition.rules.filter(question.target.includes)
        self.parts = advice.parts
        self.outlook = Self.outlook(advice.parts)
        guard case .from(let day) = Self.outlook(advice.parts, today: now.day) else {
            self.refusals = []
            return
        }
        self.refusals = self.rules.map { rule in
            do throws(RouteRefusal.Obstacle) {
                return .success(try RouteRefusal(of: rule, at: now, from: day))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns when all apps and platforms will be within the limit.
    ///
    /// If all are within the limit already, the result is `today`, or `.now` if `today` is `nil`.
    private static func outlook(_ parts: [RouteAdvice.Part], today: Int64? = nil) -> Outlook {
        var last: Int64?
        for part in parts {
            switch part.forecast {
            case nil: continue
            case .reached(let day, _): last = max(last ?? day, day)
            case .unknown: return .unknown
            }
        }
        return (last ?? today).map { .from(day: $0) } ?? .now
    }
}

extension RouteReport: CustomStringConvertible {
    private static let tableLimit = 20

    package var description: String {
        let limit = ShareFormat.percent(self.question.clients.limit)
        let title =
            "\(self.period), \(self.question.target.words), at most \(limit)"
        guard !self.parts.isEmpty else {
            return "\(title)\nno routed clients were counted"
        }
        let lines = self.parts.flatMap { Self.lines($0) }
        return ([title] + lines + self.conclusion).joined(separator: "\n")
    }

    private static func lines(_ part: RouteAdvice.Part) -> [String] {
        let noun = part.countsDevices ? "devices" : "requests"
        func count(_ figures: CensusFigures) -> String {
            part.countsDevices ? "\(figures.devices.count)" : "\(figures.requests)"
        }
        let title =
            "\(part.audience.words): \(count(part.selected)) of \(count(part.total)) \(noun) "
            + "(\(ShareFormat.percent(part.share)))"
        let rows = part.versions.map { item in
            [
                item.version ?? "-", "\(item.figures.requests)",
                item.figures.identified == 0 ? "-" : "\(item.figures.devices.count)",
            ]
        }
        let hidden = rows.count - Self.tableLimit
        return [title]
            + TextTable([["version", "requests", "devices"]] + rows.prefix(Self.tableLimit)).lines
            .map { "  \($0)" }
            + (hidden > 0 ? ["  … and \(hidden) more; use --json for all of them"] : [])
            + ["  \(part.forecast?.words ?? "within the limit")"]
    }

    private var conclusion: [String] {
        var lines: [String]
        switch self.outlook {
        case .now:
            lines = ["every app and platform is within the limit: the route can be removed"]
        case .from(let day):
            let date = AdoptionCurve.Forecast.date(day)
            lines = ["the route can probably be removed from \(date) on"]
        case .unknown:
            return ["the route is still needed; no date can be predicted for its removal"]
        }
        for (rule, refusal) in zip(self.rules, self.refusals) {
            switch refusal {
            case .success(let refusal):
                let link = refusal.needsStoreURL ? ", with the store URL of your app" : ""
                lines.append(
                    "to deny its clients instead, add this to the rule '\(rule.id)'\(link):"
                )
                lines.append("    \(refusal.text)")
            case .failure(let obstacle):
                lines.append("no 'next' is suggested for the rule '\(rule.id)': \(obstacle)")
            }
        }
        return lines
    }
}

extension RouteReport: Encodable {
    private struct Part: Encodable {
        let app: String?
        let platform: String?
        /// The number of requests from all clients of the app and platform.
        let requests: UInt64
        let devices: Int
        /// The unit of the share: `devices` or `requests`.
        let counts: String
        let selected: Selected
        let versions: [Version]
        /// The first day on which the share is within the limit; `nil` if it is within the limit
        /// now or cannot be predicted.
        let from: String?
        let dailyFall: Double?
        /// The reason why the day is unknown; `nil` if it is known or not needed.
        let undated: String?

        init(_ part: RouteAdvice.Part) {
            self.app = part.audience.app
            self.platform = part.audience.platform
            self.requests = part.total.requests
            self.devices = part.total.devices.count
            self.counts = part.countsDevices ? "devices" : "requests"
            self.selected = Selected(
                requests: part.selected.requests,
                devices: part.selected.devices.count,
                share: (part.share * 1e6).rounded() / 1e6
            )
            self.versions = part.versions.map {
                Version(
                    version: $0.version,
                    requests: $0.figures.requests,
                    devices: $0.figures.devices.count
                )
            }
            (self.from, self.dailyFall, self.undated) = part.forecast?.members ?? (nil, nil, nil)
        }
    }

    private struct Selected: Encodable {
        let requests: UInt64
        let devices: Int
        let share: Double
    }

    private struct Version: Encodable {
        let version: String?
        let requests: UInt64
        let devices: Int
    }

    /// The `next` key that replaces the route of a rule.
    private struct Replacement: Encodable {
        let rule: String
        /// The line of YAML to add to the rule.
        var next: String?
        var enforceFrom: String?
        var needsStoreUrl: Bool?
        /// The reason why `next` is missing; `nil` if `next` is set.
        var obstacle: String?
    }

    private enum Key: String, CodingKey {
        case atMost, canGo, from, parts, replacements
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.question.clients.limit, forKey: .atMost)
        try container.encode(self.outlook == .now, forKey: .canGo)
        if case .from(let day) = self.outlook {
            try container.encode(AdoptionCurve.Forecast.date(day), forKey: .from)
        }
        try container.encode(self.parts.map { Part($0) }, forKey: .parts)
        let replacements = zip(self.rules, self.refusals).map { rule, refusal in
            switch refusal {
            case .success(let refusal):
                Replacement(
                    rule: rule.id,
                    next: refusal.text,
                    enforceFrom: "\(refusal.enforceFrom)",
                    needsStoreUrl: refusal.needsStoreURL
                )
            case .failure(let obstacle): Replacement(rule: rule.id, obstacle: "\(obstacle)")
            }
        }
        try container.encode(replacements, forKey: .replacements)
    }
}

/// A report on routes, and on the paths that the clients of these routes call.
package struct RoutedSunsetReport<Paths>: Sendable
where Paths: Encodable & CustomStringConvertible & Sendable {
    private let routes: RouteReport
    private let paths: Paths

    package init(_ routes: RouteReport, _ paths: Paths) {
        self.routes = routes
        self.paths = paths
    }
}

extension RoutedSunsetReport: CustomStringConvertible {
    package var description: String { "\(self.routes)\n\n\(self.paths)" }
}

extension RoutedSunsetReport: Encodable {
    /// Encodes the members of the report on paths, and adds `routes`.
    package func encode(to encoder: any Encoder) throws {
        try self.paths.encode(to: encoder)
        try ["routes": self.routes].encode(to: encoder)
    }
}
