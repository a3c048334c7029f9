/// The terms in which a judged request is counted.
///
/// Each name in them is one of the rules file's, and `other` stands for whatever else clients say: no
/// client can add to their number.
package struct RequestTerms: Sendable, Hashable {
    /// An app that the rules name, a pattern of theirs that it matches, or `other`.
    package let app: String
    /// A platform that the rules name, or `other`.
    package let platform: String
    /// The decision on the request.
    package let kind: Decision.Kind
    /// The rule that decided, `unidentified` for the policy on clients that do not say who they are,
    /// or `none`.
    package let rule: String
    /// The rules and policies that observe and would have denied the request, in the same words.
    package let observed: [String]
    /// The part of the identity that was needed and not there.
    package let gap: IdentityGap?

    package init(
        app: String = Self.other,
        platform: String = Self.other,
        kind: Decision.Kind,
        rule: String = RuleExpectation.noRule,
        observed: [String] = [],
        gap: IdentityGap? = nil
    ) {
        self.app = app
        self.platform = platform
        self.kind = kind
        self.rule = rule
        self.observed = observed
        self.gap = gap
    }

    /// A name that no rule names, or none at all.
    package static let other = "other"

    /// Those of a request that is never judged.
    package static let preflight = RequestTerms(kind: .allow)

    /// The same without any name of the rules file: there are a few dozen of these.
    package var withoutNames: RequestTerms {
        RequestTerms(kind: self.kind, rule: Self.other, gap: self.gap)
    }

    /// Whether the request passed only because what would have denied it does but observe.
    package var passesByObserving: Bool {
        self.kind < .require && !self.observed.isEmpty
    }
}

/// The apps and platforms that rules or releases name: those by which `ClientClasses` tells clients apart, so
/// that one verdict for many clients has the same terms for each of them.
struct NamedClients: Sendable {
    private let apps: Set<String>
    /// The longest first.
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
        let isUnidentified = decision.ruleID == nil && decision.kind >= .require
        let observed = decision.observed.filter { $0.kind >= .require }
            .map { $0.ruleID ?? RuleExpectation.unidentified }
        return RequestTerms(
            app: self.app(identity.app.value),
            platform: Self.name(identity.platform.value?.name, among: self.platforms),
            kind: decision.kind,
            rule: decision.ruleID
                ?? (isUnidentified ? RuleExpectation.unidentified : RuleExpectation.noRule),
            observed: Set(observed).sorted(),
            gap: decision.gap
        )
    }

    /// The app by its name in the rules, or by the longest pattern that it matches.
    private func app(_ name: String?) -> String {
        guard let name, !self.apps.contains(name) else { return name ?? RequestTerms.other }
        return self.patterns.first { $0.matches(name) }?.description ?? RequestTerms.other
    }

    private static func name(_ name: String?, among names: Set<String>) -> String {
        guard let name, names.contains(name) else { return RequestTerms.other }
        return name
    }
}
