internal import GatePolicy

/// Where rules and notices stand in their files, for what is said of rules that are right.
package struct RulesPlaces: Sendable, Equatable {
    /// Where one rule stands.
    struct Rule: Sendable, Equatable {
        let id: Place
        let keys: [String: Place]

        /// The place of a key, or of the rule's id if it does not have the key.
        func place(of key: String) -> Place { self.keys[key] ?? self.id }
    }

    /// The files in the order in which they were read.
    let files: [String]
    /// By the id of the rule.
    let rules: [String: Rule]
    /// By the name of the notice.
    let notices: [String: Place]
    /// The key `unidentified`.
    let unidentified: Place?
    /// Every path of the policy on unidentified clients; those of one entry share its place.
    let unidentifiedPaths: [Place]
    /// The releases, in their order.
    let releases: [Place]

    init(_ documents: [RulesDocument], files: [String]) {
        self.files = files
        self.rules = Dictionary(
            documents.flatMap { $0.rules ?? [] }.map { rule in
                (rule.value.id, Rule(id: rule.place, keys: rule.keys))
            },
            uniquingKeysWith: { first, _ in first }
        )
        self.notices = Dictionary(
            documents.flatMap(\.notices).map { ($0.name.value, $0.name.place) },
            uniquingKeysWith: { first, _ in first }
        )
        self.unidentifiedPaths = documents.lazy.compactMap(\.unidentified).first?.paths ?? []
        self.releases = documents.flatMap(\.releases).map(\.place)
        self.unidentified = documents.lazy.compactMap { $0.settings["unidentified"] }.first
    }
}
