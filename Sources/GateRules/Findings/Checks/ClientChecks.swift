internal import GatePolicy

/// Finds platform names that are probably typos, and floors for every platform.
struct PlatformCheck: FindingCheck {
    private static let known = [
        "ios", "ipados", "android", "macos", "windows", "linux", "web", "tvos", "watchos",
        "visionos", "desktop", "harmonyos", "fireos", "kaios", "tizen", "webos", "roku",
    ]

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        // If no rule names a platform, either the app has only one platform or the rules are meant
        // for all platforms.
        let tellsPlatforms = rules.floors.contains { $0.rule.match.platforms != nil }
        for floor in rules.floors where floor.base == nil {
            let rule = floor.rule
            for platform in rule.match.platforms ?? []
            where !Self.known.contains(platform.name) {
                guard let meant = Spelling.nearest(to: platform.name, among: Self.known) else {
                    continue
                }
                findings.report(
                    .unknownPlatform,
                    "the platform '\(platform.name)' is unknown, so the rule '\(rule.id)' "
                        + "might never match; did you mean '\(meant)'?",
                    on: floor,
                    at: "match"
                )
            }
            let namesClients = rule.match.platforms != nil || rule.match.apps != nil
            let isOpen = !namesClients && rule.mode == .enforce
            guard isOpen, rule.withNext.contains(where: \.hasFloor) else { continue }
            let feed = FeedDocuments.feed(ofFile: floor.places.id.file)
            if let feed = rules.feeds.first(where: { $0.id == feed && $0.makesRules }) {
                findings.report(
                    .anyPlatform,
                    "the floor of the feed '\(feed.id)' applies to all platforms, including web clients; "
                        + "set the platform in its 'rule': { match: { platform: ios } }",
                    at: feed.place,
                    rule: rule.id
                )
            } else if tellsPlatforms {
                findings.report(
                    .anyPlatform,
                    "the floor of the rule '\(rule.id)' applies to all platforms, including web clients; "
                        + "set the platform in 'match'",
                    on: floor,
                    at: "match"
                )
            }
        }
    }
}

/// Finds store URLs that can be changed in transit or that belong to another platform's store.
///
/// URLs that open a store app, such as `market://`, are not sent over the network.
struct StoreLinkCheck: FindingCheck {
    private static let android = ["play.google.com", "market:"]
    private static let apple = [
        "apps.apple.com", "itunes.apple.com", "itms-apps:", "itms-beta:",
        "testflight.apple.com",
    ]
    private static let applePlatforms = ["ios", "ipados", "macos", "tvos", "watchos", "visionos"]

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let policy = rules.definition.unidentified
        self.check(policy.storeURL, at: rules.places.unidentified, findings)
        for floor in rules.floors {
            if floor.base?.storeURL != floor.rule.storeURL {
                self.check(floor.rule.storeURL, at: floor.places.place(of: "storeUrl"), findings)
            }
            self.checkStore(of: floor, findings)
        }
        for (release, place) in zip(rules.definition.releases, rules.places.releases) {
            self.check(release.storeURL.map { StoreURL($0) }, at: place, findings)
        }
    }

    private func check(
        _ storeURL: StoreURL?,
        at place: @autoclosure () -> Place?,
        _ findings: FindingCollector
    ) {
        guard let storeURL else { return }
        for link in [storeURL.default] + storeURL.channels.values + storeURL.countries.values {
            if link.prefix(5).lowercased() == "http:", let place = place() {
                findings.report(.insecureLink, "the store URL '\(link)' is not HTTPS", at: place)
            }
            if PlaceholderURL.all.contains(link), let place = place() {
                let message =
                    "'\(link)' is a placeholder: replace it with the store URL of your app"
                findings.report(.placeholderLink, message, at: place)
            }
        }
    }

    private func checkStore(of floor: RulesInReview.Floor, _ findings: FindingCollector) {
        guard let link = (floor.rule.storeURL?.default.lowercased()).map({ Array($0.utf8) }),
            let platforms = floor.rule.match.platforms, !platforms.isEmpty
        else { return }
        let isForApple = platforms.allSatisfy { Self.applePlatforms.contains($0.name) }
        let isForAndroid = platforms.allSatisfy { $0.name == "android" }
        let foreign = isForApple ? Self.android : isForAndroid ? Self.apple : []
        // Searched by bytes: there may be thousands of URLs, and a search by characters is slow.
        let isForeign = foreign.contains { name in
            let first = name.utf8.first
            return link.indices.contains { place in
                link[place] == first && link[place...].starts(with: name.utf8)
            }
        }
        guard isForeign else { return }
        findings.report(
            .foreignLink,
            "'storeUrl' of the rule '\(floor.rule.id)' (platform \(platforms[0])) points to another platform's store",
            on: floor,
            at: "storeUrl"
        )
    }
}

/// Finds settings that let all clients pass, or that deny all unidentified clients.
struct OpenGateCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let definition = rules.definition
        if definition.mode == .observe {
            findings.report(
                .observing,
                "'mode: observe' at the top level: no rule is enforced",
                at: rules.places.mode ?? rules.places.beginning
            )
        }
        let opensAll = definition.exemptions.contains { pattern in
            pattern.methods == nil && pattern.path == "/**"
        }
        if opensAll, !definition.rules.isEmpty {
            let message = "'exempt' covers every path: no rule is ever evaluated"
            findings.report(.openGate, message, at: rules.places.beginning)
        }
        if definition.unidentified.missing == .reject, definition.exemptions.isEmpty,
            let place = rules.places.unidentified
        {
            findings.report(
                .rejectsUnidentified,
                "'missing: reject' without 'exempt': health checks get 426, and so do all clients "
                    + "if a proxy removes the headers",
                at: place
            )
        }
    }
}

/// Finds path policies that have no effect, because they are no stricter than the general policy.
struct LenientPathCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let policy = rules.definition.unidentified
        for (path, place) in zip(policy.paths, rules.places.unidentifiedPaths) {
            self.check("missing", path.missing, policy.missing, at: place, findings)
            self.check("unreadable", path.unreadable, policy.unreadable, at: place, findings)
        }
    }

    private func check(
        _ key: String,
        _ action: UnidentifiedPolicy.Action?,
        _ everywhere: UnidentifiedPolicy.Action,
        at place: Place,
        _ findings: FindingCollector
    ) {
        guard let action, action <= everywhere else { return }
        let message =
            "'\(key): \(action.rawValue)' has no effect: a path can only be stricter than "
            + "the general '\(key): \(everywhere.rawValue)'"
        findings.report(.lenientPath, message, at: place)
    }
}

/// Finds feeds that generate rules for one platform from data for another.
struct FeedPlatformCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for feed in rules.feeds {
            guard let platforms = feed.source.rulePlatforms else { continue }
            for claim in feed.source.platformClaims {
                let others = claim.contradictions(among: platforms)
                guard !others.isEmpty else { continue }
                findings.report(
                    .otherPlatform,
                    "the feed '\(feed.id)' reads \(claim.words), but its rules are for "
                        + "\(others.names): use a separate feed for each platform",
                    at: feed.place
                )
            }
        }
    }
}
