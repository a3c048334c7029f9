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

    /// Whether it is one of several files that are read together.
    package var isOfFolder: Bool { self.path.contains("/folder-of-files/") }

    /// The file with another text, and those that are read together with it.
    package func sources(with text: String) throws -> [(name: String, text: String)] {
        guard self.isOfFolder else { return [("rules.yaml", text)] }
        let folder = URL(filePath: self.path).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            let path = folder.appending(path: $0).path
            return ($0, path == self.path ? text : try ShippedRules(path: path).text())
        }
    }

    package func text() throws -> String {
        try String(contentsOfFile: self.path, encoding: .utf8)
    }
}
