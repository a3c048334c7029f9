internal import GatePolicy

/// Joins the files of a rule set and checks what only the whole can show.
struct RuleSetAssembly {
    private let documents: [RulesDocument]
    private let problems: Problems
    /// Whether every file could be parsed: what is missing may be in one that could not.
    private let isComplete: Bool

    init(_ documents: [RulesDocument], problems: Problems, isComplete: Bool) {
        self.documents = documents
        self.problems = problems
        self.isComplete = isComplete
    }

    /// The whole, of use only if no problem has been reported.
    func definition(revision: String) -> RuleSetDefinition {
        self.checkSettings()
        self.checkRuleNames()
        let notices = self.documents.flatMap(\.notices)
        self.checkNoticeNames(notices)
        let language = self.first(\.defaultLanguage) ?? .english
        if self.isComplete {
            self.checkReferences(to: notices.map(\.name.value))
            self.checkLanguage(language, of: notices)
        }
        return RuleSetDefinition(
            revision: revision,
            defaultLanguage: language,
            identity: self.first(\.identity) ?? .defaults,
            unidentified: self.first(\.unidentified) ?? .defaults,
            exemptions: self.documents.flatMap(\.exemptions),
            rules: self.documents.flatMap { $0.rules ?? [] }.map(\.value),
            notices: Dictionary(
                notices.map { ($0.name.value, NoticeDefinition(texts: $0.texts)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    private func first<Value>(_ setting: KeyPath<RulesDocument, Value?>) -> Value? {
        self.documents.lazy.compactMap { $0[keyPath: setting] }.first
    }

    private func checkSettings() {
        for key in DocumentDecoder.settings {
            let places = self.documents.compactMap { $0.settings[key] }
            for place in places.dropFirst() {
                self.problems.report("'\(key)' is already set in \(places[0])", at: place)
            }
        }
    }

    private func checkRuleNames() {
        var places: [String: Place] = [:]
        for rule in self.documents.flatMap({ $0.rules ?? [] }) {
            if let first = places[rule.value.id] {
                let message = "there is already a rule '\(rule.value.id)' in \(first)"
                self.problems.report(message, at: rule.place)
            } else {
                places[rule.value.id] = rule.place
            }
        }
    }

    private func checkNoticeNames(_ notices: [RulesDocument.Notice]) {
        var places: [String: Place] = [:]
        for name in notices.map(\.name) {
            if let first = places[name.value] {
                let message = "there is already a notice '\(name.value)' in \(first)"
                self.problems.report(message, at: name.place)
            } else {
                places[name.value] = name.place
            }
        }
    }

    private func checkReferences(to names: [String]) {
        for reference in self.documents.flatMap(\.references)
        where !names.contains(reference.value) {
            let hint = Spelling.hint(for: reference.value, among: names)
            let message = "there is no notice '\(reference.value)'\(hint)"
            self.problems.report(message, at: reference.place)
        }
    }

    private func checkLanguage(_ language: LanguageTag, of notices: [RulesDocument.Notice]) {
        for notice in notices where notice.languages?.contains(language) == false {
            let message =
                "the notice '\(notice.name.value)' has no text "
                + "in the default language '\(language)'"
            self.problems.report(message, at: notice.name.place)
        }
    }
}
