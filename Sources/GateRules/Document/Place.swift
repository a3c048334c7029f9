/// A location in a rules file; lines and columns start at 1, as in editors.
package struct Place: Sendable, Hashable {
    let file: String
    let line: Int
    let column: Int

    init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension Place: CustomStringConvertible {
    package var description: String { "\(self.file):\(self.line):\(self.column)" }
}

/// A value and its location, for checks across files.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place
}
