/// The labels under which an evaluated request is counted.
///
/// All names come from the rules file, and `other` replaces any other name, so that clients cannot
/// increase the number of labels.
package struct RequestTerms: Sendable, Hashable {
    /// The app as named in the rules, a matching app pattern in the rules, or `other`.
    package let app: String
    /// The platform as named in the rules, or `other`.
    package let platform: String
    package let kind: Decision.Kind
    /// The ID of the deciding rule, `unidentified` for the policy for unidentified clients, or
    /// `none`.
    package let rule: String
    /// The rules and policies in observe mode that would have denied the request, named as in
    /// `rule`.
    package let observed: [String]
    /// The required part of the identity that is missing or unparsable; `nil` if there is none.
    package let gap: IdentityGap?
    /// The route; `nil` if the request goes to the default backend.
    package let route: Route?
    /// The routes of rules in observe mode.
    package let observedRoutes: [Route]

    /// A route to a backend, with the rule that selects it.
    package struct Route: Sendable, Hashable {
        package let rule: String
        package let backend: String

        package init(rule: String, backend: String) {
            self.rule = rule
            self.backend = backend
        }
    }
    /// Whether a pass lifted the rule's denial or route.
    ///
    /// `kind` is then `allow`. If the pass lifted a route, `kind` can also be `recommend`.
    package let isPassed: Bool

    package init(
        app: String = Self.other,
        platform: String = Self.other,
        kind: Decision.Kind,
        rule: String = RuleExpectation.noRule,
        observed: [String] = [],
        gap: IdentityGap? = nil,
        route: Route? = nil,
        observedRoutes: [Route] = [],
        isPassed: Bool = false
    ) {
        self.app = app
        self.platform = platform
        self.kind = kind
        self.rule = rule
        self.observed = observed
        self.gap = gap
        self.route = route
        self.observedRoutes = observedRoutes
        self.isPassed = isPassed
    }

    /// The name of the decision; `passed` if a pass lifted the denial or the route.
    package var decision: String { self.isPassed ? Decision.passedName : self.kind.rawValue }

    /// The label that replaces a missing name, or a name that the rules do not contain.
    package static let other = "other"

    /// The labels of a CORS preflight, which is never evaluated.
    package static let preflight = RequestTerms(kind: .allow)

    /// The labels without names from the rules file.
    ///
    /// These labels have only a few dozen combinations.
    package var withoutNames: RequestTerms {
        RequestTerms(kind: self.kind, rule: Self.other, gap: self.gap, isPassed: self.isPassed)
    }

    /// Whether the request passes only because the rules that would deny it are in observe mode.
    package var passesByObserving: Bool {
        self.kind < .require && !self.observed.isEmpty && !self.isPassed
    }
}

extension RequestTerms.Route {
    fileprivate init(_ destination: Decision.Destination) {
        self.init(rule: destination.ruleID, backend: destination.backend)
    }
}

/// The apps and platforms that rules and releases name.
///
/// `ClientClasses` distinguishes clients by the same names, so that all clients of a class have the
/// same labels.
struct NamedClients: Sendable {
    private let apps: Set<String>
    /// The app patterns, longest first.
    private let patterns: [AppPattern]
    private let platforms: Set<String>

    init(_ definition: RuleSetDefinition) {
        let rules = definition.rulesWithNext
        let apps = Set(rules.flatMap { $0.match.apps ?? [] })
        self.apps = Set(apps.filter { $0.prefix == nil }.map(\.description))
            .union(definition.releases.compactMap(\.app))
        self.patterns = apps.filter { $0.prefix != nil }
            .sorted { $0.description.utf8.count > $1.description.utf8.count }
        self.platforms = Set(rules.flatMap { $0.match.platforms ?? [] }.map(\.name))
            .union(definition.releases.map(\.platform.name))
    }

    func terms(of decision: Decision, for identity: ClientIdentity) -> RequestTerms {
        let isPassed = decision.passID != nil
        let isUnidentified = decision.ruleID == nil && (decision.kind >= .require || isPassed)
        let observed = decision.observed.filter { $0.kind >= .require }
            .map { $0.ruleID ?? RuleExpectation.unidentified }
        return RequestTerms(
            app: self.app(identity.app.value),
            platform: Self.name(identity.platform.value?.name, among: self.platforms),
            kind: decision.kind,
            rule: decision.ruleID
                ?? (isUnidentified ? RuleExpectation.unidentified : RuleExpectation.noRule),
            observed: Set(observed).sorted(),
            gap: decision.gap,
            route: decision.route.map { RequestTerms.Route($0) },
            observedRoutes: decision.observedRoutes.map { RequestTerms.Route($0) },
            isPassed: isPassed
        )
    }

    /// Returns the app if the rules name it, or the longest pattern that matches it.
    private func app(_ name: String?) -> String {
        guard let name, !self.apps.contains(name) else { return name ?? RequestTerms.other }
        return self.patterns.first { $0.matches(name) }?.description ?? RequestTerms.other
    }

    private static func name(_ name: String?, among names: Set<String>) -> String {
        guard let name, names.contains(name) else { return RequestTerms.other }
        return name
    }
}
