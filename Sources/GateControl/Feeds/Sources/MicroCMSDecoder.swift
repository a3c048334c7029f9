internal import GatePolicy

/// Reads a feed of the kind `microcms`.
struct MicroCMSDecoder: FeedSourceDecoder {
    let keys = [
        "service", "endpoint", "url", "key", "language", "fields", "rule",
    ]
    let usualInterval: Int64 = 60
    let webhook: FeedWebhook.Form? = .microCMS

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let url = self.url(fields, problems)
        let key = fields.required("key", of: "a microCMS feed").flatMap { $0.secret(problems) }
        let language = fields["language"].map { $0.language(problems) }
        let names = FieldNames(fields["fields"], known: MicroCMSFeed.fields.map(\.name), problems)
        let rule = fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty
        guard let url, let key else { return nil }
        return MicroCMSFeed(
            url: url,
            key: key,
            language: language.flatMap(\.self) ?? .english,
            names: names,
            rule: rule
        )
    }

    /// Either `url` as it is, or the address of an endpoint of a service.
    private func url(_ fields: Fields, _ problems: Problems) -> FetchURL? {
        if let url = fields["url"] {
            for key in ["service", "endpoint"] {
                guard let place = fields.place(of: key) else { continue }
                problems.report("'\(key)' says nothing beside 'url'", at: place)
            }
            return url.address(problems)
        }
        let service = fields.required("service", of: "a microCMS feed")
            .flatMap { self.name($0, "a service", "my-shop", problems) }
        let endpoint = fields.required("endpoint", of: "a microCMS feed")
            .flatMap { self.name($0, "an endpoint", "app-version", problems) }
        guard let service, let endpoint else { return nil }
        return try? FetchURL(parsing: "https://\(service).microcms.io/api/v1/\(endpoint)")
    }

    private func name(
        _ element: Element,
        _ noun: String,
        _ example: String,
        _ problems: Problems
    ) -> String? {
        guard let text = element.text(noun, problems) else { return nil }
        if text.wholeMatch(of: /[A-Za-z0-9_\-]+/) != nil { return text }
        let message = "'\(text)' is not \(noun) of microCMS such as '\(example)'"
        problems.report(message, at: element.place)
        return nil
    }
}
