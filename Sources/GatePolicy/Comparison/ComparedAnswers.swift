/// The responses of two rule sets, numbered so that equal responses have equal numbers.
struct ComparedAnswers: Sendable {
    /// The properties of a response that are not part of the decision.
    private struct Answer: Equatable {
        let style: AnswerStyle
        let notices: [NoticeDefinition?]

        init(_ rule: RuleDefinition, _ definition: RuleSetDefinition) {
            self.style = rule.answer.filled(by: definition.answer)
            self.notices = Self.notices(of: rule).map { name in
                name.flatMap { definition.notices[$0] }
            }
        }

        /// Returns the names of all notices that the rule may use.
        static func notices(of rule: RuleDefinition) -> [String?] {
            rule.withNext.flatMap { [$0.notice, $0.recommendedNotice] }
        }
    }

    /// The numbers of the old rules' responses, by rule ID.
    private let oldNumbers: [String: Int]
    private let newNumbers: [String: Int]

    init(_ old: RuleSetDefinition, _ new: RuleSetDefinition) {
        var count = 0
        // Responses with different notice names are rarely equal, so only responses with equal
        // names are compared.
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

    /// Returns the number that identifies the response to a decision, or 0 for `allow`.
    func number(of decision: Decision, isNew: Bool) -> Int {
        guard decision.kind > .allow, let id = decision.ruleID else { return 0 }
        return (isNew ? self.newNumbers[id] : self.oldNumbers[id]) ?? 0
    }

    /// Whether the response of a rule is the same in both rule sets.
    func isUnchanged(_ id: String) -> Bool {
        self.oldNumbers[id] == self.newNumbers[id]
    }
}
