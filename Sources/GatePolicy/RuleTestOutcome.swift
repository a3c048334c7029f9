/// The outcome of a test, to be compared with its expectation.
struct RuleTestOutcome {
    let decision: Decision
    /// The status of the denial; `nil` if the request passes.
    let status: Int?

    /// Returns the differences from an expectation.
    func unmet(_ expectation: RuleExpectation) -> [RuleTestFailure.Difference] {
        [
            self.unmet(decisions: expectation.decisions, rule: expectation.rule),
            expectation.status.flatMap(self.unmet(status:)),
            expectation.storeURL.flatMap(self.unmet(storeURL:)),
            expectation.route.flatMap(self.unmet(route:)),
            expectation.observed.flatMap(self.unmet(observed:)),
        ].compactMap { $0 }
    }

    private func unmet(
        decisions kinds: [Decision.Kind],
        rule: String?
    ) -> RuleTestFailure.Difference? {
        let isMet =
            (kinds.isEmpty || kinds.contains(self.decision.kind))
            && rule ?? self.rule == self.rule
        guard !isMet else { return nil }
        return RuleTestFailure.Difference(
            aspect: RuleTestFailure.decision,
            expected: Self.words(kinds, by: rule),
            actual: Self.words([self.decision.kind], by: self.decision.ruleID)
        )
    }

    private func unmet(status: Int) -> RuleTestFailure.Difference? {
        guard status != self.status else { return nil }
        return RuleTestFailure.Difference(
            aspect: "status",
            expected: String(status),
            actual: self.status.map { String($0) } ?? "none (the request passes)"
        )
    }

    private func unmet(storeURL: String) -> RuleTestFailure.Difference? {
        guard storeURL != self.decision.upgrade.storeURL else { return nil }
        return RuleTestFailure.Difference(
            aspect: "storeUrl",
            expected: storeURL,
            actual: self.decision.upgrade.storeURL ?? "none"
        )
    }

    private func unmet(route expected: String) -> RuleTestFailure.Difference? {
        let isDenied = self.decision.kind >= .require
        let actual = self.decision.route?.backend ?? Route.defaultBackend
        guard isDenied || expected != actual else { return nil }
        return RuleTestFailure.Difference(
            aspect: "route",
            expected: expected,
            actual: isDenied ? "none (the request is denied)" : actual
        )
    }

    private func unmet(observed expected: [String]) -> RuleTestFailure.Difference? {
        let came = self.decision.observed.map { $0.ruleID ?? RuleExpectation.unidentified }
        guard Set(expected) != Set(came) else { return nil }
        return RuleTestFailure.Difference(
            aspect: "observed",
            expected: Self.list(expected),
            actual: Self.list(came)
        )
    }

    private var rule: String { self.decision.ruleID ?? RuleExpectation.noRule }

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
    /// A difference from the expectation.
    package struct Difference: Sendable, Equatable {
        /// The part of the expectation that is not met.
        package let aspect: String
        package let expected: String
        package let actual: String
    }

    /// The name of the test.
    package let test: String
    package let differences: [Difference]
    /// The reason for the decision.
    package let reason: String
    /// The time from which the test fails; `nil` for the time in the test, or for the current time.
    package let from: Timestamp?
    /// Whether the client passes although the test expects a denial, for example because of an undo
    /// or a mistake.
    package let isLaxer: Bool

    /// The expected and the actual results, as a sentence.
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
