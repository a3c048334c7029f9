internal import GatePolicy

/// Reads a feed of the kind `appStore`.
struct AppStoreDecoder: FeedSourceDecoder {
    /// The App Store answers some twenty questions a minute.
    private static let maximumCountries = 20

    let keys = ["trackId", "bundleId", "countries", "app", "platform", "channel", "url"]
    let usualInterval: Int64 = 900
    let webhook: FeedWebhook.Form? = nil

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let query = self.query(fields, problems)
        let countries = fields.required("countries", of: "a feed").map { element in
            CountryDecoder(problems: problems).codes(element)
        }
        if let countries, countries.count > Self.maximumCountries, let element = fields["countries"]
        {
            let message = "the App Store answers for at most \(Self.maximumCountries) countries"
            problems.report(message, at: element.place)
        }
        let app = fields["app"].flatMap { $0.text("an app identifier", problems) }
        let platform = fields["platform"].flatMap { $0.text("a platform", problems) }
        let channel = fields["channel"].flatMap { $0.text("a channel", problems) }
        let url = fields["url"].map { $0.address(problems) } ?? AppStoreFeed.address
        guard let query, let countries, let url else { return nil }
        return AppStoreFeed(
            url: url,
            query: query,
            countries: countries,
            store: StoreKeys(app: app, platform: platform ?? "ios", channel: channel)
        )
    }

    /// `trackId` or `bundleId`, whichever is there.
    private func query(_ fields: Fields, _ problems: Problems) -> AppStoreFeed.Query? {
        switch (fields["trackId"], fields["bundleId"]) {
        case (let element?, nil):
            return element.wholeNumber("the number in the app's link", problems)
                .map { AppStoreFeed.Query(name: "id", value: "\($0)") }
        case (nil, let element?):
            return element.text("a bundle identifier", problems)
                .map { AppStoreFeed.Query(name: "bundleId", value: $0) }
        case (nil, nil), (_?, _?):
            problems.report(
                "an App Store feed needs either 'trackId' or 'bundleId'",
                at: fields.place
            )
            return nil
        }
    }
}
