private import FoundationEssentials
package import GateRules

/// Keeps what feeds said last, so that a restart needs no source.
package struct FeedStore: Sendable {
    /// One feed, as it is kept.
    package struct Entry: Sendable, Equatable, Codable {
        package var fingerprint: String
        /// When the source last gave a good answer, seconds since 1970.
        package var confirmedAt: Int64
        var value: FeedValue
        /// The values before it whose floors are still in force.
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
    /// Every character may take six bytes in JSON, and a value may come with those before it.
    private static let maximumSize = 6 * RulesSource.maximumSize * 9 + (64 << 10)

    private let folder: StateFolder

    package init(_ folder: StateFolder) {
        self.folder = folder
    }

    /// The contributions of feeds before the restart; `report` is told of files that cannot be
    /// used.
    package func contributions(report: (String) -> Void) -> [String: FeedContribution] {
        self.entries(report: report).mapValues(\.contribution)
    }

    /// Everything that is there, by feed; `report` is told of files that cannot be used.
    package func entries(report: (String) -> Void) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for name in self.folder.names(endingWith: Self.suffix) {
            do {
                let bytes = try self.folder.read(name, atMost: Self.maximumSize)
                let id = String(name.dropLast(Self.suffix.count))
                entries[id] = try JSONDecoder().decode(Entry.self, from: Data(bytes))
            } catch {
                report("\(self.folder.path)/\(name) cannot be used: \(error)")
            }
        }
        return entries
    }

    /// Replaces what is kept of a feed.
    package func save(_ entry: Entry, of id: String) throws(StateFolder.Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(entry) else { return }
        try self.folder.replace(id + Self.suffix, with: Array(bytes))
    }
}
