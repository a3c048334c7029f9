/// All notices of a rule set, including the built-in notices.
struct NoticeCatalog: Sendable {
    /// The name of the notice for clients whose device is too old for the update.
    static let cannotUpdateName = "cannotUpdate"

    private let notices: [String: Notice]
    private let upgrade: Notice
    private let recommended: Notice
    private let unidentified: Notice
    private let cannotUpdate: Notice
    private let maintenance: Notice
    /// The distinct language lookups of all notices.
    ///
    /// There are few lookups, because most notices have the same languages.
    private let lookups: [LanguageLookup]

    init(_ definition: RuleSetDefinition) {
        let fallback = definition.defaultLanguage
        let notices = definition.notices.mapValues {
            Notice($0, LanguageLookup(available: $0.texts.keys, fallback: fallback))
        }
        let lookup = LanguageLookup.builtIn(fallback: fallback)
        self.notices = notices
        self.upgrade = Notice(.upgrade, lookup)
        self.recommended = Notice(.recommended, lookup)
        self.unidentified = Notice(.unidentified, lookup)
        self.cannotUpdate = Notice(.cannotUpdate, lookup)
        self.maintenance = Notice(.maintenance, lookup)
        // The languages of the built-in notices matter only if a denial can contain a built-in
        // notice.
        let isSaid = definition.deniesWithoutNotice { notices[$0] != nil }
        self.lookups = Array(Set(notices.values.map(\.lookup) + (isSaid ? [lookup] : [])))
    }

    /// Returns the languages of the texts that a client may get, one for each lookup.
    func choices(for languages: [LanguageRange]) -> [LanguageTag?] {
        self.lookups.map { $0.best(for: languages) }
    }

    /// Returns the texts about a decision for a client; `nil` if the decision is `allow`.
    func words(for decision: Decision, _ identity: ClientIdentity) -> FilledNotice? {
        guard let (notice, builtIn) = self.notices(for: decision),
            let (language, text) = notice.words(for: identity.languages)
        else { return nil }
        let values = FilledNotice.values(decision.upgrade, identity)
        return FilledNotice(text, or: builtIn.words(in: language), in: language, with: values)
    }

    /// Returns the notice for a decision and the corresponding built-in notice, which can be the
    /// same.
    private func notices(for decision: Decision) -> (notice: Notice, builtIn: Notice)? {
        let upgrade = decision.upgrade
        func named(_ name: String?, or builtIn: Notice) -> (Notice, Notice) {
            (name.flatMap { self.notices[$0] } ?? builtIn, builtIn)
        }
        switch decision.kind {
        case .allow:
            return nil
        case .recommend, .require:
            // The rule's notice describes an update that this device cannot install.
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
    /// Creates the lookup for the languages of the built-in texts.
    fileprivate static func builtIn(fallback: LanguageTag) -> LanguageLookup {
        let tags = BuiltInTexts.all.map(\.language)
        let lookup = LanguageLookup(available: tags, fallback: .english)
        guard let fallback = lookup.closest(to: fallback) else { return lookup }
        return LanguageLookup(available: tags, fallback: fallback)
    }
}

extension RuleSetDefinition {
    /// Whether requests may be denied with a built-in notice.
    fileprivate func deniesWithoutNotice(_ isNotice: (String) -> Bool) -> Bool {
        func isMissing(_ name: String?) -> Bool { name.map { !isNotice($0) } ?? true }
        if self.unidentified.rejects, isMissing(self.unidentified.notice) { return true }
        return self.rulesWithNext.contains { rule in
            isMissing(rule.notice)
                || !rule.requiresOS.isEmpty && isMissing(NoticeCatalog.cannotUpdateName)
        }
    }
}

/// A notice in several languages, of which the best one is selected for each client.
struct Notice: Sendable {
    private let texts: [LanguageTag: NoticeText]
    let lookup: LanguageLookup

    init(_ definition: NoticeDefinition, _ lookup: LanguageLookup) {
        self.texts = definition.texts
        self.lookup = lookup
    }

    /// Returns the texts for a client, and the language of the texts; `nil` if the notice has no
    /// texts.
    func words(for languages: [LanguageRange]) -> (language: LanguageTag, text: NoticeText)? {
        self.lookup.best(for: languages).flatMap { language in
            self.texts[language].map { (language, $0) }
        }
    }

    /// Returns the texts in a language; `nil` if the notice has no texts in that language.
    func words(in language: LanguageTag) -> NoticeText? {
        self.lookup.closest(to: language).flatMap { self.texts[$0] }
    }
}
