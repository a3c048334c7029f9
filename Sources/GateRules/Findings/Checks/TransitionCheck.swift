internal import GatePolicy

/// Reports where a change makes rules laxer, and rejects plans that remove a floor by accident.
struct TransitionCheck {
    private let old: LoadedRules
    private let new: LoadedRules
    private let transition: RuleSetTransition

    init(from old: LoadedRules, to new: LoadedRules, at now: Timestamp) {
        self.old = old
        self.new = new
        self.transition = RuleSetTransition(from: old.ruleSet, to: new.ruleSet, at: now)
    }

    func report(to findings: FindingCollector) {
        for opening in self.transition.openings {
            let some = opening.isPartial ? "some clients with " : ""
            let whom = "\(some)versions \(opening.versions)"
            guard let plan = opening.plan else {
                let why = opening.isGone ? "was removed" : "requires less"
                findings.report(
                    .laxer,
                    "the rule '\(opening.rule)' \(why): \(whom) pass now",
                    at: self.place(of: opening.rule),
                    rule: opening.rule
                )
                continue
            }
            self.report(plan, whom, findings)
        }
        if self.transition.unseen > 0 {
            let message =
                "\(self.transition.unseen) more changed rules were not compared"
            findings.report(.laxer, message, at: self.new.places.beginning)
        }
        self.reportEmptyFeeds(findings)
        self.reportSettings(findings)
    }

    /// Reports feeds that no longer provide rules.
    ///
    /// This may be intended, but an editor may also have cleared the feed by mistake.
    private func reportEmptyFeeds(_ findings: FindingCollector) {
        for feed in self.new.feeds
        where self.old.feeds.contains(where: { $0.fingerprint == feed.fingerprint }) {
            let before = self.old.rules(ofFeed: feed.id)
            guard !before.isEmpty, self.new.rules(ofFeed: feed.id).isEmpty else { continue }
            let verb = before.count == 1 ? "was" : "were"
            findings.report(
                .emptyFeed,
                "the feed '\(feed.id)' no longer provides rules: \(Self.list(before)) \(verb) removed",
                at: feed.place
            )
        }
    }

    private func report(
        _ plan: RuleSetTransition.Plan,
        _ whom: String,
        _ findings: FindingCollector
    ) {
        let place = self.new.places.rules[plan.rule]
        let places = plan.place > 0 ? place?.next(plan.place - 1) : place
        let base = plan.base.id
        findings.report(
            .planOpens,
            "the floor of '\(plan.rule)' has no effect yet, but replaces the active one: \(whom) "
                + "would pass until it takes effect; leave '\(base)' unchanged and add to it: "
                + NextText(plan.floor, besides: plan.base).text,
            at: places?.id ?? self.new.places.beginning,
            rule: plan.rule
        )
    }

    private func reportSettings(_ findings: FindingCollector) {
        let (before, after) = (self.old.definition, self.new.definition)
        let file = self.new.places.beginning
        guard before.mode == .enforce, after.mode == .enforce else { return }
        if before.identity != after.identity {
            findings.report(
                .identityChanged,
                "'identity' has changed: clients may be identified differently, or not at all",
                at: self.new.places.identity ?? file
            )
        }
        let known = Set(before.exemptions)
        let exempt = after.exemptions.filter { !known.contains($0) }
        if !exempt.isEmpty {
            let list = Self.list(exempt.map(\.text))
            findings.report(.laxer, "\(list): now exempt from all rules", at: file)
        }
        for (key, path) in [
            ("missing", \UnidentifiedPolicy.missing), ("unreadable", \.unreadable),
        ]
        where before.unidentified[keyPath: path] == .reject
            && after.unidentified[keyPath: path] != .reject
        {
            findings.report(
                .laxer,
                "'unidentified' no longer rejects clients whose version is \(key)",
                at: self.new.places.unidentified ?? file
            )
        }
        for request in self.transition.newlyAllowedRequests {
            findings.report(
                .laxer,
                "'unidentified' rejects fewer clients than before for '\(request.text)'",
                at: self.new.places.unidentified ?? file
            )
        }
        let closed = before.rules.filter { $0.maintenance != nil && $0.mode == .enforce }
        guard !closed.isEmpty else { return }
        let successors = Dictionary(firstOf: after.rules.map { ($0.id, $0) })
        for rule in closed where successors[rule.id] != rule {
            findings.report(
                .laxer,
                "the maintenance window of '\(rule.id)' was changed or removed",
                at: self.place(of: rule.id),
                rule: rule.id
            )
        }
    }

    private func place(of rule: String) -> Place {
        self.new.places.rules[rule]?.id ?? self.new.places.beginning
    }

    /// Returns a string with up to five names and the number of further names.
    private static func list(_ names: [String]) -> String {
        let more = names.count > 5 ? " and \(names.count - 5) more" : ""
        return names.prefix(5).map { "'\($0)'" }.joined(separator: ", ") + more
    }
}
