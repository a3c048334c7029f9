import Testing

@testable import GatePolicy

@Suite struct LaunchStatusTests {
    static func status(
        _ rules: [RuleDefinition],
        version: String = "3.4.9",
        osVersion: String? = nil,
        notices: [String: NoticeDefinition] = [:]
    ) throws -> LaunchStatus {
        let rules = ruleSet(rules, notices: notices)
        let identity = try client(version: version, osVersion: osVersion)
        return rules.launchStatus(
            for: identity,
            in: .unrestricted,
            at: second(0),
            address: nil
        )
    }

    static func body(_ status: LaunchStatus) -> String {
        String(decoding: status.body, as: UTF8.self)
    }

    @Test func `the status of an allowed client contains the decision and its version`() throws {
        let status = try Self.status([])
        #expect(Self.body(status) == #"{"decision":"allow","currentVersion":"3.4.9"}"#)
        #expect(status.language == nil)
    }

    @Test func `the status of a denied client has the content of a denial`() throws {
        let floor = try rule("ios", minimum: "3.5", storeURL: StoreURL("https://a.example/"))
        #expect(
            Self.body(try Self.status([floor]))
                == #"{"decision":"require","title":"Update required","message":"This version of "#
                + #"the app no longer works. Please update to the latest version.","#
                + #""button":"Update","storeUrl":"https://a.example/","minimumVersion":"3.5","#
                + #""currentVersion":"3.4.9","rule":"ios"}"#
        )
    }

    @Test func `the status of a recommendation has its own texts and snoozeSeconds`() throws {
        var hint = try rule("h", recommended: "4", storeURL: StoreURL("https://a.example/"))
        #expect(
            Self.body(try Self.status([hint]))
                == #"{"decision":"recommend","title":"Update available","message":"A newer "#
                + #"version of the app is available.","button":"Update","#
                + #""storeUrl":"https://a.example/","latestVersion":"4","#
                + #""currentVersion":"3.4.9","snoozeSeconds":86400,"rule":"h"}"#
        )
        hint.snooze = 60
        hint.recommendedNotice = "soft"
        let soft = NoticeDefinition(texts: [
            .english: NoticeText(
                title: try NoticeTemplate(parsing: "New: {latestVersion}"),
                message: try NoticeTemplate(parsing: "m")
            )
        ])
        let body = Self.body(try Self.status([hint], notices: ["soft": soft]))
        #expect(body.contains(#""title":"New: 4","message":"m","storeUrl""#))
        #expect(body.contains(#""snoozeSeconds":60"#))
    }

    @Test func `the status contains the enforcement date and announced maintenance`() throws {
        let warned = try rule(
            "w",
            minimum: "4",
            schedule: RuleSchedule(warnFrom: second(-5), enforceFrom: second(60))
        )
        let window = MaintenanceWindow(
            from: second(100),
            until: second(200),
            announceFrom: second(-1)
        )
        let body = Self.body(try Self.status([warned, try rule("m", maintenance: window)]))
        #expect(body.contains(#""enforceFrom":"2027-01-15T08:01:00Z","snoozeSeconds":86400,"#))
        #expect(body.contains(#""maintenanceFrom":"2027-01-15T08:01:40Z""#))
        #expect(body.contains(#""maintenanceUntil":"2027-01-15T08:03:20Z""#))
    }

    @Test func `the status during maintenance contains no update`() throws {
        let window = MaintenanceWindow(from: second(-1), until: second(60))
        let floor = try rule("f", minimum: "2", storeURL: StoreURL("https://a.example/"))
        let body = Self.body(try Self.status([floor, try rule("m", maintenance: window)]))
        #expect(body.hasPrefix(#"{"decision":"maintenance","title":""#))
        for name in ["storeUrl", "minimumVersion", "latestVersion"] {
            #expect(!body.contains(name))
        }
    }

    /// Parameters of the hint, and the members of the status with the same content.
    static let names = [
        "latest": "latestVersion", "url": "storeUrl", "enforce-from": "enforceFrom",
        "brownout-from": "brownoutFrom", "brownout-until": "brownoutUntil",
        "snooze-seconds": "snoozeSeconds", "maintenance-from": "maintenanceFrom",
        "maintenance-until": "maintenanceUntil",
    ]

    @Test(arguments: [nil, "4.2"])
    func `every parameter of a hint is in the status with the same value`(
        recommended: String?
    ) throws {
        let window = BrownoutWindow(from: second(30), until: second(40))
        let warned = try rule(
            "w",
            minimum: "4",
            recommended: recommended,
            storeURL: StoreURL("https://a.example/"),
            schedule: RuleSchedule(
                warnFrom: second(-5),
                enforceFrom: second(60),
                brownouts: [window]
            )
        )
        let maintenance = MaintenanceWindow(
            from: second(100),
            until: second(200),
            announceFrom: second(-1)
        )
        let definitions = [
            warned, try rule("newer", recommended: "5"), try rule("m", maintenance: maintenance),
        ]
        let status = try Self.status(definitions)
        let body = Self.body(status)
        let lines = ruleSet(definitions).hint(for: status.decision)
            .filter { $0.name == Answer.markerName }
        let parameters = lines.flatMap { $0.value.split(separator: "; ").dropFirst() }
        #expect(parameters.count == Self.names.count)
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { String($0) }
            let name = try #require(Self.names[parts[0]])
            #expect(body.contains("\"\(name)\":\(parts[1])"))
        }
        #expect(body.contains(#""latestVersion":"\#(recommended ?? "4")""#))
    }

    @Test func `the ETag depends on nothing but the content`() throws {
        let one = try Self.status([])
        #expect(one.tag == (try Self.status([try rule("x", match: RuleMatch(apps: []))])).tag)
        #expect(one.tag != (try Self.status([], version: "3.4.8")).tag)
        // The ETag must be the same in every process, so that clients can revalidate after a
        // restart.
        #expect(one.tag == "a854e4f19553ce21")
    }
}
