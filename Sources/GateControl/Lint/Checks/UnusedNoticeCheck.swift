internal import GatePolicy

/// Finds notices that nobody is ever shown.
struct UnusedNoticeCheck: LintCheck {
    /// The notice that devices are shown which cannot update; rules do not name it.
    static let cannotUpdate = "cannotUpdate"

    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let definition = rules.definition
        let named = definition.rules.flatMap { [$0.notice, $0.recommendedNotice] }
        let used = Set(named + [definition.unidentified.notice, Self.cannotUpdate])
        for name in definition.notices.keys where !used.contains(name) {
            guard let place = rules.places.notices[name] else { continue }
            problems.report("no rule uses the notice '\(name)'", at: place)
        }
    }
}
