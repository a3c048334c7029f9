internal import GatePolicy
internal import GateRules

/// Decodes a feed of the kind `appStore`.
struct AppStoreDecoder: FeedSourceDecoder {
    /// The maximum number of countries; the App Store allows about 20 requests per minute.
    private static let maximumCountries = 20

    let keys = ["trackId", "bundleId", "countries", "app", "platform", "channel", "url"]
    let usualInterval: Int64 = 900
    let webhook: FeedWebhook.Form? = nil

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let subject = AppStoreApp(fields, of: "an App Store feed", problems)
        let countries = fields.required("countries", of: "a feed").map { element in
            CountryDecoder(problems: problems).codes(element)
        }
        if let countries, countries.count > Self.maximumCountries, let element = fields["countries"]
        {
            let message = "an App Store feed supports at most \(Self.maximumCountries) countries"
            problems.report(message, at: element.place)
        }
        let app = fields["app"].flatMap { $0.text("an app identifier", problems) }
        let platforms = AppStoreQuestion.platforms
        let platform =
            fields["platform"].map {
                $0.platform(of: "the App Store", among: platforms, problems)
            } ?? .ios
        let channel = fields["channel"].flatMap { $0.text("a channel", problems) }
        let url = fields["url"].map { $0.address(problems) } ?? AppStoreFeed.address
        guard let subject, let countries, let platform, let url else { return nil }
        return AppStoreFeed(
            url: url,
            question: AppStoreQuestion(app: subject, platform: platform),
            countries: countries,
            store: StoreKeys(app: app, platform: platform.name, channel: channel)
        )
    }
}
