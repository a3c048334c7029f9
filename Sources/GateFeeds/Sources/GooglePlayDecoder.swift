internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Decodes a feed of the kind `googlePlay`.
struct GooglePlayDecoder: FeedSourceDecoder {
    let keys = [
        "package", "track", "method", "serviceAccount", "app", "platform", "channel", "url",
    ]
    let usualInterval: Int64 = 900

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let marks = "_.:-"
        let package = fields.required("package", of: "a feed").flatMap {
            $0.name("a Google Play package", suchAs: "com.example.shop", marks: marks, problems)
        }
        let track =
            fields["track"].map {
                $0.name("a Google Play track", suchAs: "production", marks: marks, problems)
            } ?? GooglePlayFeed.production
        let account = fields.required("serviceAccount", of: "a feed")
            .flatMap { $0.googleIdentity(problems) }
        let method = fields.choice("method", of: GooglePlayFeed.Method.self) ?? .releases
        let app = fields["app"].flatMap { $0.text("an app identifier", problems) }
        let platform = fields["platform"].map { self.platform($0, problems) } ?? .android
        self.checkDevices(of: track, fields, problems)
        let channel = fields["channel"].flatMap { $0.text("a channel", problems) }
        let base =
            fields["url"].map { $0.address(problems) }
            ?? (try? FetchURL(parsing: "https://androidpublisher.googleapis.com"))
        guard let package, let track, let account, let platform,
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
            store: StoreKeys(app: app, platform: platform.name, channel: channel)
        )
    }

    private func platform(_ element: Element, _ problems: Problems) -> Platform? {
        guard let platform = element.text("a platform", problems).map({ Platform($0) }) else {
            return nil
        }
        guard AppStoreQuestion.platforms.contains(platform) else { return platform }
        return problems.reject("Google Play has no apps for '\(platform)'", at: element.place)
    }

    /// Requires `platform`, `app` or `channel` for a track such as `wear:production`, which is not
    /// for phones.
    ///
    /// https://developers.google.com/android-publisher/tracks#ff-track-name
    private func checkDevices(of track: String?, _ fields: Fields, _ problems: Problems) {
        guard let track, track.contains(":"), let element = fields["track"],
            fields["platform"] == nil, fields["app"] == nil, fields["channel"] == nil
        else { return }
        let message =
            "the track '\(track)' is not for phones: set 'platform', 'app' or 'channel' to "
            + "match the clients that get their updates from it"
        problems.report(message, at: element.place)
    }
}
