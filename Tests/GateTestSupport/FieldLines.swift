/// Header or trailer fields in their order.
package struct FieldLines: Sendable, Equatable, Codable {
    package struct Line: Sendable, Equatable, Codable {
        package var name: String
        package var value: String
    }

    package var lines: [Line] = []

    package init() {}

    /// Adds a field line.
    package mutating func append(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1] : ""
        self.lines.append(Line(name: String(parts[0]), value: Self.trimmed(value)))
    }

    /// Returns all values of a name, which is case-insensitive.
    package subscript(_ name: String) -> [String] {
        let name = name.lowercased()
        return self.lines.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the members of a comma-separated list field, in lower case.
    package func tokens(_ name: String) -> [String] {
        self[name].flatMap { $0.split(separator: ",") }.map { Self.trimmed($0).lowercased() }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" {
            text.removeFirst()
        }
        while let last = text.last, last == " " || last == "\t" {
            text.removeLast()
        }
        return String(text)
    }
}
