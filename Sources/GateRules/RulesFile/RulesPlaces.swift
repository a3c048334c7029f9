internal import GatePolicy

/// The locations of rules and notices in their files, for findings on valid rules.
package struct RulesPlaces: Sendable {
    /// The locations of a rule.
    struct Rule: Sendable {
        let id: Place
        let keys: [String: Place]
        /// The locations of the keys of each `next`.
        private let nextKeys: [[String: Place]]
        /// The findings that the rule accepts.
        let accepted: [Located<FindingName>]
        /// The build metadata in the versions of the rule.
        let metadata: [Located<StatedMetadata>]

        init(_ rule: RulesDocument.Rule) {
            self.id = rule.place
            self.keys = rule.keys
            self.nextKeys = rule.next
            self.accepted = rule.accepted
            self.metadata = rule.metadata
        }

        private init(next keys: [String: Place], of rule: Rule) {
            self.id = rule.place(of: "next")
            self.keys = keys
            self.nextKeys = []
            self.accepted = []
            self.metadata = []
        }

        /// Returns the locations of a `next`; for an earlier floor of a feed, those of its rule.
        func next(_ index: Int) -> Rule {
            Rule(next: self.nextKeys.indices.contains(index) ? self.nextKeys[index] : [:], of: self)
        }

        /// Returns the location of a key, or of the rule's ID if the key is missing.
        func place(of key: String) -> Place { self.keys[key] ?? self.id }
    }

    /// The files in the order in which they were read.
    let files: [String]
    /// The locations of rules by ID.
    let rules: [String: Rule]
    /// The locations of notices by name.
    let notices: [String: Place]
    /// The location of the top-level key `mode`.
    let mode: Place?
    let identity: Place?
    /// The location of the key `unidentified`.
    let unidentified: Place?
    /// The locations of the paths in `unidentified`; paths of the same entry share a location.
    let unidentifiedPaths: [Place]
    /// The locations of the releases, in their order.
    let releases: [Place]
    let metadataOfReleases: [Located<StatedMetadata>]

    init(_ documents: [RulesDocument], files: [String]) {
        self.files = files
        self.rules = Dictionary(
            documents.flatMap { $0.rules ?? [] }.map { rule in
                (rule.value.id, Rule(rule))
            },
            uniquingKeysWith: { first, _ in first }
        )
        self.notices = Dictionary(
            documents.flatMap(\.notices).map { ($0.name.value, $0.name.place) },
            uniquingKeysWith: { first, _ in first }
        )
        self.unidentifiedPaths = documents.lazy.compactMap(\.unidentified).first?.paths ?? []
        self.releases = documents.flatMap(\.releases).map(\.place)
        self.metadataOfReleases = documents.flatMap(\.metadataOfReleases)
        self.mode = documents.lazy.compactMap { $0.settings["mode"] }.first
        self.identity = documents.lazy.compactMap { $0.settings["identity"] }.first
        self.unidentified = documents.lazy.compactMap { $0.settings["unidentified"] }.first
    }
}
