internal import GatePolicy

/// The content of a test suite.
struct SuiteDocument {
    /// The path of the rules under test, as written in the file.
    var rules: String?
    var tests: [RulesDocument.Test] = []
}

/// Decodes the top level of a test suite.
struct SuiteDecoder {
    static let keys = ["rules", "tests", "$schema"]

    let problems: Problems

    /// Decodes all valid parts; returns `nil` if the file is not a mapping.
    func decode(_ element: Element) -> SuiteDocument? {
        guard !self.isRulesFile(element) else { return nil }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let rules = fields["rules"].flatMap { $0.text("the path of the rules", self.problems) }
        let tests = fields.required("tests", of: "a test suite")?.list(self.problems) ?? []
        let decoder = RuleTestDecoder(problems: self.problems)
        return SuiteDocument(rules: rules, tests: tests.compactMap { decoder.decode($0) })
    }

    /// Whether the file contains rules; if so, a single error is reported, not one for each key.
    private func isRulesFile(_ element: Element) -> Bool {
        guard let rules = element.entries.first(where: { $0.key == "rules" }) else { return false }
        switch rules.value.content {
        case .list, .mapping: break
        case .text, .number, .boolean, .date, .nothing: return false
        }
        let file = element.place.file
        self.problems.report(
            """
            this is a rules file, not a test suite: 'versiongate check \(file)' runs its own tests; \
            a suite has 'rules: \(file)' and 'tests'
            """,
            at: rules.place
        )
        return true
    }
}
