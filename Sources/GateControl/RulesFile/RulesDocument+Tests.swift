extension [RulesDocument.Test] {
    /// Reports the tests that expect a rule which is not there.
    func checkReferences(to rules: [String], _ problems: Problems) {
        for reference in self.flatMap(\.expectation.references) {
            let known = rules + [reference.alternative]
            let name = reference.id.value
            guard !known.contains(name) else { continue }
            let message = "there is no rule '\(name)'\(Spelling.hint(for: name, among: known))"
            problems.report(message, at: reference.id.place)
        }
    }
}
