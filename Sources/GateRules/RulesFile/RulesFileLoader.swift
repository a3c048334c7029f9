package import GatePolicy
internal import GateSystem

/// Reads the rules from a file or a folder of files.
///
/// A folder's `*.yaml`, `*.yml` and `*.json` files are joined in the order of their names: rules and
/// exemptions append, notices join by name. Names that begin with a dot are not rules files, and
/// neither are JSON Schemas (`*.schema.json`).
/// The rules that feeds have stated so far are joined behind the files, in the order in which the
/// files name the feeds, and are held to the same rules. Everything that is wrong is reported at
/// once; the tests of the rules run if nothing is.
package struct RulesFileLoader: Sendable {
    private let path: String
    private let feedKinds: FeedKinds
    private let now: @Sendable () -> Timestamp

    /// Prepares to read a file or a folder; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - feedKinds: The kinds of feeds that the rules may name.
    ///   - now: The time for tests that do not say theirs.
    package init(
        path: String,
        feedKinds: FeedKinds,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.path = path
        self.feedKinds = feedKinds
        self.now = now
    }

    /// Reads and checks the rules, with what feeds have said so far.
    ///
    /// - Parameters:
    ///   - contributions: What feeds have said, by their ids.
    ///   - loaded: Rules that are in force: what has not changed since is not parsed again, and a test
    ///     that wants somebody refused who passes is a finding, no error.
    /// - Returns: The rules, of which no finding has been looked for.
    /// - Throws: `RulesFileErrors` with everything that is wrong.
    package func load(
        feeds contributions: [String: FeedContribution] = [:],
        after loaded: LoadedRules? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = try RulesReader(path: self.path).read()
        if let loaded, loaded.pin?.holds(against: sources) == true {
            return try self.load(again: loaded, feeds: contributions)
        }
        return try Self.load(
            sources,
            feedKinds: self.feedKinds,
            feeds: contributions,
            after: loaded,
            now: self.now
        )
    }

    /// Reads and checks the rules, unless their text is the one of before.
    ///
    /// The contributions of feeds must be those of that time.
    ///
    /// - Returns: `nil` if the files are no longer as they were seen.
    package func load(
        feeds contributions: [String: FeedContribution],
        unlessUnchanged loaded: LoadedRules,
        seen sighting: RulesSighting?
    ) throws(RulesFileErrors) -> LoadedRules? {
        let reading = Result { () throws(RulesFileErrors) in
            try RulesReader(path: self.path).read()
        }
        // After reading: it holds for all that was read, or for an error.
        if let sighting, !sighting.holds(at: self.path) { return nil }
        let sources = try reading.get()
        if loaded.pin?.holds(against: sources) == true { return loaded }
        guard sources != loaded.sources else {
            var loaded = loaded
            loaded.pin = nil
            return loaded
        }
        return try Self.load(
            sources,
            feedKinds: self.feedKinds,
            feeds: contributions,
            after: loaded,
            now: self.now
        )
    }

    /// The texts as they stand, right or not.
    package func texts() throws(RulesFileErrors) -> RulesTexts {
        RulesTexts(try RulesReader(path: self.path).read())
    }

    /// The feeds that the rules name, whatever else may be wrong with them.
    package func feeds() throws(RulesFileErrors) -> [FeedDefinition] {
        let sources = try RulesReader(path: self.path).read()
        let problems = Problems()
        let feeds = sources.flatMap { source -> [FeedDefinition] in
            do throws(RulesFileError) {
                var parser = DocumentParser(source)
                return DocumentDecoder(feedKinds: self.feedKinds, problems: problems)
                    .feeds(of: try parser.parse())
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
    package func load(
        again loaded: LoadedRules,
        feeds contributions: [String: FeedContribution]
    ) throws(RulesFileErrors) -> LoadedRules {
        var rules = try Self.load(
            loaded.sources,
            feedKinds: self.feedKinds,
            feeds: contributions,
            after: loaded,
            runsTests: loaded.pin == nil,
            now: self.now
        )
        rules.pin = loaded.pin
        return rules
    }

    /// Loads texts that were good once: their tests have passed, whatever they say today.
    package func load(
        kept sources: [(name: String, text: String)],
        feeds contributions: [String: FeedContribution],
        after loaded: LoadedRules? = nil,
        pin: RulesPin? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = sources.map { RulesSource(name: $0.name, bytes: Array($0.text.utf8)) }
        var rules = try Self.load(
            sources,
            feedKinds: self.feedKinds,
            feeds: contributions,
            after: loaded,
            runsTests: false,
            now: self.now
        )
        rules.pin = pin
        return rules
    }

    /// Reads a text that somebody considers to put in place of the rules.
    ///
    /// - Parameters:
    ///   - text: The rules, as YAML or JSON.
    ///   - feedKinds: The kinds of feeds that the rules may name.
    ///   - contributions: What feeds have said so far.
    ///   - now: The time for tests that do not say theirs.
    /// - Returns: The rules, of which no finding has been looked for.
    /// - Throws: `RulesFileErrors` with everything that is wrong, under the file name `candidate`.
    package static func load(
        candidate text: [UInt8],
        feedKinds: FeedKinds,
        feeds contributions: [String: FeedContribution],
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(
            [RulesSource(name: "candidate", bytes: text)],
            feedKinds: feedKinds,
            feeds: contributions,
            now: now
        )
    }

    /// Checks rules that are already in memory, under the names that errors shall show.
    package static func load(
        sources: [(name: String, text: String)],
        feedKinds: FeedKinds,
        after loaded: LoadedRules? = nil,
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = sources.map { RulesSource(name: $0.name, bytes: Array($0.text.utf8)) }
        return try self.load(sources, feedKinds: feedKinds, after: loaded, now: now)
    }

    static func load(
        _ sources: [RulesSource],
        feedKinds: FeedKinds,
        feeds contributions: [String: FeedContribution] = [:],
        after loaded: LoadedRules? = nil,
        runsTests: Bool = true,
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        let problems = Problems()
        let known = loaded?.parsed
        let files = sources.compactMap { self.document($0, feedKinds, problems, known) }
        let feeds = files.flatMap(\.feeds)
        let ofFeeds = FeedDocuments(of: feeds, contributions, feedKinds, problems, known, now)
        // A rule that is missing may well be in a file that could not be parsed.
        let isComplete = files.count == sources.count && ofFeeds.isComplete
        if isComplete {
            self.checkPresence(of: files, in: sources, problems)
        }
        let documents = files + ofFeeds.documents
        let names = (sources + ofFeeds.sources).map(\.name)
        let assembly = RuleSetAssembly(documents, problems: problems, isComplete: isComplete)
        let beginning =
            loaded.flatMap { $0.sources == sources ? $0.beginning : nil }
            ?? Revision.Beginning(sources)
        let revision = Revision(of: beginning, and: ofFeeds.sources + ofFeeds.earlierSources)
        let definition = assembly.definition(revision: revision.text)
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: names), in: revision)
        }
        let ruleSet = RuleSet(definition)
        // The effect of the rules means nothing as long as they are not what somebody wanted to
        // write.
        let laxTests = runsTests ? assembly.runTests(of: ruleSet, now: now()) : []
        // Tests bar nobody's way back: where rules are in force, what is laxer is loaded, and said.
        if loaded == nil { for error in laxTests { problems.report(error) } }
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: names), in: revision)
        }
        return LoadedRules(
            ruleSet: ruleSet,
            feeds: feeds,
            places: RulesPlaces(documents, files: names),
            sources: sources,
            beginning: beginning,
            parsed: ParsedSources(sources + ofFeeds.parsedSources, files + ofFeeds.parsedDocuments),
            earlier: ofFeeds.earlier,
            guardLimit: files.lazy.compactMap(\.guardLimit).first ?? .standard,
            breaker: files.lazy.compactMap(\.breaker).first ?? .standard,
            laxTests: laxTests
        )
    }

    /// The content of a source; `nil` if it cannot be parsed, and then the problem is reported.
    static func document(
        _ source: RulesSource,
        _ feedKinds: FeedKinds,
        _ problems: Problems,
        _ known: ParsedSources?
    ) -> RulesDocument? {
        if let document = known?.document(source) { return document }
        do throws(RulesFileError) {
            var parser = DocumentParser(source)
            return DocumentDecoder(feedKinds: feedKinds, problems: problems)
                .decode(try parser.parse())
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
        let isSuite = documents.contains { !$0.tests.isEmpty }
        let message =
            isSuite
            ? "there are no 'rules' for these tests; write 'rules: PATH' if they test the rules of another file"
            : "there are no 'rules'; write 'rules: []' if that is what you mean"
        problems.report(message, at: Place(file: first.name))
    }
}
