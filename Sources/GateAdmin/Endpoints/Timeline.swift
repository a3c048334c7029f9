internal import GateCensus
internal import GatePolicy

/// The dates in rules, and what changes at each.
struct Timeline {
    enum Change: String, Encodable {
        case warns, enforces, ends
        case brownoutBegins, brownoutEnds
        case rollout
        case maintenanceAnnounced, maintenanceBegins, maintenanceEnds
        case release, releaseComplete
    }

    struct Event: Hashable {
        let time: Timestamp
        /// The ID of the rule; `nil` for a release in a store.
        let rule: String?
        let change: Change
        let words: String
    }

    /// The events in chronological order.
    let events: [Event]

    /// Creates the timeline of all future dates in a definition.
    ///
    /// - Parameters:
    ///   - definition: The rules.
    ///   - now: The current time; only later dates are included.
    ///   - end: The last time to include.
    init(_ definition: RuleSetDefinition, after now: Timestamp, until end: Timestamp) {
        let isCounted = definition.mode == .observe
        let events =
            definition.rules.flatMap { rule in
                rule.withNext.flatMap { Self.events(of: $0, isCounted: isCounted) }
            } + definition.releases.flatMap { Self.events(of: $0) }
        // The floors of a rule repeat its schedule, so duplicates are removed.
        let coming = events.filter { $0.time > now && $0.time <= end }.uniqued()
        self.events = coming.sorted { left, right in
            (left.time, left.rule ?? "", left.change.rawValue)
                < (right.time, right.rule ?? "", right.change.rawValue)
        }
    }

    private static func events(of rule: RuleDefinition, isCounted: Bool) -> [Event] {
        let isCounted = isCounted || rule.mode == .observe
        let clients = self.clients(of: rule)
        let fate = rule.route.map { "go to the backend '\($0.backend)'" } ?? "must update"
        var events: [Event] = []
        func add(_ change: Change, at time: Timestamp?, _ words: String) {
            guard let time else { return }
            let words = isCounted ? "\(words) (observed only)" : words
            events.append(Event(time: time, rule: rule.id, change: change, words: words))
        }
        let schedule = rule.schedule
        // A route does not warn.
        let warnFrom = rule.route == nil ? schedule.warnFrom : nil
        add(.warns, at: warnFrom, "\(clients) get a recommendation to update")
        add(.enforces, at: schedule.enforceFrom, "\(clients) \(fate)")
        add(.ends, at: schedule.until, "the rule ends")
        for window in schedule.brownouts {
            add(.brownoutBegins, at: window.from, "\(clients) are denied until \(window.until)")
            add(.brownoutEnds, at: window.until, "\(clients) are allowed again")
        }
        for step in rule.rollout {
            let share = ShareFormat.percent(step.percent / 100)
            add(.rollout, at: step.at, "\(share) of devices: \(clients) \(fate)")
        }
        if let window = rule.maintenance {
            add(.maintenanceAnnounced, at: window.announceFrom, "maintenance is announced")
            let end = window.until.map { " until \($0)" } ?? ""
            add(.maintenanceBegins, at: window.from, "requests get 503\(end)")
            add(.maintenanceEnds, at: window.until, "maintenance is over")
        }
        return events
    }

    private static func events(of release: Release) -> [Event] {
        let version = release.version.map { "\($0)" } ?? StoreRelease.words(for: release.builds)
        let name = [release.app, version, "on \(release.platform)"]
            .compactMap(\.self).joined(separator: " ")
        var events = [release.releasedAt].compactMap(\.self).map { time in
            Event(time: time, rule: nil, change: .release, words: "\(name) is in the store")
        }
        if case .phased(let time) = release.phase {
            let words = "the rollout of \(name) is complete"
            events.append(Event(time: time, rule: nil, change: .releaseComplete, words: words))
        }
        return events
    }

    /// Describes the clients that a rule applies to.
    private static func clients(of rule: RuleDefinition) -> String {
        let version = rule.minimumBuildOf.map { " of \($0)" } ?? ""
        if let route = rule.route { return self.clients(of: route) }
        let parts = [
            rule.minimum.map { "versions below \($0)" },
            rule.minimumBuild.map { "builds below \($0)\(version)" },
            rule.blocked.isEmpty
                ? nil : "versions \(rule.blocked.map(\.description).joined(separator: ", "))",
            rule.blockedBuilds.isEmpty
                ? nil : "builds \(rule.blockedBuilds.map(\.description).joined(separator: ", "))",
        ].compactMap(\.self)
        return parts.isEmpty ? "its clients" : parts.joined(separator: " and ")
    }

    private static func clients(of route: Route) -> String {
        let versions = route.versions.map(\.description).joined(separator: ", ")
        let builds = route.builds.map(\.description).joined(separator: ", ")
        let parts = [
            versions.isEmpty ? nil : "versions \(versions)",
            builds.isEmpty ? nil : "builds \(builds)",
        ].compactMap(\.self)
        return parts.isEmpty ? "its clients" : parts.joined(separator: " with ")
    }
}

extension Timeline.Event: Encodable {
    private enum Key: String, CodingKey {
        case at, rule, change, words
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.time)", forKey: .at)
        try container.encodeIfPresent(self.rule, forKey: .rule)
        try container.encode(self.change, forKey: .change)
        try container.encode(self.words, forKey: .words)
    }
}

/// The timeline of the next 90 days.
struct TimelineReport: Encodable {
    private static let days: Int64 = 90
    /// The maximum number of events: a rule can have a thousand brownouts.
    private static let limit = 1_000

    let from: String
    let until: String
    /// The revision of the rules that contain the dates.
    let revision: String
    let events: [Timeline.Event]
    /// The number of later events that are not included.
    let more: Int

    init(_ definition: RuleSetDefinition, at now: Timestamp) {
        let end = now.advanced(by: Self.days * 86_400)
        let events = Timeline(definition, after: now, until: end).events
        self.from = "\(now)"
        self.until = "\(end)"
        self.revision = definition.revision
        self.events = Array(events.prefix(Self.limit))
        self.more = max(0, events.count - Self.limit)
    }
}
