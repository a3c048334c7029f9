/// Numbers the ways in which the rules of two rule sets answer, so that equal answers have equal
/// numbers.
struct ComparedAnswers: Sendable {
    /// The parts of an answer that the decision itself does not say.
    private struct Answer: Equatable {
        let style: AnswerStyle
        let notices: [NoticeDefinition?]

        init(_ rule: RuleDefinition, _ definition: RuleSetDefinition) {
            self.style = rule.answer.filled(by: definition.answer)
            self.notices = Self.notices(of: rule).map { name in
                name.flatMap { definition.notices[$0] }
            }
        }

        /// The names of everything that the rule may say to a client.
        static func notices(of rule: RuleDefinition) -> [String?] {
            rule.withNext.flatMap { [$0.notice, $0.recommendedNotice] }
        }
    }

    /// By the id of the rule.
    private let oldNumbers: [String: Int]
    private let newNumbers: [String: Int]

    init(_ old: RuleSetDefinition, _ new: RuleSetDefinition) {
        var count = 0
        // Answers under different names are hardly ever the same: few have to be compared.
        var known: [[String?]: [(answer: Answer, number: Int)]] = [:]
        func numbers(_ definition: RuleSetDefinition) -> [String: Int] {
            var numbers: [String: Int] = [:]
            for rule in definition.rules {
                let answer = Answer(rule, definition)
                let names = Answer.notices(of: rule)
                if let equal = known[names]?.first(where: { $0.answer == answer }) {
                    numbers[rule.id] = equal.number
                } else {
                    count += 1
                    known[names, default: []].append((answer, count))
                    numbers[rule.id] = count
                }
            }
            return numbers
        }
        self.oldNumbers = numbers(old)
        self.newNumbers = numbers(new)
    }

    /// The number of the answer to a decision; that of one that asks nothing is 0.
    func number(of decision: Decision, isNew: Bool) -> Int {
        guard decision.kind > .allow, let id = decision.ruleID else { return 0 }
        return (isNew ? self.newNumbers[id] : self.oldNumbers[id]) ?? 0
    }

    /// Whether a rule that is in both rule sets answers alike in both.
    func isUnchanged(_ id: String) -> Bool {
        self.oldNumbers[id] == self.newNumbers[id]
    }
}
