extension Accident {
    private typealias Rules = AccidentRules

    private static func change(_ old: String, _ new: String) -> String {
        Rules.changed(Rules.shop, old, new)
    }

    private static let floor = #"minimum: "3.5.0""#

    static let table: [Accident] = Self.lockouts + Self.plans + Self.openings + Self.slips

    private static let lockouts: [Accident] = [
        Accident(
            name: "35.0.0 instead of 3.5.0, without known releases",
            text: Self.change(Self.floor, #"minimum: "35.0.0""#),
            outcome: .loaded([]),
            current: .denied,
            isSeenInTraffic: true
        ),
        Accident(
            name: "35.0.0 instead of 3.5.0, with the release in the store",
            base: Rules.known,
            text: Rules.changed(Rules.known, "3.5.0", "35.0.0"),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a floor slightly above the release in the store",
            base: Rules.known,
            text: Rules.changed(Rules.known, "3.5.0", "4.2.1"),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a future floor above the release in the store",
            base: Rules.known,
            text: Rules.file(
                Rules.ios + #", next: { minimum: "5.0.0", enforceFrom: 2027-01-10T00:00:00Z }"#,
                more: Rules.releases
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "35.0.0 instead of 3.5.0, with a recommended version in another rule",
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
            name: "a floor above the recommended version of the same rule",
            base: Rules.recommending,
            text: Rules.changed(Rules.recommending, "3.5.0", "35.0.0"),
            outcome: .unreadable
        ),
        Accident(
            name: "two blocked ranges that together cover every version",
            text: Self.change(#"["3.7.2"]"#, #"[">=3.9.0", "<3.9.4"]"#),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "every newer version is blocked, in addition to a minimum",
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
            name: "two rules that together deny every version",
            text: Rules.file(
                Rules.ios,
                #"id: all, match: { platform: ios }, blocked: ">=3.5.0""#
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "maintenance for almost two years",
            text: Rules.file(
                Rules.ios,
                "id: works, match: { path: /** }, "
                    + "maintenance: { from: 2026-01-01T00:00:00Z, until: 2027-12-31T00:00:00Z }, "
                    + #"storeUrl: "https://a.example""#
            ),
            outcome: .refused(["lockout"])
        ),
        Accident(
            name: "a lockout with accept",
            base: Rules.known,
            text: Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "35.0.0", accept: [lockout]"#,
                more: Rules.releases
            ),
            outcome: .loaded(["lockout"]),
            current: .denied
        ),
        Accident(
            name: "a lockout, while the file accepts another finding",
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
            "a higher floor with a start date, replacing the current one",
            #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z"#
        ),
        Self.plan(
            "a higher floor with a warning period, replacing the current one",
            #"minimum: "4.0.0", warnFrom: 2026-01-01T00:00:00Z, enforceFrom: 2027-01-10T00:00:00Z"#
        ),
        Self.plan(
            "a higher floor that only warns, replacing the current one",
            #"minimum: "4.0.0", warnFrom: 2026-01-01T00:00:00Z"#
        ),
        Self.plan(
            "a higher floor with a small rollout, replacing the current one",
            #"minimum: "4.0.0", rollout: 5"#
        ),
        Self.plan(
            "a higher floor with future rollout steps, replacing the current one",
            #"minimum: "4.0.0", rollout: [{ at: 2027-01-10T00:00:00Z, percent: 100 }]"#
        ),
        Self.plan(
            "a higher floor that waits for the store, replacing the current one",
            #"minimum: "4.3.0", holdUntilInStore: true"#,
            in: Rules.known
        ),
        Self.plan(
            "a higher floor in observe mode, replacing the current one",
            #"minimum: "4.0.0", mode: observe"#
        ),
        Self.plan(
            "enforcement in 2072 for a higher floor, replacing the current one",
            #"minimum: "4.0.0", enforceFrom: 2072-01-10T00:00:00Z"#
        ),
        Accident(
            name: "a higher floor with a start date, under another ID",
            text: Rules.file(
                #"id: ios-2027, match: { platform: ios }, minimum: "4.0.0", "#
                    + "enforceFrom: 2027-01-10T00:00:00Z"
            ),
            outcome: .refused(["plan-opens"])
        ),
        Accident(
            name: "more blocked versions with a start date",
            text: Self.change(
                #"minimum: "3.5.0", blocked: ["3.7.2"]"#,
                #"blocked: ["<3.5.0", "3.7.2", "3.8.x"], enforceFrom: 2027-01-10T00:00:00Z"#
            ),
            outcome: .refused(["plan-opens"])
        ),
        Accident(
            name: "a plan with accept",
            text: Self.change(
                Self.floor,
                #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z, accept: [plan-opens]"#
            ),
            outcome: .loaded(["plan-opens"]),
            old: .passes
        ),
        Accident(
            name: "the correct plan, under next",
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
            // The floor from January 2026 already applies to all clients; the finding reports this.
            outcome: .loaded(["next-complete"]),
            isSeenInTraffic: true
        ),
        Accident(
            name: "UTC instead of Japan time",
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
            name: "a rollout step before the floor",
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
            "a misspelled platform",
            Self.change("ios }", "iso }"),
            ["laxer", "unknown-platform"]
        ),
        Self.opening("no rules", "rules: []\n"),
        Self.opening(
            "an undo that fails a test of the file",
            Self.change("3.5.0", "3.0.0")
                + "tests: [{ name: old, request: { platform: ios, version: '3.4.9' }, "
                + "expect: { decision: require } }]\n",
            ["laxer", "failed-test"]
        ),
        Self.opening(
            "a file that is truncated after its head",
            "exempt: [/healthz]\nrules: []\n"
        ),
        Self.opening(
            "a deleted rule",
            Rules.file(#"id: b, match: { platform: android }, recommended: "2""#)
        ),
        Self.opening("a lower number", Self.change("3.5.0", "3.0.0")),
        Self.opening(
            "the same floor with a start next year",
            Self.change(Self.floor, #"minimum: "3.5.0", enforceFrom: 2027-01-10T00:00:00Z"#)
        ),
        Self.opening(
            "the same floor with a rollout of 0",
            Self.change(Self.floor, Self.floor + ", rollout: 0")
        ),
        Self.opening(
            "the rule in observe mode",
            Self.change(Self.floor, Self.floor + ", mode: observe")
        ),
        Self.opening(
            "the whole file in observe mode",
            "mode: observe\n" + Rules.shop,
            ["observing"]
        ),
        Self.opening(
            "an expired rule",
            Self.change(Self.floor, Self.floor + ", until: 2026-01-10T00:00:00Z"),
            ["laxer", "past-rule"]
        ),
        Self.opening(
            "every path exempt",
            Self.change("[/healthz]", "['/**']"),
            ["laxer", "open-gate"]
        ),
        Self.opening(
            "a version field that no client sends",
            "identity: { headers: { version: X-App-Verison } }\n" + Rules.shop,
            ["identity-changed"]
        ),
        Self.opening(
            "a build floor instead of a version floor",
            Self.change(Self.floor, "minimumBuild: 35")
        ),
        Self.opening(
            "a path that no client requests",
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
            "the URL of another store",
            Rules.file(
                Rules.ios + #", storeUrl: "https://play.google.com/store/apps/details?id=a""#
            ),
            ["foreign-link"]
        ),
        Self.slip(
            "a store URL without https",
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
            "a raised floor with obsolete blocked versions",
            Self.change(#"minimum: "3.5.0""#, #"minimum: "3.8.0""#),
            ["needless-block"]
        ),
        Self.slip(
            "a blocked release without a newer one in the store",
            Rules.file(
                #"id: ios, match: { platform: ios }, minimum: "3.5.0", blocked: ["4.3.0"]"#,
                more: #"releases: [{ platform: ios, version: "4.2.0" }, "#
                    + #"{ platform: ios, version: "4.3.0" }]"# + "\n"
            ),
            ["refused-release"],
            in: Rules.known
        ),
        Self.slip(
            "maintenance for five days",
            Rules.file(
                Rules.ios,
                "id: works, match: { path: /v9/** }, "
                    + "maintenance: { from: 2026-12-24T00:00:00Z, until: 2026-12-29T00:00:00Z }, "
                    + #"storeUrl: "https://a.example""#
            ),
            ["long-maintenance"]
        ),
        Self.slip(
            "an obsolete accept",
            Self.change(Self.floor, Self.floor + ", accept: [lockout]"),
            ["needless-accept"]
        ),
        Self.slip(
            "unidentified clients rejected, including health checks",
            "unidentified: { missing: reject, storeUrl: \"https://a.example\", notice: n }\n"
                + Rules.file(Rules.ios, head: ""),
            ["rejects-unidentified"]
        ),
        Accident(
            name: "a misspelled key",
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
            name: "a file truncated within a line",
            text: String(Rules.shop.prefix(150)),
            outcome: .unreadable
        ),
        Accident(
            name: "a duplicate rule",
            text: Rules.file(Rules.ios, Rules.ios),
            outcome: .unreadable
        ),
        Accident(
            name: "a failing test in the file",
            text: Self.change(Self.floor, #"minimum: "35.0.0""#)
                + "tests: [{ name: current, request: { platform: ios, version: '4.2.0' }, "
                + "expect: { decision: allow } }]\n",
            outcome: .unreadable
        ),
    ]
}
