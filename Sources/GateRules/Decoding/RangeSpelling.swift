internal import GatePolicy

/// Recognizes version ranges in the notation of other tools.
enum RangeSpelling {
    /// Returns a message suffix with the correct notation; empty if the string is not in a known notation.
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

    /// Returns a message suffix for a version that is preceded by an operator.
    static func hint(forVersion text: String) -> String {
        let version = text.drop { "<>=~^ ".contains($0) }
        guard version.count < text.count,
            let version = try? AppVersion(parsing: String(version))
        else { return "" }
        return "; write \"\(version)\", without an operator: it means this version or later; "
            + "for ranges, use 'blocked'"
    }

    /// Splits `3.7 || 3.9`, as in npm, into its alternatives.
    private static func alternatives(_ text: String) -> [String] {
        guard text.contains("||") else { return [] }
        return text.split(separator: "|").map { self.joined(String($0)) }
    }

    /// Rewrites `>=3.9.0, <3.9.4` and `==3.7.2`, as in pip, and `&&`.
    private static func joined(_ text: String) -> String {
        text.replacing("&&", with: " ").replacing(",", with: " ").replacing("==", with: "=")
    }

    /// Rewrites `3.9.0 - 3.9.4`, `3.9.0...3.9.4` and `3.9.0..<3.9.4`.
    private static func span(_ text: String) -> [String] {
        for (separator, end) in [(" - ", "<="), ("..<", "<"), ("...", "<="), ("..", "<=")] {
            let parts = text.split(separator: separator)
            guard parts.count == 2 else { continue }
            return [">=\(parts[0]) \(end)\(parts[1])"]
        }
        return []
    }
}
