/// Selects the backend for a client that passes.
///
/// Routes are evaluated separately from floors, so that they cannot change a decision.
struct RouteEvaluator: Sendable {
    private let rules: [CompiledRule]
    private let index: RuleIndex
    /// Whether all routes are only observed, regardless of the mode of each rule.
    private let isObserving: Bool

    init(_ definition: RuleSetDefinition, _ classifier: RequestClassifier) {
        self.rules = definition.rules.enumerated().compactMap { place, rule in
            guard rule.route != nil else { return nil }
            let patterns = rule.match.requests?.compactMap { classifier.number(of: $0) }
            return CompiledRule(rule, at: place, patterns: patterns, definition.releases)
        }
        self.index = RuleIndex(self.rules)
        self.isObserving = definition.mode == .observe
    }

    /// Adds to a decision the first route that includes the client, and the routes of rules in
    /// observe mode before that route.
    ///
    /// A denied request has no route.
    func route(
        _ subject: CompiledRule.Subject,
        in scope: RequestScope,
        at now: Timestamp,
        _ decision: inout Decision
    ) {
        guard !self.rules.isEmpty, decision.kind < .require else { return }
        for index in self.index.candidates(for: subject.identity, in: scope) {
            let compiled = self.rules[index]
            guard compiled.gaps(of: subject, in: scope) == [], compiled.routes(subject) else {
                continue
            }
            let stage = compiled.stage(for: subject, matchingUpTo: [], at: now)
            decision.validUntil = Timestamp.earlier(decision.validUntil, stage.nextChange)
            guard stage.refuses, let destination = Decision.Destination(compiled.definition)
            else { continue }
            guard compiled.definition.mode == .enforce, !self.isObserving else {
                decision.observedRoutes.append(destination)
                continue
            }
            decision.route = destination
            return
        }
    }
}

extension Decision {
    /// The destination that a rule selects.
    package struct Destination: Sendable, Hashable {
        package let ruleID: String
        package let backend: String
        package let fallback: Route.Fallback

        /// Creates the destination of a rule's route; returns `nil` if the rule has no route.
        init?(_ rule: RuleDefinition) {
            guard let route = rule.route else { return nil }
            self.ruleID = rule.id
            self.backend = route.backend
            self.fallback = route.fallback
        }
    }
}
