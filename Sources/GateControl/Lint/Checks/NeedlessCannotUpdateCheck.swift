internal import GatePolicy

/// Finds words for devices that cannot update where no rule knows any.
struct NeedlessCannotUpdateCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let name = UnusedNoticeCheck.cannotUpdate
        guard rules.definition.rules.allSatisfy(\.requiresOS.isEmpty),
            let place = rules.places.notices[name]
        else { return }
        problems.report("nobody gets the notice '\(name)': no rule has 'requiresOS'", at: place)
    }
}
