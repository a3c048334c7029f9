internal import GatePolicy

/// Decodes the `expect` of a test: the expected properties of the decision.
struct ExpectationDecoder {
    static let keys = ["decision", "rule", "status", "storeUrl", "route", "observed"]

    let problems: Problems

    func decode(_ element: Element) -> RulesDocument.Expectation? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        if Self.keys.allSatisfy({ fields[$0] == nil }) {
            let message =
                "this test expects nothing: it needs 'decision', 'rule', 'status', 'storeUrl', "
                + "'route' or 'observed'"
            self.problems.report(message, at: fields.place)
        }
        let rule = fields["rule"].map { self.rules([$0], or: RuleExpectation.noRule) } ?? []
        let observed = fields["observed"].map { element in
            // Here, an empty list is valid: it means that no rule is expected to observe the
            // request.
            if case .list(let items) = element.content {
                return self.rules(items, or: RuleExpectation.unidentified)
            }
            return self.rules([element], or: RuleExpectation.unidentified)
        }
        let expectation = RuleExpectation(
            decisions: fields["decision"]?.oneOrMore(self.problems)
                .compactMap { $0.choice(of: Decision.Kind.self, self.problems) } ?? [],
            rule: rule.first?.id.value,
            status: fields["status"].flatMap { self.status($0) },
            storeURL: fields["storeUrl"].flatMap { $0.text("a URL", self.problems) },
            route: fields["route"].flatMap { element in
                element.parsed(as: "the name of a backend", self.problems, by: Name.init(parsing:))?
                    .text
            },
            observed: observed?.map(\.id.value)
        )
        return RulesDocument.Expectation(
            value: expectation,
            references: rule + (observed ?? [])
        )
    }

    private func rules(
        _ elements: [Element],
        or alternative: String
    ) -> [RulesDocument.RuleReference] {
        elements.compactMap { element in
            element.text("a rule id", self.problems).map { id in
                .init(id: Located(value: id, place: element.place), alternative: alternative)
            }
        }
    }

    private func status(_ element: Element) -> Int? {
        let expected = "a status from 100 to 599"
        guard let status = element.wholeNumber(expected, self.problems) else { return nil }
        guard (100...599).contains(status) else {
            return self.problems.reject("expected \(expected), found \(status)", at: element.place)
        }
        return Int(status)
    }
}
