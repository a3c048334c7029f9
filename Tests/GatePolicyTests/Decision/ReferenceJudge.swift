@testable import GatePolicy

/// A slow and simple second implementation of the evaluation.
///
/// It reads the definition for each decision, has no stages and edges, and finds dates by trying every second.
struct ReferenceJudge {
    let rules: [RuleDefinition]
    let policy: UnidentifiedPolicy
    let releases: [Release]
    let identity: ClientIdentity
    let target: String
    let address: String?

    struct Outcome: Equatable {
        var kind: Decision.Kind
        var rule: String?
        var gap: IdentityGap?
        /// The observing rules with their kinds, in the order of the file; the `unidentified` policy has no rule.
        var observed: [String]
        /// The held rules with the ends of their holds, in the order of the file.
        var held: [String]
        var latest: AppVersion?
        var storeURL: String?
        var cannotUpdate: Bool
        var enforcedFrom: Timestamp?
        var brownoutUntil: Timestamp?
        var nextBrownout: Timestamp?
        var maintenance: MaintenanceWindow?
    }

    private struct Word {
        var kind = Decision.Kind.allow
        var gaps: [IdentityGap] = []
        var isWarning = false
        var enforcedFrom: Timestamp?
        var brownoutUntil: Timestamp?
        var nextBrownout: Timestamp?
        var closed: MaintenanceWindow?
        var announced: MaintenanceWindow?
        var latest: AppVersion?
        var storeURL: String?
        var cannotUpdate = false
    }

    func outcome(at now: Timestamp) -> Outcome {
        let words = self.rules.map { ($0, self.word(of: $0, at: now)) }
        let spoken = words.compactMap { rule, word in word.map { (rule, $0) } }
        let enforced = spoken.filter { $0.0.mode == .enforce }
        var gaps = Set(enforced.flatMap(\.1.gaps))
        if self.identity.version.value == nil {
            let isSilent = self.identity.version == .missing
            if self.identity.build.value == nil {
                gaps.insert(isSilent ? .missing(.version) : .unreadable(.version))
            }
        }
        let sortedGaps = gaps.sorted()
        let rejecting = sortedGaps.first { self.action(on: $0) == .reject }
        let observing = sortedGaps.filter { self.action(on: $0) == .observe }

        // The strictest rule; the first in the file if several are equally strict.
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
        let floors = spoken.filter { $0.0.mode == .observe }.map { rule, word in
            let rejected = word.gaps.filter { self.action(on: $0) != .allow }
                .map { _ in Decision.Kind.require }
            return (id: rule.id, kinds: word.kind > .allow ? [word.kind] : rejected)
        }.filter { !$0.kinds.isEmpty }
        // The stricter of a rule and its `next` counts, or the first if they are equal.
        let watched = floors.indices.flatMap { index in
            let floor = floors[index]
            let isOutdone = floors.indices.contains { other in
                floors[other].id == floor.id
                    && (floors[other].kinds[0], -other) > (floor.kinds[0], -index)
            }
            return isOutdone ? [] : floor.kinds.map { "\(floor.id) \($0)" }
        }
        let next = enforced.compactMap(\.1.announced).sorted {
            (Self.start($0), Self.end($1)) < (Self.start($1), Self.end($0))
        }.first
        var outcome = Outcome(
            kind: strictest?.1.kind ?? .allow,
            rule: strictest?.0.id,
            gap: rejecting ?? observing.first ?? sortedGaps.first,
            observed: watched + observing.map { _ in "policy require" },
            held: self.rules.compactMap { self.held($0, at: now) },
            latest: strictest?.1.latest,
            storeURL: strictest?.1.storeURL,
            cannotUpdate: strictest?.1.cannotUpdate ?? false,
            enforcedFrom: strictest?.1.enforcedFrom,
            brownoutUntil: strictest?.1.brownoutUntil,
            maintenance: strictest?.1.closed ?? next
        )
        if strictest?.1.isWarning == true || outcome.brownoutUntil != nil {
            outcome.nextBrownout = enforced.compactMap(\.1.nextBrownout).min()
        }
        if rejecting != nil, outcome.kind < .require || outcome.brownoutUntil != nil {
            outcome.kind = .require
            outcome.rule = nil
            outcome.enforcedFrom = nil
            outcome.brownoutUntil = nil
            outcome.nextBrownout = nil
            outcome.latest = nil
            outcome.storeURL = nil
            outcome.cannotUpdate = false
        }
        return outcome
    }

    /// The criteria by which one result is stricter than another, most significant first.
    private static func rank(_ word: Word) -> [Int64] {
        [
            Int64(Decision.Kind.allCases.firstIndex(of: word.kind) ?? 0),
            word.isWarning ? 1 : 0,
            // A brownout is ranked by its own end only.
            -(word.isWarning ? word.enforcedFrom?.secondsSinceEpoch ?? .max : .max),
            word.brownoutUntil?.secondsSinceEpoch ?? .max,
            word.closed.map { Self.end($0) } ?? 0,
        ]
    }

    private static func start(_ window: MaintenanceWindow) -> Int64 {
        window.from?.secondsSinceEpoch ?? .min
    }

    private static func end(_ window: MaintenanceWindow) -> Int64 {
        window.until?.secondsSinceEpoch ?? .max
    }

    private func action(on gap: IdentityGap) -> UnidentifiedPolicy.Action {
        let isMissing = if case .missing = gap { true } else { false }
        let paths = self.policy.paths.filter { self.isTarget($0.request) }
        let actions: [UnidentifiedPolicy.Action?] =
            isMissing
            ? [self.policy.missing] + paths.map(\.missing)
            : [self.policy.unreadable] + paths.map(\.unreadable)
        if actions.contains(.reject) { return .reject }
        return actions.contains(.observe) ? .observe : .allow
    }

    /// Returns the result of a rule; `nil` if it does not match the client or is not active at this
    /// time.
    private func word(
        of rule: RuleDefinition,
        at now: Timestamp,
        ignoringHold: Bool = false
    ) -> Word? {
        if let until = rule.schedule.until, now >= until { return nil }
        guard let matchGaps = self.matchGaps(rule.match) else { return nil }
        let window = rule.maintenance
        let second = now.secondsSinceEpoch
        let isClosed =
            window.map { Self.start($0) <= second && second < Self.end($0) } ?? false
        let isAnnounced =
            window.flatMap { window in
                window.announceFrom.map {
                    $0 <= now && second < Self.start(window) && second < Self.end(window)
                }
            } ?? false

        let onlyMaintains =
            window != nil && rule.minimum == nil && rule.minimumBuild == nil
            && rule.recommended == nil && !rule.recommendsStoreVersion && rule.blocked.isEmpty
        let begun: Bool
        switch (rule.schedule.warnFrom, rule.schedule.enforceFrom) {
        case (nil, nil): begun = true
        case (_, let enforceFrom?): begun = now >= enforceFrom
        case (_?, nil): begun = false
        }
        let wouldEnforce = !onlyMaintains && begun && self.isIn(rule, at: now)
        let wouldWarn =
            !onlyMaintains && !wouldEnforce && (rule.schedule.warnFrom.map { now >= $0 } ?? false)
        let brownout =
            wouldWarn ? rule.schedule.brownouts.first { $0.from <= now && now < $0.until } : nil
        let facts = self.ways(for: rule, isCertain: matchGaps.isEmpty)
        let isHeld =
            !ignoringHold && rule.holdUntilInStore != nil
            && !facts.contains { self.isWayOut($0, of: rule) && self.isOut($0, rule, at: now) }
        let isEnforced = wouldEnforce && !isHeld
        let isWarning = wouldWarn && !isHeld
        let refuses = isEnforced || isWarning && brownout != nil
        let recommended = self.recommended(by: rule, facts, at: now)
        let recommendedBuild = self.recommendedBuild(by: rule, facts, at: now)

        guard
            isEnforced || isWarning || recommended != nil || recommendedBuild != nil || isClosed
                || isAnnounced
        else { return nil }
        if !matchGaps.isEmpty {
            // What is missing matters only if the rule could deny the client.
            let comparesVersions =
                rule.minimum != nil || rule.minimumBuildOf != nil || !rule.blocked.isEmpty
            let isUnknown =
                comparesVersions && self.identity.version.value == nil
                || rule.minimumBuild != nil && self.identity.build.value == nil
            let mayDeny = isClosed || refuses && (self.isBelowFloor(of: rule) || isUnknown)
            return mayDeny ? Word(gaps: matchGaps) : nil
        }
        var word = Word(announced: isAnnounced ? window : nil)
        word.latest = recommended
        if rule.holdUntilInStore != nil || rule.recommendsStoreVersion {
            word.storeURL = self.newest(of: facts, rule, at: now)?.storeURL
        }
        if isClosed {
            word.kind = .maintenance
            word.closed = window
            word.announced = nil
            return word
        }
        let isTooOld =
            !rule.requiresOS.isEmpty
            && self.identity.osVersion.value.map { version in
                rule.requiresOS.allSatisfy { !$0.contains(version) }
            } ?? false
        if (isEnforced || isWarning) && self.isBelowFloor(of: rule) {
            word.kind = isEnforced || brownout != nil ? .require : .recommend
            word.isWarning = isWarning && brownout == nil
            word.cannotUpdate = isTooOld
            if isWarning {
                word.enforcedFrom = self.deadline(of: rule, begun, after: now)
                word.brownoutUntil = brownout?.until
                word.nextBrownout = rule.schedule.brownouts.map(\.from).filter { $0 > now }.min()
            }
            return word
        }
        if let recommended, self.isBelow(recommended, rule), !isTooOld {
            word.kind = .recommend
        }
        if let recommendedBuild, let build = self.identity.build.value, build < recommendedBuild,
            !isTooOld
        {
            word.kind = .recommend
        }
        if recommended != nil
            || refuses
                && (rule.minimum != nil || rule.minimumBuildOf != nil || !rule.blocked.isEmpty)
        {
            if self.identity.version == .missing { word.gaps.append(.missing(.version)) }
            if case .unreadable = self.identity.version {
                word.gaps.append(.unreadable(.version))
            }
        }
        if refuses, rule.minimumBuild != nil, self.identity.build == .missing {
            word.gaps.append(.missing(.build))
        }
        return word
    }

    /// Returns the rule and the end of its hold if the rule would have a result without the hold.
    private func held(_ rule: RuleDefinition, at now: Timestamp) -> String? {
        guard rule.holdUntilInStore != nil, self.matchGaps(rule.match) == [],
            let free = self.word(of: rule, at: now, ignoringHold: true),
            free.kind == .require || free.isWarning
        else { return nil }
        let word = self.word(of: rule, at: now)
        guard word?.kind != .require, word?.isWarning != true else { return nil }
        let facts = self.ways(for: rule, isCertain: true).filter { self.isWayOut($0, of: rule) }
        let end = (0...40).lazy.map { second($0) }.first { later in
            facts.contains { self.isOut($0, rule, at: later) }
        }
        return "\(rule.id) \(end?.description ?? "open")"
    }

    private func recommended(
        by rule: RuleDefinition,
        _ facts: [Way],
        at now: Timestamp
    ) -> AppVersion? {
        if rule.recommendsStoreVersion { return self.newest(of: facts, rule, at: now)?.version }
        guard let recommended = rule.recommended, rule.holdUntilInStore != nil else {
            return rule.recommended
        }
        let isThere = facts.contains { fact in
            let judge = self.having(fact, nil)
            return fact.version != nil && !judge.isBelow(recommended, rule)
                && !judge.isBlocked(by: rule) && self.isOut(fact, rule, at: now)
        }
        return isThere ? recommended : nil
    }

    /// Returns the lowest build of the newest release if that release has only builds.
    private func recommendedBuild(
        by rule: RuleDefinition,
        _ facts: [Way],
        at now: Timestamp
    ) -> BuildNumber? {
        guard rule.recommendsStoreVersion else { return nil }
        let unnamed = facts.filter { fact in
            fact.version == nil && self.isOut(fact, rule, at: now)
                && fact.builds.allSatisfy { !self.having(fact, $0).isBelowFloor(of: rule) }
        }
        guard let highest = unnamed.compactMap({ $0.builds.max() }).max(),
            let newest = unnamed.first(where: { $0.builds.max() == highest })
        else { return nil }
        if let named = self.newest(of: facts, rule, at: now), named.version != nil,
            named.builds.max() ?? 0 >= highest
        {
            return nil
        }
        return newest.builds.min()
    }

    private func newest(of facts: [Way], _ rule: RuleDefinition, at now: Timestamp) -> Way? {
        let out = facts.filter {
            self.isOut($0, rule, at: now) && !self.having($0, nil).isBlocked(by: rule)
        }
        // The first of equal releases counts; a release without a version is older than all releases with one.
        func isNoNewer(_ one: Way, than other: Way) -> Bool {
            let builds = [one, other].map { $0.builds.max() ?? 0 }
            return switch (one.version, other.version) {
            case (let version?, let newest?) where version != newest: version < newest
            case (.some, nil): false
            case (nil, .some): true
            case (.some, .some), (nil, nil): builds[0] <= builds[1]
            }
        }
        return out.first { candidate in out.allSatisfy { isNoNewer($0, than: candidate) } }
    }

    /// A release with all facts about its version.
    private struct Way {
        let version: AppVersion?
        var facts: [Release]

        var builds: [BuildNumber] { self.facts.flatMap(\.builds) }
        var storeURL: String? { self.facts.compactMap(\.storeURL).first }
    }

    private func ways(for rule: RuleDefinition, isCertain: Bool) -> [Way] {
        var ways: [Way] = []
        for fact in self.facts(for: rule, isCertain: isCertain) {
            let place = ways.firstIndex { way in
                way.version != nil && way.version == fact.version
                    && way.facts.allSatisfy {
                        ($0.app, $0.platform, $0.channel) == (fact.app, fact.platform, fact.channel)
                    }
            }
            if let place {
                ways[place].facts.append(fact)
            } else {
                ways.append(Way(version: fact.version, facts: [fact]))
            }
        }
        return ways
    }

    /// Returns the releases for the client, including the possible ones if the client is not identified.
    private func facts(for rule: RuleDefinition, isCertain: Bool) -> [Release] {
        let platform = self.identity.platform.value
        let app = self.identity.app.value
        guard isCertain else {
            return self.releases.filter {
                (platform == nil || $0.platform == platform)
                    && (app == nil || $0.app == nil || $0.app == app)
            }
        }
        let ofPlatform = self.releases.filter { $0.platform == platform }
        if app == nil, Set(ofPlatform.compactMap(\.app)).count > 1 { return [] }
        let ofApp = ofPlatform.filter { app == nil || $0.app == nil || $0.app == app }
        let channel = self.identity.channel.value
        let ofChannel = ofApp.filter { $0.channel != nil && $0.channel == channel }
        return ofChannel.isEmpty ? ofApp.filter { $0.channel == nil } : ofChannel
    }

    /// Whether a release has been available to all counted clients for the duration that the rule
    /// requires.
    private func isOut(_ way: Way, _ rule: RuleDefinition, at now: Timestamp) -> Bool {
        let hold = rule.holdUntilInStore
        let then = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch - (hold?.soak ?? 0))
        guard way.facts.contains(where: { $0.countries != nil }) else {
            return way.facts.allSatisfy { self.isOut($0, in: nil, by: then) }
        }
        let wanted = hold?.countries ?? []
        var counted = wanted.isEmpty ? way.facts.flatMap(Self.countries) : wanted
        let own: Claim<String> =
            self.identity.storefront == .missing ? self.identity.country : self.identity.storefront
        if let own = own.value, counted.contains(own) { counted = [own] }
        return !counted.isEmpty
            && counted.allSatisfy { country in
                let known = way.facts.filter { fact in
                    fact.countries == nil || Self.countries(of: fact).contains(country)
                }
                return !known.isEmpty
                    && known.allSatisfy { self.isOut($0, in: country, by: then) }
            }
    }

    /// Returns the countries that a fact is about.
    private static func countries(of fact: Release) -> [String] {
        fact.storeCountries ?? fact.countries.map { Array($0.keys) } ?? []
    }

    private func isOut(_ fact: Release, in country: String?, by then: Timestamp) -> Bool {
        if let releasedAt = fact.releasedAt, then < releasedAt { return false }
        if fact.phase == .partial { return false }
        if case .phased(let end) = fact.phase, then < end { return false }
        guard let country, let countries = fact.countries else { return true }
        guard let date = countries[country] else { return false }
        return date.map { $0 <= then } ?? true
    }

    /// Whether updating to a release lets the client pass the floor, and is not a downgrade.
    private func isWayOut(_ fact: Way, of rule: RuleDefinition) -> Bool {
        let dependsOnVersion =
            rule.minimum != nil || rule.minimumBuildOf != nil || !rule.blocked.isEmpty
        if dependsOnVersion, fact.version == nil { return false }
        if rule.minimumBuild != nil, fact.builds.isEmpty, self.having(fact, nil).countsBuild(rule) {
            return false
        }
        // This must be true of every build that the client may get.
        let builds: [BuildNumber?] = fact.builds.isEmpty ? [nil] : fact.builds
        if builds.contains(where: { self.having(fact, $0).isBelowFloor(of: rule) }) { return false }
        guard self.isBlocked(by: rule), let version = self.identity.version.value else {
            return true
        }
        return fact.version.map { version < $0 } ?? false
    }

    /// Returns a judge for the same client with a build of a release.
    private func having(_ fact: Way, _ build: BuildNumber?) -> ReferenceJudge {
        var identity = self.identity
        identity.version = fact.version.map { .stated($0) } ?? .missing
        identity.build = build.map { .stated($0) } ?? .missing
        return ReferenceJudge(
            rules: self.rules,
            policy: self.policy,
            releases: self.releases,
            identity: identity,
            target: self.target,
            address: self.address
        )
    }

    /// Returns the next second at which the rule requires the update, found by trying every second.
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
            build < minimum, self.countsBuild(rule)
        {
            return true
        }
        return self.isBlocked(by: rule)
    }

    private func countsBuild(_ rule: RuleDefinition) -> Bool {
        guard let only = rule.minimumBuildOf else { return true }
        guard let version = self.identity.version.value else { return false }
        return version == only || (rule.prerelease == .asRelease && version.release == only)
    }

    private func isBlocked(by rule: RuleDefinition) -> Bool {
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

    /// Whether the request matches a pattern, according to a table of all random patterns and paths.
    private func isTarget(_ pattern: RequestPattern) -> Bool {
        let matching: [String: [String]] = [
            "/": [], "/a": ["/a/**"], "/a/b": ["/a/**", "/a/b", "/*/b"], "/c/b": ["/*/b"],
        ]
        return matching[self.target, default: []].contains(pattern.path ?? "")
    }

    /// Returns the conditions that are undecided for the client; `nil` if one does not match.
    private func matchGaps(_ match: RuleMatch) -> [IdentityGap]? {
        if let requests = match.requests {
            guard requests.contains(where: { self.isTarget($0) }) else { return nil }
        }
        var gaps: [IdentityGap] = []
        func accepts<Value: Equatable>(
            _ claim: Claim<Value>,
            _ part: IdentityPart,
            _ list: [Value]?,
            _ isWithin: (Value) -> Bool = { _ in false }
        ) -> Bool {
            guard let list else { return true }
            guard !list.isEmpty else { return false }
            switch claim {
            case .missing: gaps.append(.missing(part))
            case .unreadable: gaps.append(.unreadable(part))
            case .stated(let value): return list.contains(value) || isWithin(value)
            }
            return true
        }
        let isFor =
            accepts(self.identity.platform, .platform, match.platforms)
            && accepts(self.identity.app, .app, match.apps?.map(\.description)) { app in
                // `com.example.*`
                (match.apps ?? []).contains { pattern in
                    pattern.description.hasSuffix(".*")
                        && app.hasPrefix(pattern.description.dropLast())
                        && app.count > pattern.description.count - 1
                }
            }
            && accepts(self.identity.channel, .channel, match.channels)
        return isFor ? gaps : nil
    }
}
