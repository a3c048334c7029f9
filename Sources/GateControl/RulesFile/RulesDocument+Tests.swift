extension [RulesDocument.Test] {
    /// Reports the tests that expect a rule which is not there.
    func checkReferences(to rules: [String], _ problems: Problems) {
        let known = Set(rules)
        for reference in self.flatMap(\.expectation.references) {
            let name = reference.id.value
            guard !known.contains(name), name != reference.alternative else { continue }
            let hint = Spelling.hint(for: name, among: rules + [reference.alternative])
            let message = "there is no rule '\(name)'\(hint)"
            problems.report(message, at: reference.id.place)
        }
    }
}
