internal import GatePolicy

/// Finds policies for a path that are no stricter than what holds everywhere, and never speak.
struct LenientPathCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let policy = rules.definition.unidentified
        for (path, place) in zip(policy.paths, rules.places.unidentifiedPaths) {
            self.check("missing", path.missing, policy.missing, at: place, problems)
            self.check("unreadable", path.unreadable, policy.unreadable, at: place, problems)
        }
    }

    private func check(
        _ key: String,
        _ action: UnidentifiedPolicy.Action?,
        _ everywhere: UnidentifiedPolicy.Action,
        at place: Place,
        _ problems: Problems
    ) {
        guard let action, action.strictness <= everywhere.strictness else { return }
        let message =
            "'\(key): \(action.rawValue)' never speaks: a path can only be stricter than "
            + "'\(key): \(everywhere.rawValue)', which holds everywhere"
        problems.report(message, at: place)
    }
}

extension UnidentifiedPolicy.Action {
    fileprivate var strictness: Int {
        switch self {
        case .allow: 0
        case .observe: 1
        case .reject: 2
        }
    }
}
