internal import GatePolicy

/// Reads a feed of the kind `firebaseDatabase`.
struct FirebaseDatabaseDecoder: FeedSourceDecoder {
    let keys = [
        "database", "path", "secret", "stream", "redirectsTo", "holds", "language", "fields",
        "rule",
    ]
    let usualInterval: Int64 = 60

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let database = fields.required("database", of: "a feed")
            .flatMap { $0.address(problems) }
        let path = fields["path"].map { self.path($0, problems) } ?? []
        let secret = fields["secret"].map { $0.secret(problems) }
        let hosts = fields["redirectsTo"].map { $0.hosts(problems) } ?? []
        let content = self.content(fields, problems)
        guard let database, let path,
            let url = database.appending(components: path, suffix: ".json")
        else {
            return nil
        }
        return FirebaseDatabaseFeed(
            url: url,
            secret: secret.flatMap(\.self),
            streams: fields["stream"].flatMap { $0.truth(problems) } ?? true,
            redirects: RedirectRule(trustedHosts: FirebaseDatabaseFeed.hosts + hosts),
            content: content
        )
    }

    /// The names on the way to the value.
    private func path(_ element: Element, _ problems: Problems) -> [String]? {
        guard let text = element.text("a path", problems) else { return nil }
        let names = text.split(separator: "/").map(String.init)
        // What a key of the database cannot hold.
        let forbidden = names.contains { $0.contains { ".$#[]?".contains($0) } }
        guard text.hasPrefix("/"), !forbidden else {
            let message = "'\(text)' is not a path of the database such as '/app/version'"
            problems.report(message, at: element.place)
            return nil
        }
        return names
    }

    private func content(
        _ fields: Fields,
        _ problems: Problems
    ) -> FirebaseDatabaseContent {
        let holds =
            fields["holds"]
            .flatMap { $0.choice(of: FirebaseDatabaseContent.Kind.self, problems) } ?? .version
        if holds == .rules {
            for key in ["language", "fields", "rule"] {
                guard let place = fields.place(of: key) else { continue }
                problems.report("'\(key)' says nothing beside 'holds: rules'", at: place)
            }
        }
        let language = fields["language"].map { $0.language(problems) }
        return FirebaseDatabaseContent(
            kind: holds,
            language: language.flatMap(\.self) ?? .english,
            names: FieldNames(fields["fields"], known: FirebaseDatabaseContent.fields, problems),
            rule: fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty
        )
    }
}
