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
