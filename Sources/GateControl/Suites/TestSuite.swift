package import GatePolicy

/// A file of tests and the rules that they are about, both read and found to be right.
package struct TestSuite: Sendable {
    /// The file as the operator named it.
    package let path: String
    private let ruleSet: RuleSet
    private let tests: [Located<RuleTest>]

    init(path: String, ruleSet: RuleSet, tests: [Located<RuleTest>]) {
        self.path = path
        self.ruleSet = ruleSet
        self.tests = tests
    }

    package var count: Int { self.tests.count }

    /// The mistake in each test that fails, at its place.
    func failures(now: Timestamp) -> [RulesFileError] {
        self.tests.compactMap { test in
            self.ruleSet.run(test.value, now: now).map { failure in
                let message = "the test '\(test.value.name)' fails: \(failure.message)"
                return RulesFileError(test.place, message)
            }
        }
    }

    /// Runs all tests, those without a time at the given one and after every change to come.
    package func run(now: Timestamp) -> TestSuiteReport {
        let cases = self.tests.map { test in
            TestSuiteReport.Case(
                name: test.value.name,
                place: "\(test.place)",
                failure: self.ruleSet.run(test.value, now: now)
            )
        }
        return TestSuiteReport(suite: self.path, cases: cases)
    }
}
