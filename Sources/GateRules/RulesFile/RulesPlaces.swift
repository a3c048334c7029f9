internal import GatePolicy

/// The locations of rules and notices in their files, for findings on valid rules.
package struct RulesPlaces: Sendable {
    /// The locations of a rule.
    struct Rule: Sendable {
        let id: Place
        let keys: [String: Place]
        /// The locations of the keys of each `next`.
        var nextKeys: [[String: Place]] = []
        /// The findings that the rule accepts.
        var accepted: [Located<FindingName>] = []
        /// The build metadata in the versions of the rule.
        var metadata: [Located<StatedMetadata>] = []

        /// Returns the locations of a `next`; for an earlier floor of a feed, the locations of its rule.
        func next(_ index: Int) -> Rule {
            let keys = self.nextKeys.indices.contains(index) ? self.nextKeys[index] : [:]
            return Rule(id: self.place(of: "next"), keys: keys)
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

    /// The start of the first file, for findings without a location of their own.
    var beginning: Place { Place(file: self.files.first ?? "rules") }

    init(_ documents: [RulesDocument], files: [String]) {
        self.files = files
        self.rules = Dictionary(
            firstOf: documents.flatMap { $0.rules ?? [] }.map { ($0.value.id, $0.places) }
        )
        let notices = documents.flatMap(\.notices).map(\.name)
        self.notices = Dictionary(firstOf: notices.map { ($0.value, $0.place) })
        self.unidentifiedPaths = documents.lazy.compactMap(\.unidentified).first?.paths ?? []
        self.releases = documents.flatMap(\.releases).map(\.place)
        self.metadataOfReleases = documents.flatMap(\.metadataOfReleases)
        self.mode = documents.lazy.compactMap { $0.settings["mode"] }.first
        self.identity = documents.lazy.compactMap { $0.settings["identity"] }.first
        self.unidentified = documents.lazy.compactMap { $0.settings["unidentified"] }.first
    }
}
