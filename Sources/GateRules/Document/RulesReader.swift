internal import GatePolicy
package import GateSystem
private import Glibc

/// Reads a rules file, or all rules files in a folder as one consistent state.
struct RulesReader {
    /// The maximum number of attempts to read a folder that changes during the read.
    private static let attempts = 5

    private let path: String

    init(path: String) {
        // With a trailing slash, messages would show two slashes.
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    func read() throws(RulesFileErrors) -> [RulesSource] {
        do throws(FileContent.Failure) {
            let content = try FileContent(path: self.path, atMost: RulesSource.maximumSize)
            return [RulesSource(name: self.path, bytes: content.bytes)]
        } catch .isFolder {
            return try self.readFolder()
        } catch {
            throw self.error("\(error)")
        }
    }

    /// Reads the folder again until nothing changes during a read, so that a rule set never mixes
    /// two states.
    private func readFolder() throws(RulesFileErrors) -> [RulesSource] {
        for _ in 0..<Self.attempts {
            let listing = try self.listing()
            let (sources, identities) = try self.contents(of: listing)
            let after = listing.names.map { FileIdentity(path: self.path(of: $0)) }
            if after == identities, try self.listing() == listing { return sources }
        }
        throw self.error("the folder keeps changing while it is read")
    }

    private func listing() throws(RulesFileErrors) -> FolderListing {
        let listing: FolderListing
        do {
            listing = try FolderListing(path: self.path)
        } catch {
            throw self.error("\(error)")
        }
        guard !listing.names.isEmpty else {
            throw self.error("the folder has no rules files (*.yaml, *.yml, *.json)")
        }
        return listing
    }

    private func contents(
        of listing: FolderListing
    ) throws(RulesFileErrors) -> ([RulesSource], [FileIdentity?]) {
        var sources: [RulesSource] = []
        var identities: [FileIdentity?] = []
        var errors: [RulesFileError] = []
        for path in listing.names.map({ self.path(of: $0) }) {
            do throws(FileContent.Failure) {
                let content = try FileContent(path: path, atMost: RulesSource.maximumSize)
                sources.append(RulesSource(name: path, bytes: content.bytes))
                identities.append(content.identity)
            } catch {
                errors.append(RulesFileError(file: path, message: "\(error)"))
            }
        }
        guard errors.isEmpty else { throw RulesFileErrors(errors) }
        return (sources, identities)
    }

    private func path(of name: String) -> String { "\(self.path)/\(name)" }

    private func error(_ message: String) -> RulesFileErrors {
        RulesFileErrors(RulesFileError(file: self.path, message: message))
    }
}

/// The rules files in a folder, in the order of their names.
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

    /// Whether a file with this name is a rules file, regardless of the case of the name.
    package static func takes(_ name: String) -> Bool {
        let name = name.lowercasedASCII
        return !name.hasPrefix(".") && !name.hasSuffix(".schema.json")
            && self.suffixes.contains { name.hasSuffix($0) }
    }
}
