/// What came out of a test, to be held against its expectation.
struct RuleTestOutcome {
    let decision: Decision
    /// The status of the gate's answer; `nil` if the request passes.
    let status: Int?

    /// What is not as expected, as sentences.
    func unmet(_ expectation: RuleExpectation) -> [String] {
        [
            self.unmet(decision: expectation.decision, rule: expectation.rule),
            expectation.status.flatMap(self.unmet(status:)),
            expectation.observed.flatMap(self.unmet(observed:)),
        ].compactMap { $0 }
    }

    private func unmet(decision kind: Decision.Kind?, rule: String?) -> String? {
        let isMet =
            kind ?? self.decision.kind == self.decision.kind
            && rule ?? self.rule == self.rule
        guard !isMet else { return nil }
        let came = Self.words(self.decision.kind, by: self.decision.ruleID)
        let expected = Self.words(kind, by: rule)
        return "expected decision \(expected), got \(came) (\(self.decision.reason))"
    }

    private func unmet(status: Int) -> String? {
        guard status != self.status else { return nil }
        guard let came = self.status else {
            return "expected status \(status), got none (the request passes)"
        }
        return "expected status \(status), got \(came)"
    }

    private func unmet(observed expected: [String]) -> String? {
        let came = self.decision.observed.map { $0.ruleID ?? RuleExpectation.unidentified }
        guard Set(expected) != Set(came) else { return nil }
        return "expected observed \(Self.list(expected)), got \(Self.list(came))"
    }

    private var rule: String { self.decision.ruleID ?? RuleExpectation.noRule }

    private static func words(_ kind: Decision.Kind?, by rule: String?) -> String {
        let by = rule.map { $0 == RuleExpectation.noRule ? "by no rule" : "by rule \($0)" }
        return [kind?.rawValue, by].compactMap { $0 }.joined(separator: " ")
    }

    private static func list(_ ids: [String]) -> String {
        ids.isEmpty ? "nothing" : Set(ids).sorted().joined(separator: ", ")
    }
}
