/// The request header fields that the responses of a rule set depend on, for `Vary` (RFC 9110
/// section 12.5.5).
struct AnswerInputs {
    /// The field names in lower case, without duplicates.
    let names: [String]

    init(_ definition: RuleSetDefinition) {
        let parts = Self.parts(definition)
        let sources = definition.identity
        var names = IdentityPart.allCases.filter(parts.contains)
            .flatMap { sources.headers[$0, default: []] }
            .map { $0.lowercased() }
        // A `User-Agent` pattern can supply any part, but is used only if no identity header
        // contains the version.
        if !sources.userAgents.isEmpty { names.append(IdentityReader.userAgent) }
        // The form of the response depends on `requestFields`, and its CORS fields depend on
        // `Origin`.
        names += AnswerForm.requestFields + ["origin"]
        self.names = names.uniqued()
    }

    private static func parts(_ definition: RuleSetDefinition) -> Set<IdentityPart> {
        // Every decision and response depends on the version.
        var parts: Set<IdentityPart> = [.version, .languages]
        for rule in definition.rulesWithNext {
            if rule.match.apps != nil { parts.insert(.app) }
            if rule.match.platforms != nil { parts.insert(.platform) }
            if rule.match.channels != nil { parts.insert(.channel) }
            if rule.match.osVersions != nil || !rule.requiresOS.isEmpty { parts.insert(.osVersion) }
            if rule.dependsOnBuild { parts.insert(.build) }
            if !rule.rollout.isEmpty { parts.insert(.device) }
            if rule.dependsOnStores {
                parts.formUnion([.app, .channel, .build, .country, .storefront])
            }
        }
        let links = definition.storeURLs
        if links.contains(where: { !$0.channels.isEmpty }) { parts.insert(.channel) }
        if links.contains(where: { !$0.countries.isEmpty }) { parts.insert(.country) }
        return parts.union(self.repeatedNames(definition))
    }

    /// Returns the parts that a response may contain exactly as the client sent them: the app, the
    /// platform, or both.
    static func repeatedNames(_ definition: RuleSetDefinition) -> Set<IdentityPart> {
        let styles = [definition.answer] + definition.rules.map(\.answer)
        if styles.contains(where: { $0.body != nil }) { return [.app, .platform] }
        let places = definition.notices.values.flatMap(\.texts.values)
            .flatMap { [$0.title, $0.message, $0.button].compactMap(\.self) }
            .flatMap(\.places)
        var parts: Set<IdentityPart> = []
        if places.contains(.platform) { parts.insert(.platform) }
        if places.contains(.app) { parts.insert(.app) }
        return parts
    }
}
