/// A rule in the form in which it judges.
///
/// A class, because a walk over thousands of rules would otherwise copy each with all its parts.
final class CompiledRule: Sendable {
    let definition: RuleDefinition
    /// The numbers of its request patterns; `nil` for every request.
    private let patterns: [Int]?
    /// Its channels in lower case, as identities state them.
    private let channels: [String]?

    init(_ definition: RuleDefinition, patterns: [Int]?) {
        self.definition = definition
        self.patterns = patterns
        self.channels = definition.match.channels?.map { $0.lowercased() }
    }

    /// What the rule says to a client.
    struct Verdict {
        var kind = Decision.Kind.allow
        var reason = Decision.Reason.passes
        /// What the rule would have to know, and does not.
        var gaps: [IdentityGap] = []
    }

    /// A client as the rules look at it.
    struct Subject {
        let identity: ClientIdentity
        /// The release that its version is or leads to.
        let release: AppVersion?

        init(_ identity: ClientIdentity) {
            self.identity = identity
            self.release = identity.version.value?.release
        }
    }

    /// Judges a client; `nil` if the rule is not for it.
    func verdict(on subject: Subject, in scope: RequestScope) -> Verdict? {
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
        // A rule that may not be for the client denies nothing by itself.
        guard gaps.isEmpty else { return Verdict(gaps: gaps) }
        return self.verdict(on: subject)
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

    /// Judges a client that the rule is for.
    private func verdict(on subject: Subject) -> Verdict {
        let rule = self.definition
        var verdict = Verdict()
        if let version = subject.identity.version.value {
            let release = subject.release ?? version
            if let range = rule.blocked.first(where: { self.blocks($0, version, release) }) {
                return Verdict(kind: .require, reason: .blocked(range))
            }
            if self.isBelow(rule.minimum, version, release) {
                return Verdict(kind: .require, reason: .belowMinimum)
            }
            if self.isBelow(rule.recommended, version, release) {
                verdict = Verdict(kind: .recommend, reason: .belowRecommended)
            }
        } else if rule.minimum != nil || rule.recommended != nil || !rule.blocked.isEmpty {
            verdict.gaps += [subject.identity.version.gap(.version)].compactMap { $0 }
        }
        if let minimum = rule.minimumBuild {
            guard let build = subject.identity.build.value else {
                verdict.gaps += [subject.identity.build.gap(.build)].compactMap { $0 }
                return verdict
            }
            if build < minimum { return Verdict(kind: .require, reason: .belowMinimumBuild) }
        }
        return verdict
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
