@testable import GatePolicy

/// The rules of judgement once more, slow and obvious.
///
/// It reads the definition afresh for every question, knows nothing of stages and edges, and finds
/// dates by trying second after second.
struct ReferenceJudge {
    let rules: [RuleDefinition]
    let policy: UnidentifiedPolicy
    let identity: ClientIdentity
    let target: String
    let address: String?

    struct Outcome: Equatable {
        var kind: Decision.Kind
        var rule: String?
        var gap: IdentityGap?
        /// Rule and kind, in the order of the file; the policy without a rule.
        var observed: [String]
        var enforcedFrom: Timestamp?
        var maintenance: MaintenanceWindow?
    }

    private struct Word {
        var kind = Decision.Kind.allow
        var gaps: [IdentityGap] = []
        var isWarning = false
        var enforcedFrom: Timestamp?
        var closed: MaintenanceWindow?
        var announced: MaintenanceWindow?
    }

    func outcome(at now: Timestamp) -> Outcome {
        let words = self.rules.map { ($0, self.word(of: $0, at: now)) }
        let spoken = words.compactMap { rule, word in word.map { (rule, $0) } }
        let enforced = spoken.filter { $0.0.mode == .enforce }
        var gaps = Set(enforced.flatMap(\.1.gaps))
        if self.identity.version.value == nil {
            let isSilent = self.identity.version == .missing
            if !(isSilent && self.identity.build.value != nil) {
                gaps.insert(isSilent ? .missing(.version) : .unreadable(.version))
            }
        }
        let sortedGaps = gaps.sorted()
        let rejecting = sortedGaps.first { self.action(on: $0) == .reject }
        let observing = sortedGaps.filter { self.action(on: $0) == .observe }

        // The first in the file of those that nothing outranks.
        var strictest: (RuleDefinition, Word)?
        for candidate in enforced where candidate.1.kind != .allow {
            guard let known = strictest else {
                strictest = candidate
                continue
            }
            if Self.rank(known.1).lexicographicallyPrecedes(Self.rank(candidate.1)) {
                strictest = candidate
            }
        }
        let watched = spoken.filter { $0.0.mode == .observe }.flatMap { rule, word in
            word.kind > .allow
                ? ["\(rule.id) \(word.kind)"]
                : word.gaps.filter { self.action(on: $0) != .allow }.map { _ in
                    "\(rule.id) require"
                }
        }
        let next = enforced.compactMap(\.1.announced).sorted {
            ($0.from, $1.until) < ($1.from, $0.until)
        }.first
        var outcome = Outcome(
            kind: strictest?.1.kind ?? .allow,
            rule: strictest?.0.id,
            gap: rejecting ?? observing.first ?? sortedGaps.first,
            observed: watched + observing.map { _ in "policy require" },
            enforcedFrom: strictest?.1.enforcedFrom,
            maintenance: strictest?.1.closed ?? next
        )
        if rejecting != nil, outcome.kind < .require {
            outcome.kind = .require
            outcome.rule = nil
            outcome.enforcedFrom = nil
        }
        return outcome
    }

    /// What makes one word stricter than another, the weightiest first.
    private static func rank(_ word: Word) -> [Int64] {
        [
            Int64(Decision.Kind.allCases.firstIndex(of: word.kind) ?? 0),
            word.isWarning ? 1 : 0,
            -(word.enforcedFrom?.secondsSinceEpoch ?? .max),
            word.closed?.until.secondsSinceEpoch ?? 0,
        ]
    }

    private func action(on gap: IdentityGap) -> UnidentifiedPolicy.Action {
        if case .missing = gap { return self.policy.missing }
        return self.policy.unreadable
    }

    /// What a rule says; `nil` if it is not for the client, or not for this time.
    private func word(of rule: RuleDefinition, at now: Timestamp) -> Word? {
        if let until = rule.schedule.until, now >= until { return nil }
        guard let matchGaps = self.matchGaps(rule.match) else { return nil }
        let window = rule.maintenance
        let isClosed = window.map { $0.from <= now && now < $0.until } ?? false
        let isAnnounced =
            window.flatMap { window in
                window.announceFrom.map { $0 <= now && now < window.from && now < window.until }
            } ?? false

        let onlyMaintains =
            window != nil && rule.minimum == nil && rule.minimumBuild == nil
            && rule.recommended == nil && rule.blocked.isEmpty
        let begun: Bool
        switch (rule.schedule.warnFrom, rule.schedule.enforceFrom) {
        case (nil, nil): begun = true
        case (_, let enforceFrom?): begun = now >= enforceFrom
        case (_?, nil): begun = false
        }
        let isEnforced = !onlyMaintains && begun && self.isIn(rule, at: now)
        let isWarning =
            !onlyMaintains && !isEnforced && (rule.schedule.warnFrom.map { now >= $0 } ?? false)

        guard isEnforced || isWarning || rule.recommended != nil || isClosed || isAnnounced
        else { return nil }
        if !matchGaps.isEmpty {
            let onlyAnnounces =
                !isEnforced && !isWarning && rule.recommended == nil && !isClosed
            return onlyAnnounces ? nil : Word(gaps: matchGaps)
        }
        if isClosed { return Word(kind: .maintenance, closed: window) }
        var word = Word(announced: isAnnounced ? window : nil)
        if (isEnforced || isWarning) && self.isBelowFloor(of: rule) {
            word.kind = isEnforced ? .require : .recommend
            word.isWarning = isWarning
            if isWarning { word.enforcedFrom = self.deadline(of: rule, begun, after: now) }
            return word
        }
        if let recommended = rule.recommended, self.isBelow(recommended, rule) {
            word.kind = .recommend
        }
        if rule.recommended != nil
            || (isEnforced || isWarning)
                && (rule.minimum != nil || !rule.blocked.isEmpty)
        {
            if self.identity.version == .missing { word.gaps.append(.missing(.version)) }
            if case .unreadable = self.identity.version {
                word.gaps.append(.unreadable(.version))
            }
        }
        if isEnforced || isWarning, rule.minimumBuild != nil, self.identity.build == .missing {
            word.gaps.append(.missing(.build))
        }
        return word
    }

    /// The first second after this one at which the rule requires, tried one by one.
    private func deadline(of rule: RuleDefinition, _ begun: Bool, after now: Timestamp)
        -> Timestamp?
    {
        if !begun {
            guard let date = rule.schedule.enforceFrom else { return nil }
            return rule.schedule.until.map { date >= $0 } ?? false ? nil : date
        }
        for step in Int64(1)...40 {
            let later = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch + step)
            if let until = rule.schedule.until, later >= until { return nil }
            if self.isIn(rule, at: later) { return later }
        }
        return nil
    }

    private func isIn(_ rule: RuleDefinition, at now: Timestamp) -> Bool {
        guard !rule.rollout.isEmpty else { return true }
        let begun = rule.rollout.filter { $0.at.map { $0 <= now } ?? true }
        let percent = begun.last?.percent ?? 0
        return RolloutBucket(ruleID: rule.id, self.identity, address: self.address)
            .isWithin(percent)
    }

    private func isBelowFloor(of rule: RuleDefinition) -> Bool {
        if let minimum = rule.minimum, self.isBelow(minimum, rule) { return true }
        if let minimum = rule.minimumBuild, let build = self.identity.build.value,
            build < minimum
        {
            return true
        }
        guard let version = self.identity.version.value else { return false }
        return rule.blocked.contains { range in
            let isExact = rule.prerelease == .strict || range.namesPrerelease
            return range.contains(isExact ? version : version.release)
        }
    }

    private func isBelow(_ floor: AppVersion, _ rule: RuleDefinition) -> Bool {
        guard let version = self.identity.version.value else { return false }
        let isExact = rule.prerelease == .strict || !floor.prerelease.isEmpty
        return (isExact ? version : version.release) < floor
    }

    /// The parts of the match that the client leaves open; `nil` if one of them is another.
    private func matchGaps(_ match: RuleMatch) -> [IdentityGap]? {
        if let requests = match.requests {
            let paths = requests.map(\.path)
            let matching: [String: [String]] = [
                "/": [], "/a": ["/a/**"], "/a/b": ["/a/**", "/a/b", "/*/b"], "/c/b": ["/*/b"],
            ]
            guard paths.contains(where: { matching[self.target, default: []].contains($0 ?? "") })
            else { return nil }
        }
        var gaps: [IdentityGap] = []
        func accepts<Value: Equatable>(
            _ claim: Claim<Value>,
            _ part: IdentityPart,
            _ list: [Value]?
        ) -> Bool {
            guard let list else { return true }
            guard !list.isEmpty else { return false }
            switch claim {
            case .missing: gaps.append(.missing(part))
            case .unreadable: gaps.append(.unreadable(part))
            case .stated(let value): return list.contains(value)
            }
            return true
        }
        let isFor =
            accepts(self.identity.platform, .platform, match.platforms)
            && accepts(self.identity.app, .app, match.apps)
            && accepts(self.identity.channel, .channel, match.channels)
        return isFor ? gaps : nil
    }
}
