package import Foundation
import Glibc

/// A folder for one test, which is removed at the end of the test.
package struct TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        self.url = FileManager.default.temporaryDirectory
            .appendingPathComponent("versiongate-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    package func remove() {
        try? FileManager.default.removeItem(at: self.url)
    }

    package func file(_ name: String) -> URL { self.url.appendingPathComponent(name) }

    package func path(of name: String) -> String { self.file(name).path }

    /// Truncates and rewrites a file, like `echo > file`.
    package func writeInPlace(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: self.file(name))
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            at: self.file(name),
            withIntermediateDirectories: false
        )
    }

    package func delete(_ name: String) throws {
        try FileManager.default.removeItem(at: self.file(name))
    }

    /// Writes a temporary file and renames it over the old one, as editors do.
    package func replace(_ name: String, with text: String) throws {
        let aside = ".\(self.file(name).lastPathComponent).new"
        try self.writeInPlace(text, to: aside)
        try self.rename(aside, to: name)
    }

    /// Replaces a file with the content of another one, by renaming a copy.
    package func replace(_ name: String, withFile path: String) throws {
        try self.replace(name, with: String(contentsOfFile: path, encoding: .utf8))
    }

    /// Publishes a file like a ConfigMap that Kubernetes mounts.
    ///
    /// `name` links to `..data/name`, and `..data` links to a folder. For a new revision, a new link is renamed over
    /// `..data`.
    package func publishAsConfigMap(_ text: String, as name: String, revision: Int) throws {
        let folder = "..revision-\(revision)"
        let manager = FileManager.default
        try manager.createDirectory(at: self.file(folder), withIntermediateDirectories: false)
        try self.writeInPlace(text, to: "\(folder)/\(name)")
        try self.link("..data_tmp", to: folder)
        try self.rename("..data_tmp", to: "..data")
        if (try? manager.destinationOfSymbolicLink(atPath: self.file(name).path)) == nil {
            try self.link(name, to: "..data/\(name)")
        }
        if revision > 0 {
            try manager.removeItem(at: self.file("..revision-\(revision - 1)"))
        }
    }

    package func link(_ name: String, to destination: String) throws {
        let path = self.file(name).path
        try FileManager.default.createSymbolicLink(
            atPath: path,
            withDestinationPath: destination
        )
    }

    /// Renames a file, replacing an existing one atomically.
    package func rename(_ old: String, to new: String) throws {
        guard unsafe Glibc.rename(self.file(old).path, self.file(new).path) == 0 else {
            throw HarnessError("rename \(old) to \(new): errno \(errno)")
        }
    }
}
