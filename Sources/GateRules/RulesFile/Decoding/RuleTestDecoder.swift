internal import GatePolicy

/// Decodes an entry of `tests`: a request and the expected decision.
struct RuleTestDecoder {
    static let keys = ["name", "at", "request", "expect"]

    let problems: Problems

    func decode(_ element: Element) -> RulesDocument.Test? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let name = fields.required("name", of: "a test").flatMap { element in
            element.text("a test name", self.problems)
                .map { Located(value: $0, place: element.place) }
        }
        let at = fields["at"]?.time(self.problems)
        let request = fields["request"]
            .map { TestRequestDecoder(problems: self.problems).decode($0) ?? .empty }
        let expectation = fields.required("expect", of: "a test")
            .flatMap { ExpectationDecoder(problems: self.problems).decode($0) }
        guard let name, let expectation else { return nil }
        return RulesDocument.Test(
            name: name,
            at: at,
            request: request ?? .empty,
            expectation: expectation
        )
    }
}

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
        // Here, an empty list is valid: it means that no rule is expected to observe the request.
        let observed = fields["observed"].map { element in
            self.rules(element.listed, or: RuleExpectation.unidentified)
        }
        let expectation = RuleExpectation(
            decisions: fields["decision"]?.oneOrMore(self.problems)
                .compactMap { $0.choice(of: Decision.Kind.self, self.problems) } ?? [],
            rule: rule.first?.id.value,
            status: fields["status"].flatMap { element in
                element.status("a status from 100 to 599", self.problems) { 100...599 ~= $0 }
            },
            storeURL: fields["storeUrl"].flatMap { $0.text("a URL", self.problems) },
            route: fields["route"].flatMap { element in
                element.parsed(as: "a valid backend name", self.problems, by: Name.init(parsing:))?
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
}
