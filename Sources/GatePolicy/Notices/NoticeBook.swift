/// All notices of a rule set, and those that the gate has of its own.
struct NoticeBook: Sendable {
    /// The notice for clients whose device is too old for the update.
    static let cannotUpdateName = "cannotUpdate"

    private let notices: [String: Notice]
    private let upgrade: Notice
    private let recommended: Notice
    private let unidentified: Notice
    private let cannotUpdate: Notice
    private let maintenance: Notice
    /// The choices of language that there are; few, since most notices have the same languages.
    private let lookups: [LanguageLookup]

    init(_ definition: RuleSetDefinition) {
        let fallback = definition.defaultLanguage
        let notices = definition.notices.mapValues { Notice($0, fallback: fallback) }
        let lookup = LanguageLookup.builtIn(fallback: fallback)
        self.notices = notices
        self.upgrade = Notice(.upgrade, lookup)
        self.recommended = Notice(.recommended, lookup)
        self.unidentified = Notice(.unidentified, lookup)
        self.cannotUpdate = Notice(.cannotUpdate, lookup)
        self.maintenance = Notice(.maintenance, lookup)
        // A notice that nobody is told makes no difference between clients that are refused.
        let isSaid = definition.deniesWithoutNotice { notices[$0] != nil }
        self.lookups = Array(Set(notices.values.map(\.lookup) + (isSaid ? [lookup] : [])))
    }

    /// The languages that a client gets, whichever notice it is told.
    func choices(for languages: [LanguageRange]) -> [LanguageTag?] {
        self.lookups.map { $0.best(for: languages) }
    }

    /// The words for a client about a decision; `nil` for one that asks nothing of it.
    func words(for decision: Decision, _ identity: ClientIdentity) -> FilledWords? {
        guard let (notice, builtIn) = self.notices(for: decision),
            let (language, text) = notice.words(for: identity.languages)
        else { return nil }
        let values = FilledWords.values(decision.upgrade, identity)
        return FilledWords(text, or: builtIn.words(in: language), in: language, with: values)
    }

    /// The notice of a decision, and the gate's own one for it, which may be the same.
    private func notices(for decision: Decision) -> (notice: Notice, builtIn: Notice)? {
        let upgrade = decision.upgrade
        func named(_ name: String?, or builtIn: Notice) -> (Notice, Notice) {
            (name.flatMap { self.notices[$0] } ?? builtIn, builtIn)
        }
        switch decision.kind {
        case .allow:
            return nil
        case .recommend, .require:
            // The words of the rule speak of an update that this device cannot have.
            if upgrade.cannotUpdate { return named(Self.cannotUpdateName, or: self.cannotUpdate) }
            if decision.kind == .recommend {
                return named(upgrade.recommendedNotice, or: self.recommended)
            }
            let builtIn = decision.ruleID == nil ? self.unidentified : self.upgrade
            return named(upgrade.notice, or: builtIn)
        case .maintenance:
            return named(upgrade.notice, or: self.maintenance)
        }
    }
}

extension LanguageLookup {
    /// The choice among the languages of the gate's own words.
    fileprivate static func builtIn(fallback: LanguageTag) -> LanguageLookup {
        let tags = BuiltInWords.all.map(\.language)
        let lookup = LanguageLookup(available: tags, fallback: .english)
        guard let fallback = lookup.closest(to: fallback) else { return lookup }
        return LanguageLookup(available: tags, fallback: fallback)
    }
}

extension RuleSetDefinition {
    /// Whether somebody may be refused with words of the gate's own.
    fileprivate func deniesWithoutNotice(_ isNotice: (String) -> Bool) -> Bool {
        func isMissing(_ name: String?) -> Bool { name.map { !isNotice($0) } ?? true }
        if self.unidentified.rejects, isMissing(self.unidentified.notice) { return true }
        return self.rulesWithNext.contains { rule in
            isMissing(rule.notice)
                || !rule.requiresOS.isEmpty && isMissing(NoticeBook.cannotUpdateName)
        }
    }
}
