internal import GatePolicy

/// Finds notices without a language that another notice has.
struct MissingLanguageCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let notices = rules.definition.notices
        let spoken = Set(notices.values.flatMap(\.texts.keys))
        for (name, notice) in notices {
            let missing = spoken.subtracting(notice.texts.keys).map { "'\($0)'" }.sorted()
            guard !missing.isEmpty, let place = rules.places.notices[name] else { continue }
            let languages = missing.joined(separator: ", ")
            let message = "the notice '\(name)' has no text in \(languages), as other notices do"
            problems.report(message, at: place)
        }
    }
}
