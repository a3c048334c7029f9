/// Evaluates all rules that may match a client and returns the strictest decision.
struct RuleEvaluator: Sendable {
    let rules: [CompiledRule]
    private let index: RuleIndex
    private let unidentified: UnidentifiedPolicy
    /// Whether nothing is enforced, regardless of the mode of each rule.
    let isObserving: Bool
    /// The requests for which the policy for unidentified clients is stricter, by pattern index.
    private let strictPaths: [(pattern: Int, actions: UnidentifiedActions)]
    private let routes: RouteEvaluator

    init(_ definition: RuleSetDefinition, _ classifier: RequestClassifier) {
        self.rules = definition.rules.enumerated().flatMap { place, rule in
            let patterns = rule.match.requests?.compactMap { classifier.number(of: $0) }
            // A rule that has only `next` entries or a route does not affect decisions by itself.
            let isEmpty = !rule.hasTerms && (!rule.next.isEmpty || rule.route != nil)
            let floors = isEmpty ? rule.next : rule.withNext
            return floors.map { floor in
                CompiledRule(floor, at: place, patterns: patterns, definition.releases)
            }
        }
        self.index = RuleIndex(self.rules)
        self.routes = RouteEvaluator(definition, classifier)
        self.isObserving = definition.mode == .observe
        self.unidentified = definition.unidentified
        self.strictPaths = definition.unidentified.paths.compactMap { path in
            classifier.number(of: path.request).map {
                ($0, UnidentifiedActions(path.missing, path.unreadable))
            }
        }
    }

    /// Returns the decision about a client.
    ///
    /// If `ignoresMaintenance` is true, maintenance windows do not deny any request.
    func decide(
        _ identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?,
        ignoresMaintenance: Bool = false
    ) -> Decision {
        guard !scope.isExempt else { return .exempt }
        var decision = Decision(kind: .allow, reason: .noRuleApplies)
        var strictest = Ruling()
        var deciding: CompiledRule?
        var announced: MaintenanceWindow?
        var nextBrownout: BrownoutWindow?
        var gaps = Self.gaps(of: identity)
        let actions = self.actions(in: scope)
        let subject = CompiledRule.Subject(identity, address: address)
        for index in self.index.candidates(for: identity, in: scope) {
            let compiled = self.rules[index]
            guard let unknown = compiled.gaps(of: subject, in: scope) else { continue }
            var stage = compiled.stage(for: subject, matchingUpTo: unknown, at: now)
            if ignoresMaintenance { stage.ignoreMaintenance() }
            decision.validUntil = Timestamp.earlier(decision.validUntil, stage.nextChange)
            if unknown.isEmpty, let held = compiled.held(on: subject, stage) {
                decision.held.append(held)
            }
            guard var ruling = compiled.ruling(on: subject, stage, matchingUpTo: unknown)
            else { continue }
            if self.isObserving, compiled.definition.mode == .enforce, ruling.kind >= .require {
                decision.observe(self.observed(ruling, by: compiled.definition, actions))
                ruling = compiled.hint(to: subject, stage)
            }
            // Individual fields are read, because copying the whole rule costs more than evaluating
            // it.
            switch compiled.definition.mode {
            case .enforce:
                gaps.formUnion(ruling.gaps)
                decision.reason = .passes
                if ruling.kind < .maintenance, let window = ruling.maintenance {
                    announced = MaintenanceWindow.next(announced, window)
                }
                if let window = ruling.warning?.nextBrownout {
                    nextBrownout = BrownoutWindow.next(nextBrownout, window)
                }
                // Among equally strict rulings, the first in the file applies.
                guard ruling.outranks(strictest) else { continue }
                strictest = ruling
                deciding = compiled
            case .observe:
                decision.observe(self.observed(ruling, by: compiled.definition, actions))
            }
        }
        decision.maintenance = announced
        if let deciding {
            decision.take(strictest)
            decision.warning?.nextBrownout = nextBrownout
            decision.ruleID = deciding.definition.id
            decision.ruleIndex = deciding.place
            decision.upgrade = UpgradeTerms(deciding.definition, strictest, for: identity)
        }
        self.apply(actions, gaps.sorted(), to: &decision, identity)
        self.routes.route(subject, in: scope, at: now, &decision)
        return decision
    }

    /// Whether this rule set contains the rule, and the rule is certain to match a client in a
    /// request scope.
    func isMeant(
        _ identity: ClientIdentity,
        in scope: RequestScope,
        by rule: RuleDefinition
    ) -> Bool {
        let subject = CompiledRule.Subject(identity, address: nil)
        return self.rules.contains { compiled in
            compiled.definition == rule && compiled.gaps(of: subject, in: scope) == []
        }
    }

    /// Returns the gaps that make a client unidentified, regardless of the rules.
    private static func gaps(of identity: ClientIdentity) -> Set<IdentityGap> {
        // A client that sends its build is identified. A rule that requires a version reports its
        // own gap.
        guard identity.build.value == nil else { return [] }
        return identity.version.gap(.version).map { [$0] } ?? []
    }

    /// Returns the actions for unidentified clients in a request scope.
    private func actions(in scope: RequestScope) -> UnidentifiedActions {
        var actions = UnidentifiedActions(self.unidentified.missing, self.unidentified.unreadable)
        for path in self.strictPaths where scope.patterns.contains(path.pattern) {
            actions.tighten(path.actions)
        }
        return self.isObserving ? actions.observing : actions
    }

    private func observed(
        _ ruling: Ruling,
        by rule: RuleDefinition,
        _ actions: UnidentifiedActions
    ) -> [Decision.Observed] {
        if ruling.kind > .allow {
            return [.init(ruleID: rule.id, kind: ruling.kind, reason: ruling.reason)]
        }
        return ruling.gaps.filter { actions.action(on: $0) != .allow }.map {
            .init(ruleID: rule.id, kind: .require, reason: .init($0))
        }
    }

    /// Applies the policy for unidentified clients to a decision.
    private func apply(
        _ actions: UnidentifiedActions,
        _ gaps: [IdentityGap],
        to decision: inout Decision,
        _ identity: ClientIdentity
    ) {
        let observing = gaps.filter { actions.action(on: $0) == .observe }
        decision.observed += observing.map {
            .init(ruleID: nil, kind: .require, reason: .init($0))
        }
        let rejecting = gaps.first { actions.action(on: $0) == .reject }
        decision.gap = rejecting ?? observing.first ?? gaps.first
        // The policy outranks a brownout, because the policy would still deny the client after the
        // brownout.
        if let rejecting, decision.kind < .require || decision.brownout != nil {
            decision.kind = .require
            decision.reason = .init(rejecting)
            decision.ruleID = nil
            decision.ruleIndex = nil
            decision.warning = nil
            decision.brownout = nil
            decision.upgrade = UpgradeTerms(self.unidentified, for: identity)
        } else if decision.kind == .allow, let gap = decision.gap {
            decision.reason = .init(gap)
        }
    }
}

extension Decision {
    /// Records the effect of one floor of a rule in observe mode.
    ///
    /// Only the strictest of the rule's floors, including those in `next`, is kept. Among equally
    /// strict floors, the first is kept.
    fileprivate mutating func observe(_ words: [Observed]) {
        guard let word = words.first else { return }
        let known = self.observed.first { $0.ruleID == word.ruleID }
        if let known {
            guard word.kind > known.kind else { return }
            self.observed.removeAll { $0.ruleID == word.ruleID }
        }
        self.observed += words
    }

    /// Applies a ruling that is stricter than `allow`.
    fileprivate mutating func take(_ ruling: Ruling) {
        self.kind = ruling.kind
        self.reason = ruling.reason
        self.warning = ruling.warning
        self.brownout = ruling.brownout
        if ruling.kind == .maintenance { self.maintenance = ruling.maintenance }
    }
}
