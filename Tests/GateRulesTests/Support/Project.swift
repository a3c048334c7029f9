import Foundation

/// The files of the project that tests read.
enum Project {
    /// The folder of this test target.
    static let tests = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
    static let root = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
    static let rules = Self.root.appending(path: "rules")
    static let schema = Self.rules.appending(path: "rules.schema.json")
}
