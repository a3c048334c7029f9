import Foundation
import GateRules
import RulesTestSupport
import Testing

/// The examples in the documentation, all of which must load.
struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()
        .appendingPathComponent("../../..")

    /// Returns the YAML snippets of a page, in order.
    private static func snippets(of page: String) throws -> [String] {
        let text = try String(contentsOf: self.root.appendingPathComponent(page), encoding: .utf8)
        return text.components(separatedBy: "```yaml\n").dropFirst().map { rest in
            rest.components(separatedBy: "```")[0]
        }
    }

    /// Returns the snippets as one file: the lists of rules and feeds joined, followed by
    /// everything else.
    private static func file(from snippets: [String]) -> String {
        var (lists, rest) = ("", snippets)
        for key in ["rules:\n", "feeds:\n"] {
            let items = rest.filter { $0.hasPrefix(key) }.map { $0.dropFirst(key.count) }
            if !items.isEmpty { lists += key + items.joined() }
            rest.removeAll { $0.hasPrefix(key) }
        }
        return lists + rest.joined()
    }

    @Test(arguments: [
        ("docs/rules.md", 25), ("docs/feeds.md", 9), ("docs/findings.md", 1), ("README.md", 1),
    ])
    func `every snippet of a page is loaded`(_ page: String, count: Int) throws {
        let snippets = try Self.snippets(of: page)
        #expect(snippets.count == count)
        let text = Self.file(from: snippets)
        #expect(throws: Never.self) {
            try RulesFileLoader.load(sources: [(page, text)])
        }
    }

    @Test func `the table of findings has each finding once, with its effect`() throws {
        let page = Self.root.appendingPathComponent("docs/findings.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## All findings\n").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        // The columns: name, meaning, effect, action.
        let listed = rows.map { row in
            let cells = row.components(separatedBy: " | ")
            return "\(cells[0].filter { !"| `".contains($0) }) \(cells.count == 4 ? cells[2] : "")"
        }
        let all = FindingName.allCases.map { "\($0.rawValue) \($0.effect.rawValue)" }
        #expect(listed.sorted() == all.sorted())
    }
}
