internal import GateRules
internal import GateSystem
private import Glibc

/// The file names that the rules depend on, by folder.
///
/// The names are the last component of the path, each symbolic link on the way, and the final
/// target. If the target is a folder, they also include its rules files and their targets. Other
/// files in these folders, such as logs and temporary files of editors, are ignored. Changes to
/// parent folders are found by polling.
struct WatchedPaths: Equatable {
    /// The relevant names in one folder.
    struct Names: Equatable {
        var names: Set<String> = []
        /// Whether the names of all rules files are relevant, including new files.
        var includesRulesFiles = false

        func contains(_ name: String) -> Bool {
            self.names.contains(name) || self.includesRulesFiles && FolderListing.takes(name)
        }

        mutating func formUnion(_ other: Names) {
            self.names.formUnion(other.names)
            self.includesRulesFiles = self.includesRulesFiles || other.includesRulesFiles
        }
    }

    /// The maximum number of links to follow, as in Linux.
    private static let longestChain = 40

    /// The file names by folder; a folder may occur twice, under different paths.
    private(set) var folders: [String: Names] = [:]

    /// Resolves a path in its current state; missing components are ignored.
    init(path: String) {
        guard let end = self.follow(path), FileIdentity(path: end)?.isFolder == true else { return }
        // Kubernetes replaces all files in the folder by swapping this link.
        self.folders[end, default: Names()].formUnion(
            Names(names: ["..data"], includesRulesFiles: true)
        )
        for name in (try? FolderListing(path: end))?.names ?? [] {
            _ = self.follow("\(end)/\(name)")
        }
    }

    /// Adds the names of the links on the path, and returns the path without links, or `nil`
    /// if there are too many links.
    private mutating func follow(_ path: String) -> String? {
        var folder = path.hasPrefix("/") ? "/" : "."
        var names = Self.names(of: path)
        var links = 0
        while !names.isEmpty {
            let name = names.removeFirst()
            let entry = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            if let destination = Self.destination(of: entry) {
                self.folders[folder, default: Names()].names.insert(name)
                links += 1
                guard links <= Self.longestChain else { return nil }
                if destination.hasPrefix("/") { folder = "/" }
                names = Self.names(of: destination) + names
            } else {
                if names.isEmpty { self.folders[folder, default: Names()].names.insert(name) }
                folder = entry
            }
        }
        return folder
    }

    private static func names(of path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func destination(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
