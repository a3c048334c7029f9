internal import GatePolicy

/// What a file of tests says.
struct SuiteDocument {
    /// The rules that are tested, as the file names them.
    var rules: String?
    var tests: [RulesDocument.Test] = []
}

/// Reads the top level of a file of tests.
struct SuiteDecoder {
    static let keys = ["rules", "tests", "$schema"]

    let problems: Problems

    /// Reads what there is; `nil` if the file is not a mapping.
    func decode(_ element: Element) -> SuiteDocument? {
        guard let fields = Fields(element, keys: Self.keys, problems: self.problems) else {
            return nil
        }
        let rules = fields["rules"].flatMap { $0.text("the path of the rules", self.problems) }
        let tests = fields.required("tests", of: "a test suite")?.list(self.problems) ?? []
        let decoder = RuleTestDecoder(problems: self.problems)
        return SuiteDocument(rules: rules, tests: tests.compactMap { decoder.decode($0) })
    }
}
