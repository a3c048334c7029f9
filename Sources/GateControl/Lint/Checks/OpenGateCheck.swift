internal import GatePolicy

/// Finds exemptions of everything, which turn the gate off.
struct OpenGateCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let opensAll = rules.definition.exemptions.contains { pattern in
            pattern.methods == nil && pattern.path == "/**"
        }
        guard opensAll, !rules.definition.rules.isEmpty, let file = rules.places.files.first else {
            return
        }
        let message = "'exempt' covers every path: no rule is ever asked"
        problems.report(message, at: Place(file: file))
    }
}
