internal import GatePolicy

/// The rules that feeds have provided so far, as documents to merge with the rules files.
struct FeedDocuments {
    /// The suffix for the source names of values in observe mode; it affects the revision.
    private static let observedMark = " (stale)"
    /// The suffix for the source names of earlier values.
    private static let formerMark = " (before, "
    private static let prefix = "feed:"

    /// The sources of the current values, named as in messages.
    private(set) var sources: [RulesSource] = []
    private(set) var documents: [RulesDocument] = []
    /// All parsed sources, including earlier values.
    private(set) var parsedSources: [RulesSource] = []
    private(set) var parsedDocuments: [RulesDocument] = []
    /// The earlier feed values whose floors are still active, by feed.
    private(set) var earlier: [String: [FeedValue]] = [:]
    private(set) var earlierSources: [RulesSource] = []

    /// Decodes contributions, each with the ID of its feed.
    init(
        _ contributions: [(feed: String, contribution: FeedContribution)],
        _ feedKinds: FeedKinds,
        _ problems: Problems,
        _ known: ParsedSources?,
        _ now: () -> Timestamp
    ) {
        for (feed, contribution) in contributions {
            let mark = contribution.isObserved ? Self.observedMark : ""
            let sources = contribution.value.sources(ofFeed: feed, mark: mark)
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

    /// Whether all sources could be parsed.
    var isComplete: Bool { self.documents.count == self.sources.count }

    /// Returns the feed to which a source name belongs; `nil` if the source is an operator's file.
    static func feed(ofFile name: String) -> String? {
        guard name.hasPrefix(Self.prefix) else { return nil }
        return String(name.dropFirst(Self.prefix.count).prefix { $0 != "/" && $0 != " " })
    }

    /// Whether a source is the current value of a feed.
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

    /// Adds the feed's earlier floors that its current floors do not replace yet.
    private mutating func addEarlier(
        _ contribution: FeedContribution,
        of feed: String,
        to floors: inout FeedFloors,
        _ feedKinds: FeedKinds,
        _ known: ParsedSources?,
        at now: Timestamp
    ) {
        // Problems are ignored: an earlier value was valid once, and a change to other rules must
        // not remove its floors.
        let ignored = Problems()
        for (index, value) in contribution.earlier.enumerated() {
            let mark = "\(Self.formerMark)\(index + 1))"
            let sources = value.sources(ofFeed: feed, mark: mark)
            let rules = self.read(sources, feedKinds, ignored, known).flatMap { $0.rules ?? [] }
            guard floors.add(rules.map(\.value), at: now) else { continue }
            self.earlier[feed, default: []].append(value)
            self.earlierSources += sources
        }
    }

    private static func checkForeignKeys(of document: RulesDocument, _ problems: Problems) {
        if let place = document.feedsPlace {
            problems.report("a feed value cannot contain 'feeds'", at: place)
        }
        for accepted in (document.rules ?? []).flatMap(\.places.accepted) {
            problems.report(
                "'accept' belongs in the feed's entry in the rules file, not in a feed value",
                at: accepted.place
            )
        }
    }
}

extension FeedValue {
    /// Returns the files of the value as sources, named as in messages.
    package func sources(ofFeed id: String, mark: String = "") -> [RulesSource] {
        self.files.map { file in
            let name = "feed:\(id)" + (file.name.map { "/\($0)" } ?? "") + mark
            return RulesSource(name: name, text: file.text)
        }
    }
}
