package import GateCensus
package import GatePolicy

extension RulesFindings {
    private static let checks: [any FindingCheck] = [
        UnknownBackendCheck(), DeadRouteCheck(), DeadRuleCheck(), PastRuleCheck(), RolloutCheck(),
        FarDateCheck(), NextCompleteCheck(),
        MissingLanguageCheck(), UnusedNoticeCheck(), StoreLinkCheck(),
        NeedlessBlockCheck(), RefusedRecommendationCheck(), MissingReleaseCheck(),
        RepeatedReleaseCheck(), BuildMetadataCheck(), LenientPathCheck(), PlatformCheck(),
        FeedPlatformCheck(),
        OpenGateCheck(),
    ]

    /// Runs all checks on rules at a given time.
    ///
    /// `check`, `feed check`, startup, every reload and every feed update use this initializer, so
    /// that they all report the same findings.
    ///
    /// - Parameters:
    ///   - rules: The rules to check.
    ///   - old: The active rules, which `rules` would replace; `nil` if there are none.
    ///   - isReturn: Whether the change is an undo, that is, `rules` were active before. Planned
    ///     floors and newly denied clients do not reject an undo.
    ///   - census: The clients of the last day; `nil` if there is no census.
    ///   - now: The time of the check.
    package init(
        _ rules: LoadedRules,
        against old: LoadedRules? = nil,
        isReturn: Bool = false,
        census: [CensusRow]? = nil,
        at now: Timestamp
    ) {
        let collector = FindingCollector()
        let review = RulesInReview(rules)
        for check in Self.checks { check.check(review, at: now, collector) }
        LockoutCheck(review, at: now).report(to: collector, against: old)
        LargeDenialCheck(rules: rules).report(to: collector)
        for error in rules.laxTests { collector.report(.failedTest, error) }
        if let old { TransitionCheck(from: old, to: rules, at: now).report(to: collector) }
        if let old, let census {
            GuardCheck(old: old, new: rules, census: census, now: now).report(to: collector)
        }
        if let census {
            UnusedRouteCheck(rules: rules, census: census, now: now).report(to: collector)
        }
        var acceptance = Acceptance(rules)
        let judged = collector.sorted(byFiles: rules.places.files).map { finding in
            isReturn && (finding.name == .planOpens || finding.name == .newlyRefused)
                ? finding.allowed(because: "these rules were active before", as: .warns)
                : acceptance.apply(to: finding)
        }
        let needless = FindingCollector()
        // In observe mode, no rejecting finding occurs, so every `accept` would seem needless.
        if rules.definition.mode == .enforce {
            acceptance.reportNeedless(
                to: needless,
                knowsTransition: old != nil,
                knowsClients: old != nil && census != nil
            )
        }
        self.init(all: judged + needless.sorted(byFiles: rules.places.files))
    }
}

extension LoadedRules {
    /// The feeds whose rules lock clients out although the rules have not become stricter.
    ///
    /// New data from a store can reveal such a lockout.
    package var lockoutsByFeeds: [(feed: String, finding: Finding)] {
        var feeds: [String: Finding] = [:]
        for finding in self.findings.warnings where finding.name == .lockout {
            guard let feed = FeedDocuments.feed(ofFile: finding.asError.file) else { continue }
            feeds[feed] = feeds[feed] ?? finding
        }
        return feeds.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// The findings that the files accept, in a rule or in the entry of the feed that provides the
/// rule.
private struct Acceptance {
    private struct Entry {
        let finding: Located<FindingName>
        /// The rule or feed that the finding must be about.
        let owner: Owner
        var isUsed = false
    }

    private enum Owner: Equatable {
        case rule(String)
        case feed(String)
    }

    private var entries: [Entry]

    init(_ rules: LoadedRules) {
        let byRule = rules.places.rules.flatMap { id, rule in
            rule.accepted.map { Entry(finding: $0, owner: .rule(id)) }
        }
        let byFeed = rules.feeds.flatMap { feed in
            feed.accepted.map { Entry(finding: $0, owner: .feed(feed.id)) }
        }
        self.entries = byRule + byFeed
    }

    mutating func apply(to finding: Finding) -> Finding {
        guard finding.name.effect == .refuses else { return finding }
        let feed = FeedDocuments.feed(ofFile: finding.asError.file)
        let owner = feed.map { Owner.feed($0) } ?? finding.rule.map { Owner.rule($0) }
        for index in self.entries.indices
        where self.entries[index].owner == owner
            && self.entries[index].finding.value == finding.name
        {
            self.entries[index].isUsed = true
            // Only a note, because the author of `accept` already knows about the finding.
            return finding.allowed(because: "accepted", as: .notes)
        }
        guard finding.effect == .refuses else { return finding }
        guard owner != nil else {
            return finding.adding("if this is intended, set 'guard: off' for this change")
        }
        let place = feed.map { "the entry of the feed '\($0)'" } ?? "the rule"
        return finding.adding(
            "if this is intended, add 'accept: [\(finding.name.rawValue)]' to \(place)"
        )
    }

    /// Reports `accept` entries without a finding.
    ///
    /// `plan-opens` concerns a change, so it needs the previous rules. `guard` also needs a census.
    func reportNeedless(
        to findings: FindingCollector,
        knowsTransition: Bool,
        knowsClients: Bool
    ) {
        for entry in self.entries where !entry.isUsed {
            let name = entry.finding.value
            guard knowsTransition || name != .planOpens, knowsClients || name != .newlyRefused
            else { continue }
            findings.report(
                .needlessAccept,
                "'accept: [\(name.rawValue)]' is no longer needed: remove it",
                at: entry.finding.place
            )
        }
    }
}
