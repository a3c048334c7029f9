/// A rule in the form in which it judges.
///
/// A class, because a walk over thousands of rules would otherwise copy each with all its parts.
final class CompiledRule: Sendable {
    let definition: RuleDefinition
    /// The numbers of its request patterns; `nil` for every request.
    private let patterns: [Int]?
    /// Its channels in lower case, as identities state them.
    private let channels: [String]?
    private let rollout: Rollout
    private let isTimed: Bool

    init(_ definition: RuleDefinition, patterns: [Int]?) {
        self.definition = definition
        self.patterns = patterns
        self.channels = definition.match.channels?.map { $0.lowercased() }
        self.rollout = Rollout(definition)
        self.isTimed = definition.isTimed
    }

    /// A client as the rules look at it.
    struct Subject {
        let identity: ClientIdentity
        /// The release that its version is or leads to.
        let release: AppVersion?
        /// Where it connects from.
        let address: String?

        init(_ identity: ClientIdentity, address: String?) {
            self.identity = identity
            self.address = address
            self.release = identity.version.value?.release
        }
    }

    /// What would have to be known to say whether the rule is for a client; `nil` if it is not.
    func gaps(of subject: Subject, in scope: RequestScope) -> [IdentityGap]? {
        if let patterns, !patterns.contains(where: { scope.patterns.contains($0) }) { return nil }
        var gaps: [IdentityGap] = []
        guard
            Self.accepts(
                subject.identity.platform,
                .platform,
                self.definition.match.platforms,
                &gaps,
                ==
            ),
            Self.accepts(subject.identity.app, .app, self.definition.match.apps, &gaps, ==),
            Self.accepts(subject.identity.channel, .channel, self.channels, &gaps, ==),
            Self.accepts(
                subject.identity.osVersion,
                .osVersion,
                self.definition.match.osVersions,
                &gaps,
                ~=
            )
        else { return nil }
        return gaps
    }

    /// Where the rule stands for a client.
    func stage(for subject: Subject, at now: Timestamp) -> RuleStage {
        guard self.isTimed else { return .timeless }
        let admission = self.rollout.admission(of: subject.identity, address: subject.address)
        return RuleStage(self.definition, admission, at: now)
    }

    /// Whether a claim is among the accepted ones, as far as can be said: a gap is noted.
    private static func accepts<Value, Accepted>(
        _ claim: Claim<Value>,
        _ part: IdentityPart,
        _ accepted: [Accepted]?,
        _ gaps: inout [IdentityGap],
        _ isAccepted: (Accepted, Value) -> Bool
    ) -> Bool {
        guard let accepted else { return true }
        if let value = claim.value { return accepted.contains { isAccepted($0, value) } }
        if let gap = claim.gap(part) { gaps.append(gap) }
        return !accepted.isEmpty
    }

    /// Judges a client that the rule is, or may be, for; `nil` if the rule says nothing now.
    func ruling(
        on subject: Subject,
        _ stage: RuleStage,
        matchingUpTo gaps: [IdentityGap]
    ) -> Ruling? {
        let recommended = stage.recommends ? self.definition.recommended : nil
        let asks = stage.floor != .absent || recommended != nil || stage.isClosed
        guard gaps.isEmpty else {
            // A rule that may not be for the client denies nothing by itself.
            return asks ? Ruling(gaps: gaps) : nil
        }
        var announced: MaintenanceWindow?
        switch stage.maintenance {
        case .running(let window):
            return Ruling(
                kind: .maintenance,
                reason: .maintenance(until: window.until),
                maintenance: window
            )
        case .announced(let window):
            announced = window
        case .absent:
            guard asks else { return nil }
        }
        if let breach = self.breach(by: subject),
            var ruling = Ruling(below: breach, stage.floor)
        {
            // A rule that the client does not meet asks nothing more.
            ruling.maintenance = announced
            return ruling
        }
        var ruling = Ruling(gaps: self.gaps(of: subject, stage), maintenance: announced)
        if let recommended, let version = subject.identity.version.value,
            self.isBelow(recommended, version, subject.release ?? version)
        {
            ruling.kind = .recommend
            ruling.reason = .belowRecommended
        }
        return ruling
    }

    /// In what a client is below the floor, as far as it says which build it is.
    private func breach(by subject: Subject) -> Decision.Reason? {
        let rule = self.definition
        if let version = subject.identity.version.value {
            let release = subject.release ?? version
            if let range = rule.blocked.first(where: { self.blocks($0, version, release) }) {
                return .blocked(range)
            }
            if self.isBelow(rule.minimum, version, release) { return .belowMinimum }
        }
        if let minimum = rule.minimumBuild, let build = subject.identity.build.value,
            build < minimum
        {
            return .belowMinimumBuild
        }
        return nil
    }

    /// What the rule asks of a client that does not say it.
    private func gaps(of subject: Subject, _ stage: RuleStage) -> [IdentityGap] {
        let rule = self.definition
        let hasFloor = stage.floor != .absent
        let asksVersion =
            stage.recommends && rule.recommended != nil
            || hasFloor && (rule.minimum != nil || !rule.blocked.isEmpty)
        let asksBuild = hasFloor && rule.minimumBuild != nil
        return [
            asksVersion ? subject.identity.version.gap(.version) : nil,
            asksBuild ? subject.identity.build.gap(.build) : nil,
        ].compactMap { $0 }
    }

    private func isBelow(_ floor: AppVersion?, _ version: AppVersion, _ release: AppVersion) -> Bool
    {
        guard let floor else { return false }
        return self.judged(version, release, isPrerelease: !floor.prerelease.isEmpty) < floor
    }

    private func blocks(_ range: VersionRange, _ version: AppVersion, _ release: AppVersion) -> Bool
    {
        range.contains(self.judged(version, release, isPrerelease: range.namesPrerelease))
    }

    /// The version that is compared.
    ///
    /// Whoever writes a pre-release into a rule means the order of pre-releases, whatever the
    /// policy is.
    private func judged(
        _ version: AppVersion,
        _ release: AppVersion,
        isPrerelease: Bool
    ) -> AppVersion {
        switch self.definition.prerelease {
        case .asRelease: isPrerelease ? version : release
        case .strict: version
        }
    }
}
