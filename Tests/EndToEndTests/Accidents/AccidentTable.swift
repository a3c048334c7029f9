extension Accident {
    private typealias Rules = AccidentRules

    private static func change(_ old: String, _ new: String) -> String {
        Rules.changed(Rules.shop, old, new)
    }

    private static let floor = #"minimum: "3.5.0""#

    static let table: [Accident] = Self.lockouts + Self.plans + Self.openings + Self.slips

    private static let lockouts: [Accident] = [
        Accident(
            name: "35.0.0 for 3.5.0, and nothing says which versions there are",
            text: Self.change(Self.floor, #"minimum: "35.0.0""#),
            outcome: .loaded([]),
            current: .denied,
            isSeenInTraffic: true
        ),
        Accident(
            name: "35.0.0 for 3.5.0, with what the store has",
            base: Rules.known,
            text: Rules.changed(Rules.known, "3.5.0", "35.0.0"),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a floor a little above the store",
            base: Rules.known,
            text: Rules.changed(Rules.known, "3.5.0", "4.2.1"),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a floor above the store, from a date on",
            base: Rules.known,
            text: Rules.file(
                Rules.ios + #", next: { minimum: "5.0.0", enforceFrom: 2027-01-10T00:00:00Z }"#,
                more: Rules.releases
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "35.0.0 for 3.5.0 in one rule, the recommended version in another",
            base: Rules.file(
                Rules.ios,
                #"id: hint, match: { platform: ios }, recommended: "4.2.0""#
            ),
            text: Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "35.0.0""#,
                #"id: hint, match: { platform: ios }, recommended: "4.2.0""#
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a floor above the version that the same rule recommends",
            base: Rules.recommending,
            text: Rules.changed(Rules.recommending, "3.5.0", "35.0.0"),
            outcome: .unreadable
        ),
        Accident(
            name: "a blocked range that is one or the other, and so everything",
            text: Self.change(#"["3.7.2"]"#, #"[">=3.9.0", "<3.9.4"]"#),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "every version to come is blocked, beside a minimum",
            text: Self.change(#"["3.7.2"]"#, #"">=3.9.0""#),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "the recommended version is blocked",
            base: Rules.recommending,
            text: Rules.changed(Rules.recommending, "3.7.2", "4.2.0"),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "two rules that leave nothing together",
            text: Rules.file(
                Rules.ios,
                #"id: all, match: { platform: ios }, blocked: ">=3.5.0""#
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a maintenance of a year",
            text: Rules.file(
                Rules.ios,
                "id: works, match: { path: /** }, "
                    + "maintenance: { from: 2026-01-01T00:00:00Z, until: 2027-12-31T00:00:00Z }, "
                    + #"storeUrl: "https://a.example""#
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a lock-out that the file accepts",
            base: Rules.known,
            text: Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "35.0.0", accept: [lockout]"#,
                more: Rules.releases
            ),
            outcome: .loaded(["lockout"]),
            current: .denied
        ),
        Accident(
            name: "an accept of something else",
            base: Rules.known,
            text: Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "35.0.0", accept: [plan-opens]"#,
                more: Rules.releases
            ),
            outcome: .refused(["lockout"])
        ),
    ]

    private static func plan(_ name: String, _ floor: String, in base: String = Rules.shop)
        -> Accident
    {
        Accident(
            name: name,
            base: base,
            text: Rules.changed(base, Self.floor, floor),
            outcome: .refused(["plan-opens"])
        )
    }

    private static let plans: [Accident] = [
        Self.plan(
            "a higher floor in place, from a date on",
            #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z"#
        ),
        Self.plan(
            "a higher floor in place, with a warning first",
            #"minimum: "4.0.0", warnFrom: 2026-01-01T00:00:00Z, enforceFrom: 2027-01-10T00:00:00Z"#
        ),
        Self.plan(
            "a higher floor in place that only warns",
            #"minimum: "4.0.0", warnFrom: 2026-01-01T00:00:00Z"#
        ),
        Self.plan("a higher floor in place, for a few", #"minimum: "4.0.0", rollout: 5"#),
        Self.plan(
            "a higher floor in place, in steps to come",
            #"minimum: "4.0.0", rollout: [{ at: 2027-01-10T00:00:00Z, percent: 100 }]"#
        ),
        Self.plan(
            "a higher floor in place that waits for the store",
            #"minimum: "4.3.0", holdUntilInStore: true"#,
            in: Rules.known
        ),
        Self.plan(
            "a higher floor in place that only observes",
            #"minimum: "4.0.0", mode: observe"#
        ),
        Self.plan(
            "enforcement in 2072, for a higher floor in place",
            #"minimum: "4.0.0", enforceFrom: 2072-01-10T00:00:00Z"#
        ),
        Accident(
            name: "a higher floor under another name, from a date on",
            text: Rules.file(
                #"id: ios-2027, match: { platform: ios }, minimum: "4.0.0", "#
                    + "enforceFrom: 2027-01-10T00:00:00Z"
            ),
            outcome: .refused(["plan-opens"])
        ),
        Accident(
            name: "more versions blocked, from a date on",
            text: Self.change(
                #"minimum: "3.5.0", blocked: ["3.7.2"]"#,
                #"blocked: ["<3.5.0", "3.7.2", "3.8.x"], enforceFrom: 2027-01-10T00:00:00Z"#
            ),
            outcome: .refused(["plan-opens"])
        ),
        Accident(
            name: "a plan that the file accepts",
            text: Self.change(
                Self.floor,
                #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z, accept: [plan-opens]"#
            ),
            outcome: .loaded(["plan-opens"]),
            old: .passes
        ),
        Accident(
            name: "the plan as it is meant, under next",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z }"#
            ),
            outcome: .loaded([])
        ),
        Accident(
            name: "a date a year early",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "4.0.0", enforceFrom: 2026-01-10T00:00:00Z }"#
            ),
            // The floor of January 2026 already applies to all clients, which the finding reports.
            outcome: .loaded(["next-complete"]),
            isSeenInTraffic: true
        ),
        Accident(
            name: "UTC for the time of Japan",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "4.0.0", enforceFrom: 2027-01-10T09:00:00Z }"#
            ),
            outcome: .loaded([]),
            isSeenInTraffic: true
        ),
        Accident(
            name: "a plan below the floor",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "3.0.0", enforceFrom: 2027-01-10T00:00:00Z }"#
            ),
            outcome: .loaded(["dead-rule"])
        ),
        Accident(
            name: "a step of the roll-out before the floor",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z, "#
                    + "rollout: [{ at: 2027-01-01T00:00:00Z, percent: 100 }] }"
            ),
            outcome: .loaded(["early-step"])
        ),
        Accident(
            name: "enforcement in 2072, under next",
            text: Self.change(
                Self.floor,
                #"minimum: "3.5.0", next: { minimum: "4.0.0", enforceFrom: 2072-01-10T00:00:00Z }"#
            ),
            outcome: .loaded(["far-date"])
        ),
    ]

    private static func opening(
        _ name: String,
        _ text: String,
        _ findings: [String] = ["laxer"]
    ) -> Accident {
        Accident(name: name, text: text, outcome: .loaded(findings), old: .passes)
    }

    private static let openings: [Accident] = [
        Self.opening(
            "the platform misspelt",
            Self.change("ios }", "iso }"),
            ["laxer", "unknown-platform"]
        ),
        Self.opening("no rules", "rules: []\n"),
        Self.opening(
            "an undo that a test of the file is against",
            Self.change("3.5.0", "3.0.0")
                + "tests: [{ name: old, request: { platform: ios, version: '3.4.9' }, "
                + "expect: { decision: require } }]\n",
            ["laxer", "failed-test"]
        ),
        Self.opening(
            "the file cut off behind its head",
            "exempt: [/healthz]\nrules: []\n"
        ),
        Self.opening(
            "the rule deleted",
            Rules.file(#"id: b, match: { platform: android }, recommended: "2""#)
        ),
        Self.opening("a lower number", Self.change("3.5.0", "3.0.0")),
        Self.opening(
            "the same floor from next year on",
            Self.change(Self.floor, #"minimum: "3.5.0", enforceFrom: 2027-01-10T00:00:00Z"#)
        ),
        Self.opening(
            "the same floor for nobody",
            Self.change(Self.floor, Self.floor + ", rollout: 0")
        ),
        Self.opening(
            "the rule only observes",
            Self.change(Self.floor, Self.floor + ", mode: observe")
        ),
        Self.opening("the whole file only observes", "mode: observe\n" + Rules.shop, ["observing"]),
        Self.opening(
            "a rule that is over",
            Self.change(Self.floor, Self.floor + ", until: 2026-01-10T00:00:00Z"),
            ["laxer", "past-rule"]
        ),
        Self.opening(
            "everything exempt",
            Self.change("[/healthz]", "['/**']"),
            ["laxer", "open-gate"]
        ),
        Self.opening(
            "the version read from a field that nobody sends",
            "identity: { headers: { version: X-App-Verison } }\n" + Rules.shop,
            ["identity-changed"]
        ),
        Self.opening(
            "a floor of builds in place of one of versions",
            Self.change(Self.floor, "minimumBuild: 35")
        ),
        Self.opening(
            "a path that nobody asks for",
            Self.change("platform: ios }", "platform: ios, path: /v3/** }")
        ),
    ]

    private static func slip(
        _ name: String,
        _ text: String,
        _ findings: [String],
        in base: String = Rules.shop
    ) -> Accident {
        Accident(name: name, base: base, text: text, outcome: .loaded(findings))
    }

    private static let slips: [Accident] = [
        Self.slip(
            "the link of another store",
            Rules.file(
                Rules.ios + #", storeUrl: "https://play.google.com/store/apps/details?id=a""#
            ),
            ["foreign-link"]
        ),
        Self.slip(
            "a link that is not https",
            Rules.file(Rules.ios + #", storeUrl: "http://apps.apple.com/app/id1""#),
            ["insecure-link"]
        ),
        Self.slip(
            "a floor for every platform",
            Rules.file(Rules.ios, #"id: all, minimum: "3.4.0""#),
            ["any-platform"]
        ),
        Self.slip(
            "a blocked version below the floor",
            Self.change(#"["3.7.2"]"#, #"["3.7.2", "3.4.1"]"#),
            ["needless-block"]
        ),
        Self.slip(
            "the floor raised a little, blocked versions left as they were",
            Self.change(#"minimum: "3.5.0""#, #"minimum: "3.8.0""#),
            ["needless-block"]
        ),
        Self.slip(
            "the bad release is blocked, and the store has no newer one",
            Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "3.5.0", blocked: ["4.3.0"]"#,
                more: #"releases: [{ platform: ios, version: "4.2.0" }, "#
                    + #"{ platform: ios, version: "4.3.0" }]"# + "\n"
            ),
            ["refused-release"],
            in: Rules.known
        ),
        Self.slip(
            "a maintenance of five days",
            Rules.file(
                Rules.ios,
                "id: works, match: { path: /v9/** }, "
                    + "maintenance: { from: 2026-12-24T00:00:00Z, until: 2026-12-29T00:00:00Z }, "
                    + #"storeUrl: "https://a.example""#
            ),
            ["long-maintenance"]
        ),
        Self.slip(
            "an accept that is left over",
            Self.change(Self.floor, Self.floor + ", accept: [lockout]"),
            ["needless-accept"]
        ),
        Self.slip(
            "clients that say nothing are rejected, health checks included",
            "unidentified: { missing: reject, storeUrl: \"https://a.example\", notice: n }\n"
                + Rules.file(Rules.ios, head: ""),
            ["rejects-unidentified"]
        ),
        Accident(
            name: "a key misspelt",
            text: Self.change("minimum:", "minimun:"),
            outcome: .unreadable
        ),
        Accident(
            name: "a version without quotes",
            text: Self.change(#""3.5.0""#, "3.10"),
            outcome: .unreadable
        ),
        Accident(name: "an empty file", text: "", outcome: .unreadable),
        Accident(
            name: "a file cut off within a line",
            text: String(Rules.shop.prefix(150)),
            outcome: .unreadable
        ),
        Accident(
            name: "a rule twice",
            text: Rules.file(Rules.ios, Rules.ios),
            outcome: .unreadable
        ),
        Accident(
            name: "a test in the file says otherwise",
            text: Self.change(Self.floor, #"minimum: "35.0.0""#)
                + "tests: [{ name: current, request: { platform: ios, version: '4.2.0' }, "
                + "expect: { decision: allow } }]\n",
            outcome: .unreadable
        ),
    ]
}
