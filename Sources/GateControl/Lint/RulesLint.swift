package import GatePolicy

/// Finds in rules that are right what is probably not meant.
package struct RulesLint: Sendable {
    private static let checks: [any LintCheck] = [
        DeadRuleCheck(), PastRuleCheck(), StalledRolloutCheck(), MissingLanguageCheck(),
        UnusedNoticeCheck(), InsecureLinkCheck(), BuiltInWordsCheck(), NeedlessBlockCheck(),
        RefusedRecommendationCheck(), UnreachableFloorCheck(), MissingReleaseCheck(),
        RepeatedReleaseCheck(), NeedlessCannotUpdateCheck(), LenientPathCheck(), ClosedRuleCheck(),
        OpenGateCheck(),
    ]

    /// What was found, in the order of the files and places.
    package let warnings: [RulesFileWarning]

    /// Looks at rules as they are at a second.
    package init(_ rules: LoadedRules, at now: Timestamp) {
        let problems = Problems()
        for check in Self.checks { check.check(rules, at: now, problems) }
        self.warnings = problems.sorted(byFiles: rules.places.files)
            .map { RulesFileWarning(asError: $0) }
    }
}
