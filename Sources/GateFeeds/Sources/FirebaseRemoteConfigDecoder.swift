internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Decodes a feed of the kind `firebaseRemoteConfig`.
struct FirebaseRemoteConfigDecoder: FeedSourceDecoder {
    let keys = [
        "project", "url", "serviceAccount", "system", "appId", "language", "fields", "rule",
    ]
    let usualInterval: Int64 = 60

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let project = fields.required("project", of: "a feed").flatMap {
            $0.name("a project id", suchAs: "my-shop-1a2b3", marks: "-", problems)
        }
        let account = fields.required("serviceAccount", of: "a feed")
            .flatMap { $0.googleIdentity(problems) }
        let system = fields.required("system", of: "a feed")
            .flatMap { $0.choice(of: FirebaseRemoteConfigFeed.System.self, problems) }
        let app = fields["appId"].flatMap { $0.text("a Firebase app id", problems) }
        let language = fields["language"].flatMap { $0.language(problems) } ?? .english
        let names = FieldNames(
            fields["fields"],
            known: FirebaseRemoteConfigFeed.known,
            localized: FirebaseRemoteConfigFeed.localized,
            usual: Dictionary(uniqueKeysWithValues: FirebaseRemoteConfigFeed.parameters),
            problems
        )
        let rule = (fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty)
            .matching(system.map { [Platform($0.rawValue)] } ?? [])
        let base =
            fields["url"].map { $0.address(problems) }
            ?? (try? FetchURL(parsing: "https://firebaseremoteconfig.googleapis.com"))
        guard let project, let account, let system,
            let url = base?.appending(components: ["v1", "projects", project, "remoteConfig"])
        else { return nil }
        return FirebaseRemoteConfigFeed(
            url: url,
            tokens: AccessTokens(account, scopes: FirebaseRemoteConfigFeed.scopes),
            system: system,
            app: app,
            language: language,
            names: names,
            rule: rule
        )
    }
}
