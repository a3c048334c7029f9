/// The outcome of a test, for comparison with the expectation of the test.
struct RuleTestOutcome {
    let decision: Decision
    /// The status of the denial; `nil` if the request passes.
    let status: Int?

    func unmet(_ expectation: RuleExpectation) -> [RuleTestFailure.Difference] {
        var differences: [RuleTestFailure.Difference] = []
        func note(_ aspect: String, _ expected: String, _ actual: String) {
            differences.append(.init(aspect: aspect, expected: expected, actual: actual))
        }
        let decision = self.decision
        let (kinds, rule) = (expectation.decisions, decision.ruleID ?? RuleExpectation.noRule)
        let isExpectedKind = kinds.isEmpty || kinds.contains(decision.kind)
        if !isExpectedKind || expectation.rule ?? rule != rule {
            note(
                RuleTestFailure.decision,
                Self.words(kinds, by: expectation.rule),
                Self.words([decision.kind], by: decision.ruleID)
            )
        }
        if let status = expectation.status, status != self.status {
            let actual = self.status.map { String($0) } ?? "none (the request passes)"
            note("status", String(status), actual)
        }
        if let storeURL = expectation.storeURL, storeURL != decision.upgrade.storeURL {
            note("storeUrl", storeURL, decision.upgrade.storeURL ?? "none")
        }
        if let route = expectation.route {
            let isDenied = decision.kind >= .require
            let actual = decision.route?.backend ?? Route.defaultBackend
            if isDenied || route != actual {
                note("route", route, isDenied ? "none (the request is denied)" : actual)
            }
        }
        if let observed = expectation.observed {
            let actual = decision.observed.map { $0.ruleID ?? RuleExpectation.unidentified }
            if Set(observed) != Set(actual) {
                note("observed", Self.list(observed), Self.list(actual))
            }
        }
        return differences
    }

    private static func words(_ kinds: [Decision.Kind], by rule: String?) -> String {
        let by = rule.map { $0 == RuleExpectation.noRule ? "by no rule" : "by rule \($0)" }
        let words = kinds.isEmpty ? nil : kinds.map(\.rawValue).joined(separator: " or ")
        return [words, by].compactMap { $0 }.joined(separator: " ")
    }

    private static func list(_ ids: [String]) -> String {
        ids.isEmpty ? "nothing" : Set(ids).sorted().joined(separator: ", ")
    }
}

/// A test whose expectation is not met.
package struct RuleTestFailure: Sendable, Equatable {
    package struct Difference: Sendable, Equatable {
        /// The part of the expectation that is not met.
        package let aspect: String
        package let expected: String
        package let actual: String
    }

    package let test: String
    package let differences: [Difference]
    package let reason: String
    /// The time from which the test fails.
    ///
    /// `nil` means the time in the test, or else the current time.
    package let from: Timestamp?
    /// Whether the client passes although the test expects a denial.
    ///
    /// The cause can be an undo or a mistake.
    package let isLaxer: Bool

    /// A sentence with the expected and the actual results.
    package var message: String {
        let sentences = self.differences.map { difference in
            let why = difference.aspect == Self.decision ? " (\(self.reason))" : ""
            return "expected \(difference.aspect) \(difference.expected), "
                + "got \(difference.actual)\(why)"
        }
        let text = sentences.joined(separator: "; ")
        return self.from.map { "from \($0) on: \(text); set 'at' to choose the time" } ?? text
    }

    static let decision = "decision"
}
