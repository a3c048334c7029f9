/// A rule in the form in which it judges.
///
/// A class, because a walk over thousands of rules would otherwise copy each with all its parts.
final class CompiledRule: Sendable {
    let definition: RuleDefinition
    /// The place of the rule, or of the one whose `next` it is, among those of the definition.
    let place: Int
    /// The numbers of its request patterns; `nil` for every request.
    let patterns: [Int]?
    /// Its channels in lower case, as identities state them.
    private let channels: [String]?
    private let rollout: Rollout
    private let isTimed: Bool
    /// Whether the rule asks the same at all times, whatever the stores have.
    var isConstant: Bool { !self.isTimed && self.availability == nil }
    /// Whether its floor is about versions, and whether it is about builds.
    private let asksVersion: Bool
    private let asksBuild: Bool
    /// The content of the stores; `nil` for a rule that does not look at it.
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
        self.rollout = Rollout(definition)
        self.isTimed = definition.isTimed
        self.asksVersion = definition.floorAsksVersion
        self.asksBuild = definition.floorAsksBuild
        self.availability = StoreAvailability(definition, releases)
    }

    /// A client as the rules look at it.
    struct Subject {
        let identity: ClientIdentity
        /// The release that its version is or leads to.
        let release: AppVersion?
        /// The address that it connects from.
        let address: String?

        init(_ identity: ClientIdentity, address: String?) {
            self.identity = identity
            self.address = address
            self.release = identity.version.value?.release
        }
    }

    /// The parts that would have to be known to say whether the rule is for a client; `nil` if it
    /// is not.
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
                ~=
            )
        else { return nil }
        return gaps
    }

    /// The stage of the rule for a client that it is for, up to what these gaps leave open.
    func stage(
        for subject: Subject,
        matchingUpTo gaps: [IdentityGap],
        at now: Timestamp
    ) -> RuleStage {
        var stage = self.schedule(for: subject, at: now)
        guard let availability else { return stage }
        // A blocked version is not left by going back.
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

    /// From when on the roll-out has a client.
    func admission(of subject: Subject) -> EffectiveFrom {
        self.rollout.admission(of: subject.identity, address: subject.address)
    }

    /// Names are compared by their bytes, as platforms are.
    private static func areSame(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8)
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

    /// The version and the build that the rule recommends at this stage.
    func recommendation(at stage: RuleStage) -> Recommendation {
        guard stage.recommends else { return .none }
        return stage.store?.recommendation ?? self.definition.recommendation
    }

    /// Judges a client that the rule is, or may be, for; `nil` if the rule says nothing now.
    func ruling(
        on subject: Subject,
        _ stage: RuleStage,
        matchingUpTo gaps: [IdentityGap]
    ) -> Ruling? {
        let recommendation = self.recommendation(at: stage)
        guard gaps.isEmpty else {
            // A rule that may not be for the client denies nothing by itself, and a floor that only
            // warns is no reason to ask who the client is.
            let asks = stage.refuses || !recommendation.isEmpty || stage.isClosed
            return asks ? Ruling(gaps: gaps) : nil
        }
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
            // A rule that the client does not meet asks nothing more.
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

    /// The word of the rule to a client that passes its floor, or that is let pass all the same.
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

    /// In what a client is below a recommendation; `nil` if it is not, or states too little to tell.
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

    /// The decision that the rule would make but for what the store does not have yet.
    func held(on subject: Subject, _ stage: RuleStage) -> Decision.Held? {
        guard stage.isHeld, !stage.isClosed, self.breach(by: subject) != nil else { return nil }
        return Decision.Held(ruleID: self.definition.id, until: stage.store?.floor.date)
    }

    /// Whether the operating system of the client is known to be too old for the update.
    func excludesDevice(of subject: Subject) -> Bool {
        let ranges = self.definition.requiresOS
        guard !ranges.isEmpty, let version = subject.identity.osVersion.value else { return false }
        return !ranges.contains { $0.contains(version) }
    }

    /// In what a client is below the floor, as far as it says which build it is.
    func breach(by subject: Subject) -> Decision.Reason? {
        self.definition.breach(
            by: subject.identity.version.value,
            subject.release,
            build: subject.identity.build.value
        )
    }

    /// The parts that the rule asks of a client and the client does not say.
    private func gaps(
        of subject: Subject,
        _ stage: RuleStage,
        _ recommendation: Recommendation
    ) -> [IdentityGap] {
        let hasFloor = stage.refuses
        let asksVersion = recommendation.version != nil || hasFloor && self.asksVersion
        // A recommended build alone is no reason to refuse a client that states none.
        let asksBuild = hasFloor && self.asksBuild
        return [
            asksVersion ? subject.identity.version.gap(.version) : nil,
            asksBuild ? subject.identity.build.gap(.build) : nil,
        ].compactMap { $0 }
    }
}
