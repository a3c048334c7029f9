internal import GatePolicy

/// Looks for one thing that is probably not meant.
protocol LintCheck: Sendable {
    /// Reports what it finds in rules that are right, as they are at this second.
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems)
}
