internal import GatePolicy

/// Finds notices that nobody is ever shown.
struct UnusedNoticeCheck: LintCheck {
    /// The notice that devices are shown which cannot update; rules do not name it.
    static let cannotUpdate = "cannotUpdate"

    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let definition = rules.definition
        var fed: Set<String> = []
        for feed in rules.feeds {
            switch feed.source.subject {
            // Any of its rules may name any notice.
            case .anything: return
            case .rules(let notices): fed.formUnion(notices)
            case .releases: continue
            }
        }
        let named = definition.rules.flatMap { [$0.notice, $0.recommendedNotice] }
        let used = Set(named + [definition.unidentified.notice, Self.cannotUpdate])
        for name in definition.notices.keys where !used.contains(name) && !fed.contains(name) {
            guard let place = rules.places.notices[name] else { continue }
            problems.report("no rule uses the notice '\(name)'", at: place)
        }
    }
}
