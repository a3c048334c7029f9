internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Decodes a feed of the kind `microcms`.
struct MicroCMSDecoder: FeedSourceDecoder {
    let keys = [
        "service", "endpoint", "url", "key", "language", "fields", "rule",
    ]
    let usualInterval: Int64 = 60
    let webhook: FeedWebhook.Form? = .microCMS

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let url = self.url(fields, problems)
        let key = fields.required("key", of: "a microCMS feed").flatMap { $0.secret(problems) }
        let language = fields["language"].flatMap { $0.language(problems) } ?? .english
        let names = FieldNames(
            fields["fields"],
            known: MicroCMSFeed.known,
            localized: MicroCMSFeed.localized,
            problems
        )
        let rule = fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty
        guard let url, let key else { return nil }
        return MicroCMSFeed(
            url: url,
            endpoint: self.endpoint(fields),
            key: key,
            language: language,
            names: names,
            rule: rule
        )
    }

    private func endpoint(_ fields: Fields) -> String {
        guard case .text(let name)? = fields["endpoint"]?.content else { return "" }
        return name
    }

    /// Returns the URL in `url`, or the URL of a service's endpoint.
    private func url(_ fields: Fields, _ problems: Problems) -> FetchURL? {
        if let url = fields["url"] {
            for key in ["service", "endpoint"] {
                fields.refuse(key, "has no effect together with 'url'")
            }
            return url.address(problems)
        }
        let service = fields.required("service", of: "a microCMS feed").flatMap {
            $0.name("a microCMS service", suchAs: "my-shop", marks: "_-", problems)
        }
        let endpoint = fields.required("endpoint", of: "a microCMS feed").flatMap {
            $0.name("a microCMS endpoint", suchAs: "app-version", marks: "_-", problems)
        }
        guard let service, let endpoint else { return nil }
        return try? FetchURL(parsing: "https://\(service).microcms.io/api/v1/\(endpoint)")
    }
}
