import Foundation
import Testing

/// An entry of the tables in `BrokenRules/`: an invalid file and its errors.
///
/// The format of an entry is
///
///     === name
///     the file
///     >>> why the JSON Schema cannot detect it; empty if it does
///     the errors, one per line
struct BrokenRules: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let errors: [String]
    /// `nil` if the JSON Schema must reject the file as well.
    let reasonForSchema: String?

    var testDescription: String { self.name }

    /// The entries of all tables.
    static let all: [BrokenRules] = {
        let tables = [
            "syntax", "structure", "values", "times", "requests", "identity", "notices", "stores",
            "answers", "tests", "feeds", "routes",
        ]
        return tables.flatMap { (try? Self.table($0)) ?? [] }
    }()

    /// The entries whose files are valid YAML.
    static var readable: [BrokenRules] {
        Self.all.filter { $0.reasonForSchema != "not valid YAML" }
    }

    private static func table(_ name: String) throws -> [BrokenRules] {
        let url = Project.tests.appending(path: "BrokenRules/\(name).txt")
        let table = "\n" + (try String(contentsOf: url, encoding: .utf8))
        return table.split(separator: "\n=== ").compactMap { BrokenRules(entry: $0) }
    }

    private init?(entry: Substring) {
        let parts = entry.split(separator: "\n>>>", maxSplits: 1)
        guard parts.count == 2, let head = parts.first else { return nil }
        var lines = parts[1].split(separator: "\n", omittingEmptySubsequences: false)
        let reason = lines.removeFirst().drop { $0 == " " }
        self.name = String(head.prefix { $0 != "\n" })
        // The line break before the mark belongs to the file unless the file is empty.
        let body = head.drop { $0 != "\n" }.dropFirst()
        self.text = body.isEmpty ? "" : body + "\n"
        self.errors = lines.filter { !$0.isEmpty }.map(String.init)
        self.reasonForSchema = reason.isEmpty ? nil : String(reason)
    }
}
