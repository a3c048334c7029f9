/// Something that does not hold of an input.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws what was found where a condition does not hold.
func expect(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(finding()) }
}

/// Throws both values where they differ.
func expect<Value: Equatable>(
    _ value: Value,
    is expected: Value,
    _ finding: @autoclosure () -> String
) throws(Finding) {
    guard value == expected else {
        throw Finding("\(finding()): \(value) instead of \(expected)")
    }
}
