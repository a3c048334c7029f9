package import GatePolicy

/// Reads the rules from a file or a folder of files.
///
/// A folder's `*.yaml`, `*.yml` and `*.json` files are joined in the order of their names: rules and
/// exemptions append, notices join by name. Names that begin with a dot are not rules files, and
/// neither are JSON Schemas (`*.schema.json`).
/// What feeds have said so far is joined behind the files, in the order in which the files name
/// the feeds, and is held to the same rules.
/// Everything that is wrong is reported at once; the tests of the rules run if nothing is.
package struct RulesFileLoader: Sendable {
    private let path: String
    private let now: @Sendable () -> Timestamp

    /// Prepares to read a file or a folder; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - now: The time for tests that do not say theirs.
    package init(path: String, now: @escaping @Sendable () -> Timestamp = SystemClock.now) {
        self.path = path
        self.now = now
    }

    /// Reads and checks the rules, with what feeds have said so far.
    package func load(
        feeds contributions: [String: FeedContribution] = [:]
    ) throws(RulesFileErrors) -> LoadedRules {
        let reader = RulesReader(path: self.path)
        return try Self.load(try reader.read(), feeds: contributions, now: self.now)
    }

    /// Reads and checks the rules, unless their text is the one of before.
    ///
    /// What feeds say must be what it was then.
    func load(
        feeds contributions: [String: FeedContribution],
        after loaded: LoadedRules
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = try RulesReader(path: self.path).read()
        guard sources != loaded.sources else { return loaded }
        return try Self.load(sources, feeds: contributions, now: self.now)
    }

    /// The feeds that the rules name, whatever else may be wrong with them.
    package func feeds() throws(RulesFileErrors) -> [FeedDefinition] {
        let sources = try RulesReader(path: self.path).read()
        let problems = Problems()
        let feeds = sources.flatMap { source -> [FeedDefinition] in
            do throws(RulesFileError) {
                var parser = DocumentParser(source)
                return DocumentDecoder(problems: problems).feeds(of: try parser.parse())
            } catch {
                problems.report(error)
                return []
            }
        }
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: sources.map(\.name)))
        }
        return feeds
    }

    /// Joins the files of before with what feeds say now.
    func load(
        again loaded: LoadedRules,
        feeds contributions: [String: FeedContribution]
    ) throws(RulesFileErrors) -> LoadedRules {
        try Self.load(loaded.sources, feeds: contributions, now: self.now)
    }

    /// Checks rules that are already in memory, under the names that errors shall show.
    package static func load(
        sources: [(name: String, text: String)],
        now: () -> Timestamp = SystemClock.now
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = sources.map { RulesSource(name: $0.name, bytes: Array($0.text.utf8)) }
        return try self.load(sources, now: now)
    }

    static func load(
        _ sources: [RulesSource],
        feeds contributions: [String: FeedContribution] = [:],
        now: () -> Timestamp = SystemClock.now
    ) throws(RulesFileErrors) -> LoadedRules {
        let problems = Problems()
        let files = sources.compactMap { self.document($0, problems) }
        let feeds = files.flatMap(\.feeds)
        let fed = FedDocuments(of: feeds, contributions, problems)
        // What is missing may well be in a file that could not be parsed.
        let isComplete = files.count == sources.count && fed.isComplete
        if isComplete {
            self.checkPresence(of: files, in: sources, problems)
        }
        let documents = files + fed.documents
        let names = (sources + fed.sources).map(\.name)
        let assembly = RuleSetAssembly(documents, problems: problems, isComplete: isComplete)
        let definition = assembly.definition(revision: Revision(of: sources + fed.sources).text)
        // What the rules do means nothing as long as they are not what somebody wanted to write.
        if problems.isEmpty {
            assembly.runTests(of: definition, now: now())
        }
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: names))
        }
        return LoadedRules(
            definition: definition,
            feeds: feeds,
            places: RulesPlaces(documents, files: names),
            sources: sources
        )
    }

    static func document(_ source: RulesSource, _ problems: Problems) -> RulesDocument? {
        do throws(RulesFileError) {
            var parser = DocumentParser(source)
            return DocumentDecoder(problems: problems).decode(try parser.parse())
        } catch {
            problems.report(error)
            return nil
        }
    }

    private static func checkPresence(
        of documents: [RulesDocument],
        in sources: [RulesSource],
        _ problems: Problems
    ) {
        guard let first = sources.first,
            documents.allSatisfy({ $0.rules == nil && $0.feedsPlace == nil })
        else { return }
        let message = "there are no 'rules'; write 'rules: []' if that is what you mean"
        problems.report(message, at: Place(file: first.name))
    }
}
