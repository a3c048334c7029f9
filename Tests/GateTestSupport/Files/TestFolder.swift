import Foundation

/// A temporary folder, removed on deallocation.
package final class TestFolder: Sendable {
    private let folder: TemporaryFolder

    package let path: String

    package init() throws {
        self.folder = try TemporaryFolder()
        // The path without the slash at the end of a directory URL.
        let path = self.folder.url.path
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    deinit {
        self.folder.remove()
    }

    package func path(of name: String) -> String { "\(self.path)/\(name)" }

    /// Writes in place, like `cp` and the shell: truncates the file, and then writes to it.
    package func write(_ text: String, to name: String) throws {
        try self.folder.writeInPlace(text, to: name)
    }

    package func truncate(_ name: String) throws {
        let file = try FileHandle(forWritingTo: self.folder.file(name))
        try file.truncate(atOffset: 0)
        try file.close()
    }

    /// Writes a new file and renames it over this one, as editors do.
    package func replace(_ name: String, with text: String) throws {
        try self.folder.replace(name, with: text)
    }

    package func remove(_ name: String) throws {
        try self.folder.delete(name)
    }

    package func makeFolder(_ name: String) throws {
        try self.folder.makeFolder(name)
    }

    package func link(_ name: String, to destination: String) throws {
        try self.folder.link(name, to: destination)
    }

    /// Renames a file, replacing an existing one atomically.
    package func rename(_ name: String, to other: String) throws {
        try self.folder.rename(name, to: other)
    }
}
