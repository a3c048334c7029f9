package import GateSystem
private import Glibc

/// The rules files of a folder, in the order of their names.
package struct FolderListing: Sendable, Equatable {
    private static let suffixes = [".yaml", ".yml", ".json"]

    /// The names without the folder's path.
    package let names: [String]

    /// Lists a folder.
    ///
    /// Names that start with a dot, such as Kubernetes' `..data`, are skipped, as are JSON Schemas,
    /// which are stored next to the rules for use by editors.
    package init(path: String) throws(FileContent.Failure) {
        guard let folder = unsafe opendir(path) else {
            throw errno == ENOENT ? .missing : .system(errno)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Self.takes(name) { names.append(name) }
        }
        // Sorted by bytes, not by locale: the order must be the same on every system.
        self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a file of this name is a rules file.
    package static func takes(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.hasSuffix(".schema.json")
            && self.suffixes.contains { name.hasSuffix($0) }
    }
}
