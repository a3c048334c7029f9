internal import GatePolicy
internal import GateRules

/// Decodes a feed of the kind `appStoreConnect`.
struct AppStoreConnectDecoder: FeedSourceDecoder {
    let keys = [
        "trackId", "bundleId", "issuer", "keyId", "key", "app", "platform", "builds", "ask",
        "words", "storeUrl", "rule", "url",
    ]
    let usualInterval: Int64 = 600
    let webhook: FeedWebhook.Form? = .apple

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let noun = "an App Store Connect feed"
        let app = AppStoreApp(fields, of: noun, problems)
        let id = fields.required("keyId", of: noun).flatMap { $0.text("a key id", problems) }
        let secret = fields.required("key", of: noun).flatMap { $0.secret(problems) }
        let issuer = fields["issuer"].flatMap { $0.text("an issuer", problems) }
        let platforms = AppStoreConnectFeed.platforms.keys.sorted { $0.name < $1.name }
        let platform =
            fields["platform"].map {
                $0.platform(of: "App Store Connect", among: platforms, problems)
            } ?? .ios
        let readiness = fields.choice("builds", of: ConnectReadiness.self) ?? .testing
        let url = fields["url"].map { $0.address(problems) } ?? AppStoreConnectFeed.address
        let target = self.target(fields, app, platform, problems)
        guard let app, let id, let secret, let url, let target else { return nil }
        return AppStoreConnectFeed(
            url: url,
            app: app,
            key: ConnectKey(id: id, issuer: issuer, secret: secret),
            readiness: readiness,
            target: target
        )
    }

    private func target(
        _ fields: Fields,
        _ app: AppStoreApp?,
        _ platform: Platform?,
        _ problems: Problems
    ) -> ConnectFacts.Target? {
        let name = fields["app"].flatMap { $0.text("an app identifier", problems) }
        let link = fields["storeUrl"].flatMap { $0.storeLink(problems) }
        let rule = fields["rule"].map { self.rule($0, problems) }
        let ask = fields.choice("ask", of: ConnectDemand.self)
        if rule == nil { fields.refuse("ask", "has no effect without a 'rule' for testers") }
        let words = fields.choice("words", of: TestAudience.Words.self)
        guard let platform else { return nil }
        let bundle: String? = if case .bundle(let name)? = app { name } else { nil }
        return ConnectFacts.Target(
            app: name ?? bundle,
            platform: platform,
            storeURL: link,
            rule: rule,
            ask: ask ?? .require,
            words: words ?? .own
        )
    }

    /// Decodes the rule template for testers, without `match`, which the feed generates.
    private func rule(_ element: Element, _ problems: Problems) -> FeedRuleTemplate {
        guard case .mapping(let entries) = element.content else {
            return FeedRuleTemplate(element, problems)
        }
        for entry in entries where entry.key == "match" {
            let message = "remove 'match': the feed determines the testers of each rule"
            problems.report(message, at: entry.place)
        }
        if !entries.contains(where: { $0.key == "storeUrl" }) {
            let message = "rules for testers need 'storeUrl', so that denied clients can update"
            problems.report(message, at: element.place)
        }
        // `holdUntilInStore` requires a platform in `match`.
        let platform = Element(content: .text(Platform.ios.name), place: element.place)
        let entry = Element.Entry(key: "platform", place: element.place, value: platform)
        let match = Element.Entry(
            key: "match",
            place: element.place,
            value: Element(content: .mapping([entry]), place: element.place)
        )
        let others = entries.filter { $0.key != "match" }
        return FeedRuleTemplate(
            Element(content: .mapping(others + [match]), place: element.place),
            problems
        )
    }
}
