internal import GateRules
internal import GateSystem
private import Glibc

/// The names on disk that lead to the rules, by the folders that hold them.
///
/// They are the last name of the path, every symbolic link on the way, and the file that it all
/// leads to; if that is a folder, its rules files and what they lead to. Other files in the same
/// folders, logs and what editors leave behind, have nothing to say. Real folders farther up are
/// left to the poll.
struct WatchedPlaces: Equatable {
    /// The names of one folder that count.
    struct Names: Equatable {
        var names: Set<String> = []
        /// Whether every name of a rules file counts, those to come included.
        var includesRulesFiles = false

        func contains(_ name: String) -> Bool {
            self.names.contains(name) || self.includesRulesFiles && FolderListing.takes(name)
        }

        mutating func formUnion(_ other: Names) {
            self.names.formUnion(other.names)
            self.includesRulesFiles = self.includesRulesFiles || other.includesRulesFiles
        }
    }

    /// How many links are followed, as many as Linux follows.
    private static let longestChain = 40

    /// One folder may be there twice, under two paths.
    private(set) var folders: [String: Names] = [:]

    /// Follows a path as it leads now; what is missing is no obstacle.
    init(path: String) {
        guard let end = self.follow(path), FileIdentity(path: end)?.isFolder == true else { return }
        // Kubernetes swaps this link, and all files with it.
        self.folders[end, default: Names()].formUnion(
            Names(names: ["..data"], includesRulesFiles: true)
        )
        for name in (try? FolderListing(path: end))?.names ?? [] {
            _ = self.follow("\(end)/\(name)")
        }
    }

    /// Adds the names that count on the way; returns the path without links, `nil` for a circle.
    private mutating func follow(_ path: String) -> String? {
        var folder = Self.root(of: path)
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

    private static func root(of path: String) -> String { path.hasPrefix("/") ? "/" : "." }

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
