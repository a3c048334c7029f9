internal import GatePolicy

/// Finds the range that somebody wrote in the way of another tool.
enum RangeSpelling {
    /// The end of a message that says how a range is written; nothing where nobody can guess.
    static func hint(for text: String) -> String {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
        for parts in [self.alternatives(words), [self.joined(words)], self.span(words)] {
            let ranges = parts.compactMap { try? VersionRange(parsing: $0) }
            guard ranges.count == parts.count, !parts.isEmpty else { continue }
            let line = ranges.map { "\"\($0)\"" }.joined(separator: ", ")
            return ranges.count == 1
                ? "; write \(line): a space means 'and', and a list means 'or'"
                : "; write [\(line)]: a list means 'or'"
        }
        return ""
    }

    /// The end of a message about a version that stands behind an operator.
    static func hint(forVersion text: String) -> String {
        let version = text.drop { "<>=~^ ".contains($0) }
        guard version.count < text.count,
            let version = try? AppVersion(parsing: String(version))
        else { return "" }
        return "; write \"\(version)\", without an operator: it means this version or a later one, "
            + "and ranges stand under 'blocked'"
    }

    /// `3.7 || 3.9`, as npm writes it.
    private static func alternatives(_ text: String) -> [String] {
        guard text.contains("||") else { return [] }
        return text.split(separator: "|").map { self.joined(String($0)) }
    }

    /// `>=3.9.0, <3.9.4` and `==3.7.2`, as pip writes them, and `&&`.
    private static func joined(_ text: String) -> String {
        text.replacing("&&", with: " ").replacing(",", with: " ").replacing("==", with: "=")
    }

    /// `3.9.0 - 3.9.4`, `3.9.0...3.9.4` and `3.9.0..<3.9.4`.
    private static func span(_ text: String) -> [String] {
        for (separator, end) in [(" - ", "<="), ("..<", "<"), ("...", "<="), ("..", "<=")] {
            let parts = text.split(separator: separator)
            guard parts.count == 2 else { continue }
            return [">=\(parts[0]) \(end)\(parts[1])"]
        }
        return []
    }
}
