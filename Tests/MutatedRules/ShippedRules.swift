import Foundation

/// A shipped rules file or folder: the template or an example.
package struct ShippedRules: Sendable, CustomStringConvertible {
    package let path: String

    package var description: String { URL(filePath: self.path).lastPathComponent }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "rules")

    package init(path: String) {
        self.path = path
    }

    /// All files and folders that the program accepts as rules.
    package static let all: [ShippedRules] = {
        let examples = Self.folder.appending(path: "examples").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: examples)) ?? []
        let paths = names.sorted().map { "\(examples)/\($0)" }
        return ([Self.folder.appending(path: "rules.yaml").path] + paths).map(Self.init(path:))
    }()

    /// All files, including each file in the folders.
    package static var files: [ShippedRules] {
        Self.all.flatMap { rules in
            let names = try? FileManager.default.contentsOfDirectory(atPath: rules.path)
            return names.map { $0.sorted().map { Self(path: "\(rules.path)/\($0)") } } ?? [rules]
        }
    }

    /// Whether the file is one of several that are loaded together.
    package var isOfFolder: Bool { self.path.contains("/folder-of-files/") }

    /// Returns the sources with this file's text replaced, including the files that are loaded together with it.
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
