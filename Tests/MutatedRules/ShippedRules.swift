import Foundation

/// A rules file or folder that is shipped: the one to start from, and the examples.
package struct ShippedRules: Sendable, CustomStringConvertible {
    package let path: String

    package var description: String { URL(filePath: self.path).lastPathComponent }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "rules")

    package init(path: String) {
        self.path = path
    }

    /// Everything that an operator can point the program at.
    package static let all: [ShippedRules] = {
        let examples = Self.folder.appending(path: "examples").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: examples)) ?? []
        let paths = names.sorted().map { "\(examples)/\($0)" }
        return ([Self.folder.appending(path: "rules.yaml").path] + paths).map(Self.init(path:))
    }()

    /// The files, those of folders one by one.
    package static var files: [ShippedRules] {
        Self.all.flatMap { rules in
            let names = try? FileManager.default.contentsOfDirectory(atPath: rules.path)
            return names.map { $0.sorted().map { Self(path: "\(rules.path)/\($0)") } } ?? [rules]
        }
    }

    package func text() throws -> String {
        try String(contentsOfFile: self.path, encoding: .utf8)
    }
}
