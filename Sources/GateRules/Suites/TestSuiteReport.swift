package import GatePolicy

/// The results of a test suite.
package struct TestSuiteReport: Sendable, Equatable {
    package struct Case: Sendable, Equatable {
        package let name: String
        /// The location of the test: `file:line:col`.
        package let place: String
        /// The failure; `nil` if the test passes.
        package let failure: RuleTestFailure?
    }

    /// The path of the suite.
    package let suite: String
    package let cases: [Case]

    package var failureCount: Int { self.cases.count { $0.failure != nil } }
}

extension TestSuiteReport: CustomStringConvertible {
    /// A summary line, followed by the expected and actual values of each failed test.
    package var description: String {
        let head = "\(self.suite): \(self.cases.count) tests, \(self.failureCount) failed"
        return ([head] + self.cases.compactMap(\.lines)).joined(separator: "\n")
    }
}

extension TestSuiteReport.Case {
    /// The expected and actual values of the test; `nil` if it passes.
    fileprivate var lines: String? {
        guard let failure else { return nil }
        let width = (failure.differences.map(\.aspect.count) + [4]).max() ?? 0
        func row(_ word: String, _ text: String) -> String {
            let blanks = String(repeating: " ", count: width - word.count)
            return "    \(word)\(blanks)  \(text)"
        }
        var lines = ["  \(self.name) (\(self.place))"]
        for difference in failure.differences {
            lines.append(row(difference.aspect, "expected  \(difference.expected)"))
            lines.append(row("", "got       \(difference.actual)"))
        }
        lines.append(row("why", failure.reason))
        if let from = failure.from {
            lines.append(row("from", "\(from) on; set 'at' to choose the time"))
        }
        return lines.joined(separator: "\n")
    }
}
