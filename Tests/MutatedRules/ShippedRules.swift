import Foundation
import Testing

/// A rules file or folder that is shipped: the one to start from, and the examples.
struct ShippedRules: Sendable, CustomTestStringConvertible {
    let path: String

    var testDescription: String { URL(filePath: self.path).lastPathComponent }

    /// Everything that an operator can point the program at.
    static let all: [ShippedRules] = {
        let examples = Project.rules.appending(path: "examples").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: examples)) ?? []
        let paths = names.sorted().map { "\(examples)/\($0)" }
        return ([Project.rules.appending(path: "rules.yaml").path] + paths).map(Self.init(path:))
    }()

    /// The files, those of folders one by one.
    static var files: [ShippedRules] {
        Self.all.flatMap { rules in
            let names = try? FileManager.default.contentsOfDirectory(atPath: rules.path)
            return names.map { $0.sorted().map { Self(path: "\(rules.path)/\($0)") } } ?? [rules]
        }
    }

    func text() throws -> String {
        try String(contentsOfFile: self.path, encoding: .utf8)
    }
}
