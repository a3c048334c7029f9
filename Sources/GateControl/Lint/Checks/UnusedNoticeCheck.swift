internal import GatePolicy

/// Finds notices that nobody is ever shown.
struct UnusedNoticeCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let definition = rules.definition
        let used = Set(definition.rules.map(\.notice) + [definition.unidentified.notice])
        for name in definition.notices.keys where !used.contains(name) {
            guard let place = rules.places.notices[name] else { continue }
            problems.report("no rule uses the notice '\(name)'", at: place)
        }
    }
}
