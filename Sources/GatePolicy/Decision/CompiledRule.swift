/// A rule prepared for evaluation.
///
/// The type is a class, because evaluating thousands of structs would copy each of them.
final class CompiledRule: Sendable {
    let definition: RuleDefinition
    /// The index of the rule in the definition.
    ///
    /// An entry of `next` has the index of the rule that contains the entry.
    let place: Int
    /// The indices of the rule's request patterns; `nil` if the rule matches all requests.
    let patterns: [Int]?
    /// The channels that the rule matches, in lower case, as in client identities.
    private let channels: [String]?
    private let isTimed: Bool
    /// Whether the terms of the rule depend on neither the time nor stores.
    var isConstant: Bool { !self.isTimed && self.availability == nil }
    /// Whether the floor depends on the client's version.
    private let dependsOnVersion: Bool
    private let dependsOnBuild: Bool
    /// The availability of releases in stores; `nil` if the rule does not depend on stores.
    private let availability: StoreAvailability?

    init(
        _ definition: RuleDefinition,
        at place: Int,
        patterns: [Int]?,
        _ releases: [Release]
    ) {
        self.definition = definition
        self.place = place
        self.patterns = patterns
        self.channels = definition.match.channels?.map { $0.lowercasedASCII }
        self.isTimed = definition.isTimed
        self.dependsOnVersion = definition.floorDependsOnVersion
        self.dependsOnBuild = definition.floorDependsOnBuild
        self.availability = StoreAvailability(definition, releases)
    }

    /// A client, with the properties that rules evaluate.
    struct Subject {
        let identity: ClientIdentity
        /// The client's version without its pre-release identifiers, if any.
        let release: AppVersion?
        let address: String?

        init(_ identity: ClientIdentity, address: String?) {
            self.identity = identity
            self.address = address
            self.release = identity.version.value?.release
        }
    }

    /// Returns the missing or unparsable parts of the identity that could change whether the rule
    /// matches; `nil` if the rule does not match.
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
            Self.accepts(
                subject.identity.app,
                .app,
                self.definition.match.apps,
                &gaps,
                { $0.matches($1) }
            ),
            Self.accepts(subject.identity.channel, .channel, self.channels, &gaps, Self.areSame),
            Self.accepts(
                subject.identity.osVersion,
                .osVersion,
                self.definition.match.osVersions,
                &gaps,
                { $0.contains($1) }
            )
        else { return nil }
        return gaps
    }

    /// Returns the stage of the rule for a client that the rule matches, or may match if parts of
    /// the identity are missing.
    func stage(
        for subject: Subject,
        matchingUpTo gaps: [IdentityGap],
        at now: Timestamp
    ) -> RuleStage {
        var stage = self.schedule(for: subject, at: now)
        guard let availability else { return stage }
        // An update from a blocked version has to be newer than that version.
        var blocked: AppVersion?
        if case .blocked = self.breach(by: subject) { blocked = subject.identity.version.value }
        let view = availability.view(
            for: subject.identity,
            isCertain: gaps.isEmpty,
            above: blocked,
            at: now
        )
        stage.look(at: view, at: now)
        return stage
    }

    private func schedule(for subject: Subject, at now: Timestamp) -> RuleStage {
        guard self.isTimed else { return .timeless }
        return RuleStage(self.definition, self.admission(of: subject), at: now)
    }

    /// Returns the time from which the rollout includes a client.
    func admission(of subject: Subject) -> EffectiveFrom {
        self.definition.admission(of: subject.identity, address: subject.address)
    }

    /// Whether two names have the same bytes, which is also how platforms are compared.
    private static func areSame(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8)
    }

    /// Whether a claim is, or may be, one of the accepted values.
    ///
    /// A missing or unparsable claim is added to the gaps.
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

    /// Returns the version and the build that the rule recommends at this stage.
    func recommendation(at stage: RuleStage) -> Recommendation {
        guard stage.recommends else { return .none }
        return stage.store?.recommendation ?? self.definition.recommendation
    }

    /// Evaluates the rule for a client that it matches or may match.
    ///
    /// Returns `nil` if the rule currently has no effect.
    func ruling(
        on subject: Subject,
        _ stage: RuleStage,
        matchingUpTo gaps: [IdentityGap]
    ) -> Ruling? {
        guard gaps.isEmpty else {
            // A rule whose match is uncertain never denies the client. The missing parts matter only
            // if the rule would deny the client if it matched.
            return self.mayDeny(subject, stage) ? Ruling(gaps: gaps) : nil
        }
        let recommendation = self.recommendation(at: stage)
        var announced: MaintenanceWindow?
        switch stage.maintenance {
        case .running(let window):
            return Ruling(
                kind: .maintenance,
                reason: .maintenance(until: window.until),
                maintenance: window,
                store: stage.store
            )
        case .announced(let window):
            announced = window
        case .absent:
            guard stage.floor != .absent || !recommendation.isEmpty else { return nil }
        }
        if let breach = self.breach(by: subject),
            var ruling = Ruling(below: breach, stage.floor)
        {
            // The floor alone determines the decision, so missing parts of the identity do not
            // matter.
            ruling.maintenance = announced
            ruling.store = stage.store
            ruling.cannotUpdate = self.excludesDevice(of: subject)
            return ruling
        }
        var ruling = self.hint(to: subject, stage)
        ruling.gaps = self.gaps(of: subject, stage, recommendation)
        ruling.maintenance = announced
        return ruling
    }

    /// Returns the rule's recommendation for a client that passes, whether or not it is below the
    /// floor.
    func hint(to subject: Subject, _ stage: RuleStage) -> Ruling {
        var ruling = Ruling(store: stage.store)
        if let reason = self.shortfall(of: subject, self.recommendation(at: stage)),
            !self.excludesDevice(of: subject)
        {
            ruling.kind = .recommend
            ruling.reason = reason
        }
        return ruling
    }

    /// Returns the reason why a client is below a recommendation.
    ///
    /// Returns `nil` if the client is not below the recommendation, or if the value to compare is
    /// unknown.
    private func shortfall(
        of subject: Subject,
        _ recommendation: Recommendation
    ) -> Decision.Reason? {
        if let version = subject.identity.version.value,
            self.definition.isBelow(recommendation.version, version, subject.release ?? version)
        {
            return .belowRecommended
        }
        guard let recommended = recommendation.build, let build = subject.identity.build.value,
            build < recommended
        else { return nil }
        return .belowRecommendedBuild
    }

    /// Whether the rule's route includes a client that the rule matches.
    func routes(_ subject: Subject) -> Bool {
        self.definition.routes(
            subject.identity.version.value,
            subject.release,
            build: subject.identity.build.value
        )
    }

    /// Returns the denial that the rule defers until the store has the update; `nil` if there is
    /// none.
    func held(on subject: Subject, _ stage: RuleStage) -> Decision.Held? {
        guard stage.isHeld, !stage.isClosed, self.breach(by: subject) != nil else { return nil }
        return Decision.Held(ruleID: self.definition.id, until: stage.store?.floor.date)
    }

    /// Whether the client's operating system is known to be too old for the update.
    func excludesDevice(of subject: Subject) -> Bool {
        let ranges = self.definition.requiresOS
        guard !ranges.isEmpty, let version = subject.identity.osVersion.value else { return false }
        return !ranges.contains { $0.contains(version) }
    }

    /// Returns the reason why a client is below the floor.
    ///
    /// Returns `nil` if the client is not below the floor, or if the value to compare is unknown.
    func breach(by subject: Subject) -> Decision.Reason? {
        self.definition.breach(
            by: subject.identity.version.value,
            subject.release,
            build: subject.identity.build.value
        )
    }

    /// Whether the rule would deny the client if it matched, as far as the identity is known.
    private func mayDeny(_ subject: Subject, _ stage: RuleStage) -> Bool {
        guard !stage.isClosed else { return true }
        return stage.refuses
            && (self.breach(by: subject) != nil || !self.gaps(of: subject, stage, .none).isEmpty)
    }

    /// Returns the parts of the identity that the rule requires and that are missing or unparsable.
    private func gaps(
        of subject: Subject,
        _ stage: RuleStage,
        _ recommendation: Recommendation
    ) -> [IdentityGap] {
        let hasFloor = stage.refuses
        let dependsOnVersion = recommendation.version != nil || hasFloor && self.dependsOnVersion
        // A client is not denied for a missing build if the rule only recommends a build.
        let dependsOnBuild = hasFloor && self.dependsOnBuild
        return [
            dependsOnVersion ? subject.identity.version.gap(.version) : nil,
            dependsOnBuild ? subject.identity.build.gap(.build) : nil,
        ].compactMap { $0 }
    }
}
