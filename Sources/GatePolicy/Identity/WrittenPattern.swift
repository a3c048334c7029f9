/// A regular expression for the notation of a client's version or build.
///
/// The pattern matches anywhere in the string unless it is anchored, and always in linear time.
package struct WrittenPattern: Sendable, CustomStringConvertible {
    /// The pattern as written.
    package let description: String
    private let program: PatternProgram

    package init(parsing text: String) throws(PatternError) {
        self.description = text
        self.program = try PatternProgram(try PatternParser.parse(text, readsParts: false))
    }

    /// Creates a pattern that matches all strings that contain at least one of the literals.
    package init(anyOf literals: [String]) throws(PatternError) {
        let escaped = literals.map { literal in
            literal.map { "\\^$.|?*+()[]{}".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        }
        try self.init(parsing: escaped.joined(separator: "|"))
    }

    package func matches(_ text: String) -> Bool {
        PatternMatch(of: self.program, in: Array(text.utf8)) != nil
    }
}

extension WrittenPattern: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.description == right.description
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
}
