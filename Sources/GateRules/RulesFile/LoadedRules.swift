package import GatePolicy

/// The rules of a file or folder and of its feeds, read whole, found to be right, and compiled.
package struct LoadedRules: Sendable {
    /// The rules as they judge.
    package var ruleSet: RuleSet
    /// The feeds that the file names, whether they have said something or not.
    package let feeds: [FeedDefinition]
    let places: RulesPlaces
    /// The files themselves, to be joined with what feeds will say.
    let sources: [RulesSource]
    /// The files, hashed for the next revision.
    let beginning: Revision.Beginning
    /// Every source as it was understood, so that it is not parsed again until it changes.
    let parsed: ParsedSources
    /// The earlier values of feeds that are still in force, by the ids of the feeds.
    package let earlier: [String: [FeedValue]]
    /// The share of clients that these rules may newly refuse, when they take the place of others.
    var guardLimit = GuardLimit.standard
    /// When these rules are to observe once they are in force.
    package var breaker = BreakerSettings.standard
    /// The failures of tests that want somebody refused who passes, where that is no error.
    let laxTests: [RulesFileError]
    /// The findings on these rules, beside those that were in force when they were loaded.
    package internal(set) var findings = RulesFindings.none
    /// The undo by which they stand in force although the files say something else.
    package internal(set) var pin: RulesPin?

    package var definition: RuleSetDefinition { self.ruleSet.definition }

    /// The ids of the rules that a feed states at the moment, in their order.
    package func rules(ofFeed feed: String) -> [String] {
        self.definition.rules.map(\.id).filter { id in
            self.places.rules[id].flatMap { FeedDocuments.feed(ofFile: $0.id.file) } == feed
        }
    }

    /// The files, by the names that messages call them by.
    package var files: [String] { self.sources.map(\.name) }

    /// The place of a rule as `file:line:col`, and the feed if it is one that states it.
    package func origin(ofRule id: String) -> (place: String, feed: String?)? {
        self.places.rules[id].map { rule in
            ("\(rule.id)", FeedDocuments.feed(ofFile: rule.id.file))
        }
    }

    /// Names the files alone: rules that differ in what feeds say have the same.
    package var filesRevision: String { self.beginning.text }

    /// Whether these rules were made of exactly these texts.
    package func isMade(of texts: RulesTexts) -> Bool {
        self.sources.elementsEqual(texts.sources) { source, text in
            source.name == text.name && source.bytes == Array(text.text.utf8)
        }
    }
}

/// Texts of rules as they were read, under the names by which messages call them.
package struct RulesTexts: Sendable, Equatable {
    package let sources: [(name: String, text: String)]

    package static func == (left: RulesTexts, right: RulesTexts) -> Bool {
        left.sources.elementsEqual(right.sources) { $0 == $1 }
    }
}

extension RulesTexts {
    package init(_ rules: LoadedRules) {
        self.init(rules.sources)
    }

    init(_ sources: [RulesSource]) {
        self.init(
            sources: sources.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) }
        )
    }
}

extension RulesTexts: Codable {
    private struct Source: Codable {
        var name: String
        var text: String
    }

    package init(from decoder: any Decoder) throws {
        self.init(sources: try [Source](from: decoder).map { ($0.name, $0.text) })
    }

    package func encode(to encoder: any Encoder) throws {
        try self.sources.map { Source(name: $0.name, text: $0.text) }.encode(to: encoder)
    }
}

/// An undo: rules of before stand in force until the files say something else than what was undone.
///
/// It outlives signals and restarts. The same texts, written once more, do not end it: whoever rolls
/// files out again and again would take the undo back without meaning to.
package struct RulesPin: Sendable, Equatable, Codable {
    /// The texts that do not end it, by the revisions of the files alone.
    package let undone: [String]
    /// When it was made, in seconds since 1970.
    package let time: Int64
    /// The name of the operator's token; `nil` where nobody has a name.
    package let name: String?

    package init(undone: [String], time: Int64, name: String?) {
        self.undone = undone
        self.time = time
        self.name = name
    }

    /// Whether it goes on while the files say this.
    func holds(against sources: [RulesSource]) -> Bool {
        self.undone.contains(Revision(of: sources).text)
    }
}

/// Sources and what they say, by their names: only those in which nothing was wrong.
struct ParsedSources: Sendable {
    private var documents: [String: (source: RulesSource, document: RulesDocument)] = [:]

    /// The content of a source, if it was read before and has not changed.
    func document(_ source: RulesSource) -> RulesDocument? {
        guard let known = self.documents[source.name], known.source == source else { return nil }
        return known.document
    }

    /// What feeds say at the moment, in the order of their names.
    var ofFeeds: [RulesSource] {
        self.documents.values.map(\.source)
            .filter { FeedDocuments.isCurrent($0.name) }
            .sorted { $0.name < $1.name }
    }

    init(_ sources: [RulesSource], _ documents: [RulesDocument]) {
        for (source, document) in zip(sources, documents) {
            self.documents[source.name] = (source, document)
        }
    }
}

/// Everything that is to be said of rules that can be read: alone, and beside those in force.
package struct RulesFindings: Sendable, Equatable {
    /// All findings, in the order of the files and places.
    package let all: [Finding]

    /// The findings that keep the rules from being loaded.
    package var refusals: [Finding] { self.all.filter { $0.effect == .refuses } }
    package var warnings: [Finding] { self.all.filter { $0.effect == .warns } }
    package var notes: [Finding] { self.all.filter { $0.effect == .notes } }

    static let none = RulesFindings(all: [])

    init(all: [Finding]) {
        self.all = all
    }
}
