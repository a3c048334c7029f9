/// A test whose expectation is not met.
package struct RuleTestFailure: Sendable, Equatable {
    /// One thing that is not as expected.
    package struct Difference: Sendable, Equatable {
        /// The part of the expectation.
        package let aspect: String
        package let expected: String
        package let actual: String
    }

    /// The name of the test.
    package let test: String
    package let differences: [Difference]
    /// Why the decision was made.
    package let reason: String
    /// From when on it is so; `nil` for the time that the test states, or for now.
    package let from: Timestamp?
    /// Whether a client passes that should have been refused: an undo does that, and a mistake.
    package let isLaxer: Bool

    /// What was expected, and what came, as a sentence.
    package var message: String {
        let sentences = self.differences.map { difference in
            let why = difference.aspect == Self.decision ? " (\(self.reason))" : ""
            return "expected \(difference.aspect) \(difference.expected), "
                + "got \(difference.actual)\(why)"
        }
        let text = sentences.joined(separator: "; ")
        return self.from.map { "from \($0) on: \(text); say with 'at' which time is meant" } ?? text
    }

    static let decision = "decision"
}
