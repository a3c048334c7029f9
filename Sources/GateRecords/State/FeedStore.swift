package import GateRules

/// Stores the last values of feeds, so that a restart does not depend on their sources.
package struct FeedStore: Sendable {
    /// The stored entry of a feed.
    package struct Entry: Sendable, Equatable, Codable {
        package var fingerprint: String
        /// The time at which the source was last fetched successfully, in seconds since 1970.
        package var confirmedAt: Int64
        var value: FeedValue
        /// Earlier values whose floors are still active; `nil` if there are none.
        var earlier: [FeedValue]?

        package init(_ contribution: FeedContribution, confirmedAt: Int64) {
            self.fingerprint = contribution.fingerprint
            self.confirmedAt = confirmedAt
            self.value = contribution.value
            self.earlier = contribution.earlier.isEmpty ? nil : contribution.earlier
        }

        var contribution: FeedContribution {
            FeedContribution(
                fingerprint: self.fingerprint,
                value: self.value,
                earlier: self.earlier ?? []
            )
        }
    }

    private static let suffix = ".feed.json"
    /// The maximum size in bytes of a file: a character may take six bytes in JSON, and an entry
    /// may contain earlier values.
    private static let maximumSize = 6 * RulesSource.maximumSize * 9 + (64 << 10)

    private let folder: StateFolder

    package init(_ folder: StateFolder) {
        self.folder = folder
    }

    /// Returns the stored contributions of feeds; `report` is called for files that cannot be used.
    package func contributions(report: (String) -> Void) -> [String: FeedContribution] {
        self.entries(report: report).mapValues(\.contribution)
    }

    /// Returns all stored entries by feed ID; `report` is called for files that cannot be used.
    package func entries(report: (String) -> Void) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for name in self.folder.names(endingWith: Self.suffix) {
            let id = String(name.dropLast(Self.suffix.count))
            do {
                entries[id] = try self.folder.value(in: name, atMost: Self.maximumSize)
            } catch {
                report("\(self.folder.path)/\(name) cannot be used: \(error)")
            }
        }
        return entries
    }

    /// Replaces the entry of a feed.
    package func save(_ entry: Entry, of id: String) throws(StateFolder.Failure) {
        try self.folder.save(entry, as: id + Self.suffix)
    }
}
