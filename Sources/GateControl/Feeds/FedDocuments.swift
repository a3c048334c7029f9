/// What feeds have said so far, as documents to be joined with those of the files.
struct FedDocuments {
    /// Appended to the name of what is only observed, so that it makes another revision.
    private static let observedMark = " (stale)"

    let sources: [RulesSource]
    let documents: [RulesDocument]

    /// Reads what belongs to these feeds, in their order.
    ///
    /// What came by another entry of the same name is left out: it is not what this one says.
    init(
        of feeds: [FeedDefinition],
        _ contributions: [String: FeedContribution],
        _ problems: Problems
    ) {
        var (sources, documents): ([RulesSource], [RulesDocument]) = ([], [])
        for feed in feeds {
            guard let contribution = contributions[feed.id],
                contribution.fingerprint == feed.fingerprint
            else { continue }
            let mark = contribution.isObserved ? Self.observedMark : ""
            for source in contribution.value.sources(of: feed, mark: mark) {
                sources.append(source)
                guard let document = RulesFileLoader.document(source, problems) else { continue }
                if let place = document.feedsPlace {
                    problems.report("what a feed says cannot name feeds itself", at: place)
                }
                documents.append(contribution.isObserved ? document.observed : document)
            }
        }
        self.sources = sources
        self.documents = documents
    }

    /// Whether everything could be parsed.
    var isComplete: Bool { self.documents.count == self.sources.count }
}

extension FeedValue {
    /// The files under the names by which messages call them.
    func sources(of feed: FeedDefinition, mark: String = "") -> [RulesSource] {
        self.files.map { file in
            let name = "feed:\(feed.id)" + (file.name.map { "/\($0)" } ?? "") + mark
            return RulesSource(name: name, bytes: Array(file.text.utf8))
        }
    }
}
