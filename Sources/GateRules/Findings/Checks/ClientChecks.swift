internal import GatePolicy

/// Finds platforms and store links that are probably slips, and floors for every platform.
struct PlatformCheck: FindingCheck {
    private static let known = [
        "ios", "ipados", "android", "macos", "windows", "linux", "web", "tvos", "watchos",
        "visionos", "desktop", "harmonyos", "fireos", "kaios", "tizen", "webos", "roku",
    ]

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        // Rules that never name a platform are for the only one, or for all.
        let tellsPlatforms = rules.floors.contains { $0.rule.match.platforms != nil }
        for floor in rules.floors where floor.base == nil {
            let (rule, place) = (floor.rule, floor.places)
            for platform in floor.rule.match.platforms ?? []
            where !Self.known.contains(platform.name) {
                guard let meant = Spelling.nearest(to: platform.name, among: Self.known) else {
                    continue
                }
                findings.report(
                    .unknownPlatform,
                    "no client of the platform '\(platform.name)' is known: the rule '\(rule.id)' "
                        + "may never speak; did you mean '\(meant)'?",
                    at: place.place(of: "match"),
                    rule: rule.id
                )
            }
            let namesClients = rule.match.platforms != nil || rule.match.apps != nil
            let isOpen = !namesClients && rule.mode == .enforce
            guard isOpen, rule.withNext.contains(where: \.hasFloor) else { continue }
            let feed = FeedDocuments.feed(ofFile: place.id.file)
            if let feed = rules.feeds.first(where: { $0.id == feed && $0.makesRules }) {
                findings.report(
                    .anyPlatform,
                    "the feed '\(feed.id)' has a floor for every platform, a web client included; say for "
                        + "which in its 'rule': { match: { platform: ios } }",
                    at: feed.place,
                    rule: rule.id
                )
            } else if tellsPlatforms {
                findings.report(
                    .anyPlatform,
                    "the rule '\(rule.id)' has a floor for every platform, a web client included; "
                        + "say for which in 'match'",
                    at: place.place(of: "match"),
                    rule: rule.id
                )
            }
        }
    }
}

/// Finds store links that anybody on the way can change, and those of another platform's store.
///
/// Links that open a store app, such as `market://`, do not travel.
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
                findings.report(.insecureLink, "the store link '\(link)' is not https", at: place)
            }
            if PlaceholderLink.all.contains(link), let place = place() {
                let message =
                    "'\(link)' is the placeholder of a new file: write the link of your app"
                findings.report(.placeholderLink, message, at: place)
            }
        }
    }

    private func checkStore(
        of floor: RulesInReview.Floor,
        _ findings: FindingCollector
    ) {
        guard let link = (floor.rule.storeURL?.default.lowercased()).map({ Array($0.utf8) }),
            let platforms = floor.rule.match.platforms, !platforms.isEmpty
        else { return }
        let isForApple = platforms.allSatisfy { Self.applePlatforms.contains($0.name) }
        let isForAndroid = platforms.allSatisfy { $0.name == "android" }
        let foreign = isForApple ? Self.android : isForAndroid ? Self.apple : []
        // In bytes: there may be thousands of links, and a search by characters is slow.
        let isForeign = foreign.contains { name in
            let first = name.utf8.first
            return link.indices.contains { place in
                link[place] == first && link[place...].starts(with: name.utf8)
            }
        }
        guard isForeign else { return }
        findings.report(
            .foreignLink,
            "the link of '\(floor.rule.id)', for \(platforms[0]), leads to another platform's store",
            at: floor.places.place(of: "storeUrl"),
            rule: floor.rule.id
        )
    }
}

/// Finds what lets everybody pass, or refuses those who say nothing of themselves.
struct OpenGateCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let definition = rules.definition
        guard let file = rules.places.files.first else { return }
        if definition.mode == .observe {
            findings.report(
                .observing,
                "'mode: observe' at the top: nothing is enforced, whatever the rules say",
                at: rules.places.mode ?? Place(file: file)
            )
        }
        let opensAll = definition.exemptions.contains { pattern in
            pattern.methods == nil && pattern.path == "/**"
        }
        if opensAll, !definition.rules.isEmpty {
            let message = "'exempt' covers every path: no rule is ever asked"
            findings.report(.openGate, message, at: Place(file: file))
        }
        if definition.unidentified.missing == .reject, definition.exemptions.isEmpty,
            let place = rules.places.unidentified
        {
            findings.report(
                .rejectsUnidentified,
                "'missing: reject' and no 'exempt': health checks get 426, too, and so does everybody "
                    + "if a proxy takes the fields away",
                at: place
            )
        }
    }
}

/// Finds policies for a path that are no stricter than what holds everywhere, and never speak.
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
            "'\(key): \(action.rawValue)' never speaks: a path can only be stricter than "
            + "'\(key): \(everywhere.rawValue)', which holds everywhere"
        findings.report(.lenientPath, message, at: place)
    }
}
