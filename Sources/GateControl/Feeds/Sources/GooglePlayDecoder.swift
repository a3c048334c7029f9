internal import GatePolicy

/// Reads a feed of the kind `googlePlay`.
struct GooglePlayDecoder: FeedSourceDecoder {
    let keys = [
        "package", "track", "method", "serviceAccount", "app", "platform", "channel", "url",
    ]
    let usualInterval: Int64 = 900

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let package = fields.required("package", of: "a feed")
            .flatMap { self.name($0, "a package name", "com.example.shop", problems) }
        let track =
            fields["track"].map { self.name($0, "a track", "production", problems) }
            ?? "production"
        let account = fields.required("serviceAccount", of: "a feed")
            .flatMap { $0.googleIdentity(problems) }
        let method =
            fields["method"]
            .flatMap { $0.choice(of: GooglePlayFeed.Method.self, problems) } ?? .releases
        let app = fields["app"].flatMap { $0.text("an app identifier", problems) }
        let platform = fields["platform"].flatMap { $0.text("a platform", problems) }
        let channel = fields["channel"].flatMap { $0.text("a channel", problems) }
        let base =
            fields["url"].map { $0.address(problems) }
            ?? (try? FetchURL(parsing: "https://androidpublisher.googleapis.com"))
        guard let package, let track, let account,
            let url = base?.appending(
                components: ["androidpublisher", "v3", "applications", package]
            )
        else { return nil }
        return GooglePlayFeed(
            url: url,
            method: method,
            tokens: AccessTokens(account, scopes: GooglePlayFeed.scopes),
            package: package,
            track: track,
            shelf: StoreShelfKeys(app: app, platform: platform ?? "android", channel: channel)
        )
    }

    private func name(
        _ element: Element,
        _ noun: String,
        _ example: String,
        _ problems: Problems
    ) -> String? {
        guard let text = element.text(noun, problems) else { return nil }
        if text.wholeMatch(of: /[A-Za-z0-9_.:\-]+/) != nil { return text }
        let message = "'\(text)' is not \(noun) of Google Play such as '\(example)'"
        problems.report(message, at: element.place)
        return nil
    }
}
