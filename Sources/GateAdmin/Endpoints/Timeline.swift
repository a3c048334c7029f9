internal import GateCensus
internal import GatePolicy

/// The dates in rules, and the change at each date.
struct Timeline {
    enum Change: String, Encodable {
        case warns, enforces, ends
        case brownoutBegins, brownoutEnds
        case rollout
        case maintenanceAnnounced, maintenanceBegins, maintenanceEnds
        case release, releaseComplete
    }

    struct Event: Hashable, Encodable {
        private enum CodingKeys: String, CodingKey {
            case time = "at"
            case rule, change, words
        }

        let time: Timestamp
        /// The ID of the rule; `nil` if the event is a release in a store.
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
        // A route does not warn clients.
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

    /// Returns a description of the clients that a rule applies to.
    private static func clients(of rule: RuleDefinition) -> String {
        if let route = rule.route {
            let parts = [self.list("versions", route.versions), self.list("builds", route.builds)]
            return self.joined(parts, " with ")
        }
        let version = rule.minimumBuildOf.map { " of \($0)" } ?? ""
        return self.joined(
            [
                rule.minimum.map { "versions below \($0)" },
                rule.minimumBuild.map { "builds below \($0)\(version)" },
                self.list("versions", rule.blocked), self.list("builds", rule.blockedBuilds),
            ],
            " and "
        )
    }

    private static func joined(_ parts: [String?], _ separator: String) -> String {
        let text = parts.compactMap(\.self).joined(separator: separator)
        return text.isEmpty ? "its clients" : text
    }

    private static func list(_ noun: String, _ items: [some CustomStringConvertible]) -> String? {
        items.isEmpty ? nil : "\(noun) \(items.map(\.description).joined(separator: ", "))"
    }
}

/// The timeline of the next 90 days.
struct TimelineReport: Encodable {
    private static let days: Int64 = 90
    /// The maximum number of events: a rule can have a thousand brownouts.
    private static let limit = 1_000

    let from: Timestamp
    let until: Timestamp
    /// The revision of the rules that contain the dates.
    let revision: String
    let events: [Timeline.Event]
    /// The number of later events that are not included.
    let more: Int

    init(_ definition: RuleSetDefinition, at now: Timestamp) {
        let end = now.advanced(by: Self.days * 86_400)
        let events = Timeline(definition, after: now, until: end).events
        self.from = now
        self.until = end
        self.revision = definition.revision
        self.events = Array(events.prefix(Self.limit))
        self.more = max(0, events.count - Self.limit)
    }
}
