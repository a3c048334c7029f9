internal import GatePolicy
internal import GateRules

/// Decodes the keys that describe the content of a source: `holds`, and the keys for the
/// interpretation of an object.
extension ValueObject {
    static let keys = ["holds", "language", "fields", "rule"]

    /// Decodes these keys of a feed.
    ///
    /// - Parameters:
    ///   - fields: The entry of the feed.
    ///   - usual: The default for `holds`.
    ///   - problems: The list to which problems are added.
    init(_ fields: Fields, usually usual: Kind, _ problems: Problems) {
        let kind = fields["holds"].flatMap { $0.choice(of: Kind.self, problems) } ?? usual
        if kind == .rules {
            for key in Self.keys.dropFirst() {
                guard let place = fields.place(of: key) else { continue }
                let reason =
                    fields["holds"] == nil ? "without 'holds: version'" : "with 'holds: rules'"
                problems.report("'\(key)' has no effect \(reason)", at: place)
            }
        }
        let language = fields["language"].map { $0.language(problems) }
        self.init(
            kind: kind,
            language: language.flatMap(\.self) ?? .english,
            names: FieldNames(
                fields["fields"],
                known: Self.known,
                localized: Self.localized,
                problems
            ),
            rule: fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty
        )
    }
}
