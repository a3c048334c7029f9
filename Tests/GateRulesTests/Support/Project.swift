import Foundation

/// The project's files that tests read.
enum Project {
    /// This test target's folder.
    static let tests = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
    static let root = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
    static let rules = Self.root.appending(path: "rules")
    static let schema = Self.rules.appending(path: "rules.schema.json")
}
