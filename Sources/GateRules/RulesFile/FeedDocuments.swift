internal import GatePolicy

/// The rules that feeds have stated so far, as documents to be joined with those of the files.
struct FeedDocuments {
    /// Appended to the name of what is only observed, so that it makes another revision.
    private static let observedMark = " (stale)"
    /// Likewise to those of values that came before.
    private static let formerMark = " (before, "
    private static let prefix = "feed:"

    /// The texts that are judged by, under the names that messages call them by.
    private(set) var sources: [RulesSource] = []
    private(set) var documents: [RulesDocument] = []
    /// Everything that was parsed for it, as it stands in its texts.
    private(set) var parsedSources: [RulesSource] = []
    private(set) var parsedDocuments: [RulesDocument] = []
    /// The earlier values of which something is still in force, by feed.
    private(set) var earlier: [String: [FeedValue]] = [:]
    private(set) var earlierSources: [RulesSource] = []

    /// Reads what belongs to these feeds, in their order.
    ///
    /// A value that came by another entry of the same name is left out: it is not what this one
    /// says. So is one that was read in a way that has proved wrong.
    init(
        of feeds: [FeedDefinition],
        _ contributions: [String: FeedContribution],
        _ feedKinds: FeedKinds,
        _ problems: Problems,
        _ known: ParsedSources?,
        _ now: () -> Timestamp
    ) {
        for feed in feeds {
            guard let contribution = contributions[feed.id],
                contribution.isValid(for: feed)
            else { continue }
            let mark = contribution.isObserved ? Self.observedMark : ""
            let sources = contribution.value.sources(of: feed, mark: mark)
            let current = self.read(sources, feedKinds, problems, known)
            for document in current { Self.checkForeignKeys(of: document, problems) }
            var floors = FeedFloors(current.flatMap { $0.rules ?? [] }.map(\.value))
            if !contribution.earlier.isEmpty {
                self.addEarlier(contribution, of: feed, to: &floors, feedKinds, known, at: now())
            }
            self.sources += sources
            self.documents += current.map { document in
                let joined = floors.joined(document)
                return contribution.isObserved ? joined.observed : joined
            }
        }
    }

    /// Whether everything could be parsed.
    var isComplete: Bool { self.documents.count == self.sources.count }

    /// The feed that said what a message is about; `nil` for a file of the operator's own.
    static func feed(ofFile name: String) -> String? {
        guard name.hasPrefix(Self.prefix) else { return nil }
        return String(name.dropFirst(Self.prefix.count).prefix { $0 != "/" && $0 != " " })
    }

    /// Whether a source is what a feed says now.
    static func isCurrent(_ name: String) -> Bool {
        name.hasPrefix(self.prefix) && !name.contains(self.formerMark)
    }

    private mutating func read(
        _ sources: [RulesSource],
        _ feedKinds: FeedKinds,
        _ problems: Problems,
        _ known: ParsedSources?
    ) -> [RulesDocument] {
        sources.compactMap { source in
            guard let document = RulesFileLoader.document(source, feedKinds, problems, known) else {
                return nil
            }
            self.parsedSources.append(source)
            self.parsedDocuments.append(document)
            return document
        }
    }

    /// Adds the floors that the feed stated before and that the current ones do not replace yet.
    private mutating func addEarlier(
        _ contribution: FeedContribution,
        of feed: FeedDefinition,
        to floors: inout FeedFloors,
        _ feedKinds: FeedKinds,
        _ known: ParsedSources?,
        at now: Timestamp
    ) {
        // It was good once; what has become of the rules around it is no reason to lose it.
        let ignored = Problems()
        for (index, value) in contribution.earlier.enumerated() {
            let sources = value.sources(of: feed, mark: "\(Self.formerMark)\(index + 1))")
            let rules = self.read(sources, feedKinds, ignored, known).flatMap { $0.rules ?? [] }
            guard floors.add(rules.map(\.value), at: now) else { continue }
            self.earlier[feed.id, default: []].append(value)
            self.earlierSources += sources
        }
    }

    private static func checkForeignKeys(of document: RulesDocument, _ problems: Problems) {
        if let place = document.feedsPlace {
            problems.report("what a feed says cannot name feeds itself", at: place)
        }
        for accepted in (document.rules ?? []).flatMap(\.accepted) {
            problems.report(
                "'accept' stands beside the feed's entry in the rules file, never in what a feed says",
                at: accepted.place
            )
        }
    }
}

extension FeedValue {
    /// The files under the names by which messages call them.
    package func sources(of feed: FeedDefinition, mark: String = "") -> [RulesSource] {
        self.files.map { file in
            let name = "feed:\(feed.id)" + (file.name.map { "/\($0)" } ?? "") + mark
            return RulesSource(name: name, bytes: Array(file.text.utf8))
        }
    }
}
