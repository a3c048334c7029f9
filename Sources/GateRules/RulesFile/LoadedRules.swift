package import GatePolicy

/// The rules from a file or folder and its feeds: completely read, validated and compiled.
package struct LoadedRules: Sendable {
    /// The compiled rules.
    package var ruleSet: RuleSet
    /// The feeds in the files, with or without a value.
    package let feeds: [FeedDefinition]
    let places: RulesPlaces
    /// The files, to merge with later feed values.
    let sources: [RulesSource]
    /// The hash of the files, for the next revision.
    let beginning: Revision.Beginning
    /// The parsed sources, so that a source is parsed again only if it changes.
    let parsed: ParsedSources
    /// The earlier feed values whose floors are still active, by feed ID.
    package let earlier: [String: [FeedValue]]
    /// The maximum share of clients that these rules may newly deny when they replace other rules.
    var guardLimit = GuardLimit.standard
    /// The circuit breaker settings for these rules.
    package var breaker = BreakerSettings.standard
    /// The failures of tests that expect a denial of a client that passes; empty if such failures
    /// are treated as errors.
    let laxTests: [RulesFileError]
    /// The facts about the gate that uses the rules.
    package var gate = GateContext.unknown
    /// The findings on these rules, and on the change from the rules that were active before.
    package internal(set) var findings = RulesFindings.none
    /// The undo that made these rules active, if they differ from the files.
    package internal(set) var pin: RulesPin?

    package var definition: RuleSetDefinition { self.ruleSet.definition }

    /// Returns the IDs of the rules that a feed currently provides, in order.
    package func rules(ofFeed feed: String) -> [String] {
        self.definition.rules.map(\.id).filter { id in
            self.places.rules[id].flatMap { FeedDocuments.feed(ofFile: $0.id.file) } == feed
        }
    }

    /// The names of the files, as in messages.
    package var files: [String] { self.sources.map(\.name) }

    /// Returns the location of a rule as `file:line:col`, and the feed if one provides the rule.
    package func origin(ofRule id: String) -> (place: String, feed: String?)? {
        self.places.rules[id].map { rule in
            ("\(rule.id)", FeedDocuments.feed(ofFile: rule.id.file))
        }
    }

    /// The revision of the files alone: rules that differ only in feed values share it.
    package var filesRevision: String { self.beginning.text }
}

/// The text of each rules file, with its name as in messages.
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

    var asSources: [RulesSource] {
        self.sources.map { RulesSource(name: $0.name, text: $0.text) }
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

/// Sources without errors and their parsed documents, by name.
struct ParsedSources: Sendable {
    private var documents: [String: (source: RulesSource, document: RulesDocument)] = [:]

    /// Returns the document of a source that was parsed before and has not changed.
    func document(_ source: RulesSource) -> RulesDocument? {
        guard let known = self.documents[source.name], known.source == source else { return nil }
        return known.document
    }

    /// The current values of feeds, sorted by name.
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

/// The findings on valid rules and on the change from the active rules.
package struct RulesFindings: Sendable, Equatable {
    /// All findings, in the order of the files and locations.
    package let all: [Finding]

    /// The findings that prevent the rules from being loaded.
    package var refusals: [Finding] { self.all.filter { $0.effect == .refuses } }
    package var warnings: [Finding] { self.all.filter { $0.effect == .warns } }

    static let none = RulesFindings(all: [])
}

/// The facts about a gate that its rules depend on.
package struct GateContext: Sendable, Equatable {
    /// The names of the backends that routes can select; `nil` if they are not known.
    package var backends: [String]?
    /// Whether gateways request decisions from the gate.
    package var servesGateways: Bool

    /// The facts to assume if the gate is unknown.
    package static let unknown = GateContext()

    package init(backends: [String]? = nil, servesGateways: Bool = false) {
        self.backends = backends
        self.servesGateways = servesGateways
    }
}
