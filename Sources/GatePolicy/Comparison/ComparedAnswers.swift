/// Numbers the ways in which two rule sets answer, so that equal answers have equal numbers.
struct ComparedAnswers: Sendable {
    /// What of an answer the decision itself does not say.
    private struct Answer: Equatable {
        let style: AnswerStyle
        let countries: [String: String]
        let notice: NoticeDefinition?
        let recommendedNotice: NoticeDefinition?

        init(_ rule: RuleDefinition, _ definition: RuleSetDefinition) {
            self.style = rule.answer.filled(by: definition.answer)
            self.countries = rule.storeURL?.countries ?? [:]
            self.notice = rule.notice.flatMap { definition.notices[$0] }
            self.recommendedNotice = rule.recommendedNotice.flatMap { definition.notices[$0] }
        }
    }

    /// By the place of the rule; those of the new rules come behind those of the old ones.
    private let numbers: [Int]
    private let oldCount: Int

    init(_ old: RuleSetDefinition, _ new: RuleSetDefinition) {
        self.oldCount = old.rules.count
        let answers =
            old.rules.map { Answer($0, old) } + new.rules.map { Answer($0, new) }
        var distinct: [Answer] = []
        self.numbers = answers.map { answer in
            if let known = distinct.firstIndex(of: answer) { return known }
            distinct.append(answer)
            return distinct.count - 1
        }
    }

    /// The number of the answer to a decision; that of one that asks nothing is 0.
    func number(of decision: Decision, isNew: Bool) -> Int {
        guard decision.kind > .allow, let index = decision.ruleIndex else { return 0 }
        return self.numbers[isNew ? self.oldCount + index : index] + 1
    }
}
