/// A property that does not hold for an input.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a finding if a condition is false.
func expect(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(finding()) }
}

/// Throws both values if they differ.
func expect<Value: Equatable>(
    _ value: Value,
    is expected: Value,
    _ finding: @autoclosure () -> String
) throws(Finding) {
    guard value == expected else {
        throw Finding("\(finding()): \(value) instead of \(expected)")
    }
}
