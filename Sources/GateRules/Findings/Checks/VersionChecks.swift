internal import GatePolicy

/// Finds blocked versions below the minimum of the same rule.
///
/// The finding is a note, not a warning, because raising the minimum usually leaves such entries behind.
struct NeedlessBlockCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for floor in rules.floors {
            guard let minimum = floor.rule.minimum else { continue }
            for range in floor.rule.blocked where range.isEntirelyBelow(minimum) {
                let message =
                    "'\(range)' need not be blocked: it is entirely below the minimum \(minimum)"
                findings.report(.needlessBlock, message, on: floor, at: "blocked")
            }
        }
    }
}

/// Finds recommended versions that a rule for the same clients denies.
struct RefusedRecommendationCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for (index, floor) in rules.floors.enumerated()
        where floor.base == nil && floor.rule.mode == .enforce {
            guard let recommended = floor.rule.recommended else { continue }
            let refusing = ([index] + rules.covering.places(covering: index)).first { place in
                let other = rules.floors[place]
                return other.base == nil && self.refuses(other.rule, recommended)
                    && other.rule.isActiveForAllClients(at: now)
            }
            guard let refusing else { continue }
            let message =
                "the recommended version \(recommended) is denied by the rule "
                + "'\(rules.floors[refusing].rule.id)'"
            findings.report(.refusedRecommendation, message, on: floor, at: "recommended")
        }
    }

    private func refuses(_ rule: RuleDefinition, _ version: AppVersion) -> Bool {
        // Both the pre-release and its final release must be denied.
        !rule.admits(version) && !rule.admits(version.release)
    }
}

/// Finds rules that depend on store releases although no suitable release is listed.
struct MissingReleaseCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        // A feed may still provide the releases.
        let isToCome = rules.feeds.contains { [.anything, .releases].contains($0.source.subject) }
        let releases = Dictionary(grouping: rules.definition.releases, by: \.platform)
        for floor in rules.floors {
            let rule = floor.rule
            guard rule.holdUntilInStore != nil || rule.recommendsStoreVersion else { continue }
            for platform in rule.match.platforms ?? [] {
                let known = rule.releases(among: releases[platform] ?? [])
                if !known.isEmpty {
                    self.check(floor, StoreRelease.releases(in: known), on: platform, findings)
                    continue
                }
                guard !isToCome else { continue }
                let reason = "'releases' has no entry for \(platform)"
                if rule.holdUntilInStore != nil {
                    let message = "\(floor.words) waits forever: \(reason)"
                    findings.report(.missingRelease, message, on: floor, at: "holdUntilInStore")
                }
                if rule.recommendsStoreVersion, floor.base == nil {
                    let message = "\(floor.words) recommends nothing: \(reason)"
                    findings.report(.missingRelease, message, on: floor, at: "recommended")
                }
            }
        }
    }

    private func check(
        _ floor: RulesInReview.Floor,
        _ known: [StoreRelease],
        on platform: Platform,
        _ findings: FindingCollector
    ) {
        let rule = floor.rule
        // Releases without a version list only builds, which cannot be compared with a version.
        if rule.floorDependsOnVersion || rule.recommended != nil,
            known.allSatisfy({ $0.version == nil }), rule.holdUntilInStore != nil
        {
            let message =
                "\(floor.words) waits forever: no release for \(platform) in 'releases' "
                + "states a version; use builds instead"
            return findings.report(.missingRelease, message, on: floor, at: "holdUntilInStore")
        }
        self.checkCountries(of: floor, known, on: platform, findings)
    }

    /// Checks a hold with countries: it ends once a passing release is available in all of them.
    private func checkCountries(
        of floor: RulesInReview.Floor,
        _ known: [StoreRelease],
        on platform: Platform,
        _ findings: FindingCollector
    ) {
        guard let hold = floor.rule.holdUntilInStore else { return }
        let releases = known.filter { floor.rule.admits($0) }
        let isIn = { (release: StoreRelease, country: String) in
            // A release without countries is available in all countries.
            release.facts.contains { $0.countries.map { $0[country] != nil } ?? true }
        }
        let isCovered = releases.contains { release in
            hold.countries.allSatisfy { isIn(release, $0) }
        }
        guard !releases.isEmpty, !isCovered else { return }
        let countries = hold.countries.map { "'\($0)'" }.joined(separator: ", ")
        let message =
            "\(floor.words) waits forever: no passing release for \(platform) is available in "
            + "all of \(countries)"
        findings.report(.missingRelease, message, on: floor, at: "holdUntilInStore")
    }
}

/// Finds releases that are listed twice.
struct RepeatedReleaseCheck: FindingCheck {
    /// The properties that identify a release; two builds of one version are two releases.
    private struct Key: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
        let version: AppVersion?
        let builds: [BuildNumber]
    }

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        var places: [Key: Place] = [:]
        for (release, place) in zip(rules.definition.releases, rules.places.releases) {
            let key = Key(
                app: release.app,
                platform: release.platform,
                channel: release.channel,
                version: release.version,
                builds: release.builds
            )
            guard let first = places[key] else {
                places[key] = place
                continue
            }
            let name = release.version.map { "\($0)" } ?? StoreRelease.words(for: release.builds)
            let message = "the release \(name) for \(release.platform) is already listed at"
            findings.report(.repeatedRelease, "\(message) \(first)", at: place)
        }
    }
}

/// Finds versions with build metadata, which comparisons ignore.
struct BuildMetadataCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for (id, rule) in rules.places.rules {
            for stated in rule.metadata {
                findings.report(.buildMetadata, stated.value.message, at: stated.place, rule: id)
            }
        }
        for stated in rules.places.metadataOfReleases {
            findings.report(.buildMetadata, stated.value.message, at: stated.place)
        }
    }
}
