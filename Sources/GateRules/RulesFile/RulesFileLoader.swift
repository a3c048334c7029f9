package import GatePolicy

/// Loads the rules from a file or a folder of files.
///
/// The `*.yaml`, `*.yml` and `*.json` files in a folder are joined in the order of their names:
/// lists of rules and exemptions are concatenated, and notices are merged by name. Names that start
/// with a dot and JSON Schemas (`*.schema.json`) are ignored.
///
/// The values of feeds follow the files, in the order in which the files list the feeds, and are
/// validated in the same way. All errors are reported at once. The tests run only if there are no
/// errors.
package struct RulesFileLoader: Sendable {
    private let path: String
    private let feedKinds: FeedKinds
    private let gate: GateContext
    private let now: @Sendable () -> Timestamp

    /// Creates a loader for a file or a folder; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - feedKinds: The supported kinds of feeds.
    ///   - gate: The facts about the gate that uses the rules.
    ///   - now: The time for tests without `at`.
    package init(
        path: String,
        feedKinds: FeedKinds,
        gate: GateContext = .unknown,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.path = path
        self.feedKinds = feedKinds
        self.gate = gate
        self.now = now
    }

    /// Loads and validates the rules, with the current values of feeds.
    ///
    /// - Parameters:
    ///   - contributions: The values of feeds, by feed ID.
    ///   - loaded: The active rules, whose unchanged sources are not parsed again. With active
    ///     rules, a test that expects a denial of a client that passes is a finding, not an error.
    /// - Returns: The rules, without findings.
    /// - Throws: `RulesFileErrors` with all errors.
    package func load(
        feeds contributions: [String: FeedContribution] = [:],
        after loaded: LoadedRules? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = try RulesReader(path: self.path).read()
        guard let loaded, let pin = loaded.pin else {
            return try self.load(sources, feeds: contributions, after: loaded)
        }
        if let rules = try self.load(sources, feeds: contributions, after: loaded, pin) {
            return rules
        }
        return try self.load(again: loaded, feeds: contributions)
    }

    /// Loads and validates the rules if the files have changed since the last load.
    ///
    /// The contributions of feeds must be the same as in the last load.
    ///
    /// - Returns: The rules, or `loaded` if the files are unchanged; `nil` if the files have
    ///   changed since the sighting.
    package func load(
        feeds contributions: [String: FeedContribution],
        unlessUnchanged loaded: LoadedRules,
        seen sighting: RulesSighting?
    ) throws(RulesFileErrors) -> LoadedRules? {
        let reading = Result { () throws(RulesFileErrors) in
            try RulesReader(path: self.path).read()
        }
        // The sighting is checked after reading, even if reading failed, so that the check covers
        // everything that was read.
        if let sighting, !sighting.holds(at: self.path) { return nil }
        let sources = try reading.get()
        guard sources != loaded.sources else {
            var loaded = loaded
            loaded.pin = nil
            return loaded
        }
        guard let pin = loaded.pin else {
            return try self.load(sources, feeds: contributions, after: loaded)
        }
        return try self.load(sources, feeds: contributions, after: loaded, pin) ?? loaded
    }

    /// Loads files while an undo is active; returns `nil` if the undo stays active.
    private func load(
        _ sources: [RulesSource],
        feeds contributions: [String: FeedContribution],
        after loaded: LoadedRules,
        _ pin: RulesPin
    ) throws(RulesFileErrors) -> LoadedRules? {
        guard !pin.holds(against: sources) else { return nil }
        let rules = try self.load(sources, feeds: contributions, after: loaded)
        guard let files = pin.files,
            let undone = try? self.load(kept: files.sources, feeds: contributions, after: loaded)
        else { return rules }
        let change = UndoneChange(from: loaded.definition, to: undone.definition)
        switch change.meaning(of: rules.definition) {
        case .same: return nil
        case .other: return rules
        case .repeated: throw pin.refusal(of: rules, instead: loaded)
        }
    }

    /// Reads the texts without validating them.
    package func texts() throws(RulesFileErrors) -> RulesTexts {
        RulesTexts(try RulesReader(path: self.path).read())
    }

    /// Returns the feeds in the files, even if other parts of the files are invalid.
    package func feeds() throws(RulesFileErrors) -> [FeedDefinition] {
        let sources = try RulesReader(path: self.path).read()
        let problems = Problems()
        let decoder = DocumentDecoder(feedKinds: self.feedKinds, problems: problems)
        let feeds = sources.compactMap { $0.parsed(problems) }.flatMap { decoder.feeds(of: $0) }
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: sources.map(\.name)))
        }
        return feeds
    }

    /// Joins the files of an earlier load with the current values of feeds.
    package func load(
        again loaded: LoadedRules,
        feeds contributions: [String: FeedContribution]
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(
            loaded.sources,
            feeds: contributions,
            after: loaded,
            runsTests: loaded.pin == nil,
            pin: loaded.pin
        )
    }

    /// Loads texts that were valid before; the tests have already passed and are not run again.
    package func load(
        kept sources: [(name: String, text: String)],
        feeds contributions: [String: FeedContribution],
        after loaded: LoadedRules? = nil,
        pin: RulesPin? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(
            sources.map { RulesSource(name: $0.name, text: $0.text) },
            feeds: contributions,
            after: loaded,
            runsTests: false,
            pin: pin
        )
    }

    private func load(
        _ sources: [RulesSource],
        feeds contributions: [String: FeedContribution],
        after loaded: LoadedRules?,
        runsTests: Bool = true,
        pin: RulesPin? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        var rules = try Self.load(
            sources,
            feedKinds: self.feedKinds,
            gate: self.gate,
            feeds: contributions,
            after: loaded,
            runsTests: runsTests,
            now: self.now
        )
        rules.pin = pin
        return rules
    }

    /// Loads proposed rules, in YAML or JSON.
    ///
    /// `now` returns the time for tests without `at`.
    ///
    /// - Returns: The rules, without findings.
    /// - Throws: `RulesFileErrors` with all errors, under the file name `candidate`.
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

    /// Loads and validates rules from memory; errors show the given names.
    package static func load(
        sources: [(name: String, text: String)],
        feedKinds: FeedKinds,
        after loaded: LoadedRules? = nil,
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        let sources = sources.map { RulesSource(name: $0.name, text: $0.text) }
        return try self.load(sources, feedKinds: feedKinds, after: loaded, now: now)
    }

    static func load(
        _ sources: [RulesSource],
        feedKinds: FeedKinds,
        gate: GateContext = .unknown,
        feeds contributions: [String: FeedContribution] = [:],
        after loaded: LoadedRules? = nil,
        runsTests: Bool = true,
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        // A value is skipped if it was fetched with a different entry with the same ID, or if an
        // older version of the gate interpreted it differently.
        try self.load(
            sources,
            feedKinds: feedKinds,
            gate: gate,
            after: loaded,
            runsTests: runsTests,
            contributions: { feeds in
                feeds.compactMap { feed in
                    contributions[feed.id].flatMap { $0.isValid(for: feed) ? (feed.id, $0) : nil }
                }
            },
            now: now
        )
    }

    /// Loads the rules that a gate has published in a file.
    ///
    /// The gate has already checked the rules, so their tests are not run.
    ///
    /// - Parameter loaded: The active rules, whose unchanged sources are not parsed again.
    /// - Returns: The rules, without findings.
    /// - Throws: `RulesFileErrors` with all errors.
    package func loadPublished(
        after loaded: LoadedRules? = nil
    ) throws(RulesFileErrors) -> LoadedRules {
        let published: PublishedRules
        do throws(RulesFileError) {
            published = try PublishedRules(path: self.path)
        } catch {
            throw RulesFileErrors(error)
        }
        return try Self.load(published, gate: self.gate, after: loaded, now: self.now)
    }

    static func load(
        _ published: PublishedRules,
        gate: GateContext,
        after loaded: LoadedRules?,
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(
            published.files,
            feedKinds: .skipped,
            gate: gate,
            after: loaded,
            runsTests: false,
            contributions: { _ in published.feeds.map { ($0.id, $0.contribution) } },
            adjust: { definition in
                // A revision computed here could differ from the published one: it depends on
                // which earlier values are still needed, and that changes over time.
                definition.revision = published.revision
                definition = definition.observing(Set(published.observed))
            },
            now: now
        )
    }

    private static func load(
        _ sources: [RulesSource],
        feedKinds: FeedKinds,
        gate: GateContext,
        after loaded: LoadedRules?,
        runsTests: Bool,
        contributions: ([FeedDefinition]) -> [(feed: String, contribution: FeedContribution)],
        adjust: (inout RuleSetDefinition) -> Void = { _ in },
        now: () -> Timestamp
    ) throws(RulesFileErrors) -> LoadedRules {
        let problems = Problems()
        let known = loaded?.parsed
        let files = sources.compactMap { self.document($0, feedKinds, problems, known) }
        let feeds = files.flatMap(\.feeds)
        let ofFeeds = FeedDocuments(contributions(feeds), feedKinds, problems, known, now)
        // A missing name may be in a file that could not be parsed.
        let isComplete = files.count == sources.count && ofFeeds.isComplete
        if isComplete {
            self.checkPresence(of: files, in: sources, problems)
        }
        let documents = files + ofFeeds.documents
        let names = (sources + ofFeeds.sources).map(\.name)
        let assembly = RuleSetAssembly(
            documents: documents,
            problems: problems,
            isComplete: isComplete
        )
        let beginning =
            loaded.flatMap { $0.sources == sources ? $0.beginning : nil }
            ?? Revision.Beginning(sources)
        let revision = Revision(of: beginning, and: ofFeeds.sources + ofFeeds.earlierSources)
        var definition = assembly.definition(revision: revision.text)
        adjust(&definition)
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: names), in: revision)
        }
        let ruleSet = RuleSet(definition)
        // Tests of rules with errors would only report consequences of those errors.
        let laxTests = runsTests ? assembly.runTests(of: ruleSet, now: now()) : []
        // A failed test must not block a rollback: a laxer result is an error only if no rules are
        // active.
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
            laxTests: laxTests,
            gate: gate
        )
    }

    /// Returns the document of a source; reports an error and returns `nil` if it cannot be parsed.
    static func document(
        _ source: RulesSource,
        _ feedKinds: FeedKinds,
        _ problems: Problems,
        _ known: ParsedSources?
    ) -> RulesDocument? {
        if let document = known?.document(source) { return document }
        return source.parsed(problems)
            .flatMap { DocumentDecoder(feedKinds: feedKinds, problems: problems).decode($0) }
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
            ? "there are no 'rules' for these tests; write 'rules: PATH' if they test the rules in "
                + "another file"
            : "there are no 'rules'; write 'rules: []' if this is intended"
        problems.report(message, at: Place(file: first.name))
    }
}
