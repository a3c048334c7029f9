/// A place in a rules file, as editors count: lines and columns start at 1.
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

/// A value and the place that says it, for checks that look across files.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place
}
