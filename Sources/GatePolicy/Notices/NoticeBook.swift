/// All notices of a rule set, and those that are there without one.
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
        func notice(_ notice: NoticeDefinition) -> Notice {
            Notice(notice, fallback: definition.defaultLanguage)
        }
        self.notices = definition.notices.mapValues(notice)
        self.upgrade = notice(.upgrade)
        self.recommended = notice(.recommended)
        self.unidentified = notice(.unidentified)
        self.cannotUpdate = self.notices[Self.cannotUpdateName] ?? notice(.cannotUpdate)
        self.maintenance = notice(.maintenance)
        let all =
            self.notices.values + [
                self.upgrade, self.recommended, self.unidentified, self.cannotUpdate,
                self.maintenance,
            ]
        self.lookups = Set(all.map(\.lookup)).map(\.self)
    }

    /// The languages that a client gets, whichever notice it is told.
    func choices(for languages: [LanguageRange]) -> [LanguageTag?] {
        self.lookups.map { $0.best(for: languages) }
    }

    /// What a client is told about a decision; `nil` for one that asks nothing of it.
    func words(for decision: Decision, _ identity: ClientIdentity) -> FilledWords? {
        guard let notice = self.notice(for: decision),
            let (language, text) = notice.words(for: identity.languages)
        else { return nil }
        let values = FilledWords.values(decision.remedy, identity)
        return FilledWords(text, in: language, with: values)
    }

    private func notice(for decision: Decision) -> Notice? {
        let remedy = decision.remedy
        switch decision.kind {
        case .allow:
            return nil
        case .recommend, .require:
            // The words of the rule speak of an update that this device cannot have.
            if remedy.cannotUpdate { return self.cannotUpdate }
            if decision.kind == .recommend {
                return self.named(remedy.recommendedNotice) ?? self.recommended
            }
            return self.named(remedy.notice)
                ?? (decision.ruleID == nil ? self.unidentified : self.upgrade)
        case .maintenance:
            return self.named(remedy.notice) ?? self.maintenance
        }
    }

    private func named(_ name: String?) -> Notice? {
        name.flatMap { self.notices[$0] }
    }
}
