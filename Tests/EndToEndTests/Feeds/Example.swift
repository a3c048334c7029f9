import FoundationEssentials
import GateTestSupport

/// A shipped example of a rules file.
enum Example {
    /// Returns the file's text with replacements.
    ///
    /// Each replaced text must be present.
    static func text(_ name: String, replacing changes: [String: String] = [:]) throws -> String {
        let examples = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../rules/examples")
        var text = try String(contentsOf: examples.appending(path: name), encoding: .utf8)
        for (old, new) in changes {
            guard text.contains(old) else {
                throw HarnessError("\(name) does not contain '\(old)'")
            }
            text = text.replacing(old, with: new)
        }
        return text
    }
}
