internal import GateRules
internal import GateSystem

/// Decodes a feed of the kind `firebaseDatabase`.
struct FirebaseDatabaseDecoder: FeedSourceDecoder {
    let keys =
        [
            "database", "path", "secret", "serviceAccount", "stream", "redirectsTo",
        ] + ValueObject.keys
    let usualInterval: Int64 = 60
    let webhook: FeedWebhook.Form? = nil

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let database = fields.required("database", of: "a feed")
            .flatMap { $0.address(problems) }
        let path = fields["path"].map { self.path($0, problems) } ?? []
        let reader = self.reader(fields, problems)
        let hosts = fields["redirectsTo"].map { $0.hosts(problems) } ?? []
        let content = ValueObject(fields, usually: .version, problems)
        guard let database, let path,
            let url = database.appending(components: path, suffix: ".json")
        else {
            return nil
        }
        return FirebaseDatabaseFeed(
            url: url,
            path: path,
            reader: reader,
            streams: fields["stream"].flatMap { $0.truth(problems) } ?? true,
            redirects: RedirectRule(trustedHosts: FirebaseDatabaseFeed.hosts + hosts),
            content: content
        )
    }

    private func reader(
        _ fields: Fields,
        _ problems: Problems
    ) -> FirebaseDatabaseFeed.Reader {
        let secret = fields["secret"].flatMap { $0.secret(problems) }
        let account = fields["serviceAccount"].flatMap { $0.googleIdentity(problems) }
        if fields["secret"] != nil {
            fields.refuse("serviceAccount", "cannot be combined with 'secret'")
        }
        if let account {
            return .account(AccessTokens(account, scopes: FirebaseDatabaseFeed.scopes))
        }
        return secret.map { .secret($0) } ?? .anybody
    }

    /// Decodes the path to the value.
    private func path(_ element: Element, _ problems: Problems) -> [String]? {
        guard let text = element.text("a path", problems) else { return nil }
        let names = text.split(separator: "/").map(String.init)
        // A database key cannot contain these characters.
        let forbidden = names.contains { $0.contains { ".$#[]?".contains($0) } }
        guard text.hasPrefix("/"), !forbidden else {
            let message = "'\(text)' is not a database path such as '/app/version'"
            return problems.reject(message, at: element.place)
        }
        return names
    }
}
