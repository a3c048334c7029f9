internal import GatePolicy
internal import GateRules

/// Reads what an entry says of an object: `holds`, and how the object is understood.
extension ValueObject {
    static let keys = ["holds", "language", "fields", "rule"]

    /// Reads these keys of a feed.
    ///
    /// - Parameters:
    ///   - fields: The entry of the feed.
    ///   - usual: What the source holds if the entry does not say it.
    ///   - problems: The list that takes what is wrong.
    init(_ fields: Fields, usually usual: Kind, _ problems: Problems) {
        let kind = fields["holds"].flatMap { $0.choice(of: Kind.self, problems) } ?? usual
        if kind == .rules {
            for key in Self.keys.dropFirst() {
                guard let place = fields.place(of: key) else { continue }
                let reason =
                    fields["holds"] == nil ? "without 'holds: version'" : "beside 'holds: rules'"
                problems.report("'\(key)' says nothing \(reason)", at: place)
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
