import Foundation
import Glibc

/// A temporary folder, removed on deallocation.
package final class TestFolder: Sendable {
    package let path: String

    package init() throws {
        let name = "versiongate-\(UUID().uuidString)"
        let url = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    package func path(of name: String) -> String { "\(self.path)/\(name)" }

    /// Writes in place like `cp` and the shell: truncates, then writes.
    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.path(of: name)))
    }

    package func truncate(_ name: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: self.path(of: name)))
        try file.truncate(atOffset: 0)
        try file.close()
    }

    /// Writes a new file and renames it to this one, like editors.
    package func replace(_ name: String, with text: String) throws {
        try self.write(text, to: ".\(name).tmp")
        try self.rename(".\(name).tmp", to: name)
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: self.path(of: name))
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: self.path(of: name),
            withIntermediateDirectories: false
        )
    }

    package func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: self.path(of: name),
            withDestinationPath: destination
        )
    }

    /// Renames a file, replacing an existing one atomically.
    package func rename(_ name: String, to other: String) throws {
        guard unsafe Glibc.rename(self.path(of: name), self.path(of: other)) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
