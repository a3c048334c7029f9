import Testing

@testable import GatePolicy

@Suite struct ResponderTests {
    static func notices() throws -> [String: NoticeDefinition] {
        let english = NoticeText(
            title: try NoticeTemplate(parsing: "Update required"),
            message: try NoticeTemplate(
                parsing: "Version {currentVersion} no longer works. Get {minimumVersion}."
            ),
            button: try NoticeTemplate(parsing: "Update")
        )
        let japanese = NoticeText(
            title: try NoticeTemplate(parsing: "アップデート"),
            message: try NoticeTemplate(parsing: "\"{currentVersion}\" → {latestVersion}")
        )
        return ["upgrade": NoticeDefinition(texts: [.english: english, .japanese: japanese])]
    }

    static func rules(_ rules: [RuleDefinition]) throws -> RuleSet {
        ruleSet(
            rules,
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject),
            notices: try self.notices()
        )
    }

    static func body(_ rules: RuleSet, _ identity: ClientIdentity) throws -> String {
        let decision = rules.decide(identity, in: rules.scope())
        let answer = try #require(rules.answer(to: decision, for: identity))
        #expect(answer.status == 426)
        return String(decoding: answer.body, as: UTF8.self)
    }

    static func full() throws -> RuleDefinition {
        try rule(
            "ios",
            minimum: "3.5.0",
            minimumBuild: 41_200,
            recommended: "4.2.0",
            notice: "upgrade",
            storeURL: StoreURL("https://apps.apple.com/app/id1", channels: ["beta": "https://b/"])
        )
    }

    @Test func `a denial is encoded as problem details`() throws {
        let identity = try client(version: "v3.4.9")
        #expect(
            try Self.body(Self.rules([Self.full()]), identity)
                == #"{"type":"urn:versiongate:upgrade-required","title":"Update required","#
                + #""status":426,"message":"Version 3.4.9 no longer works. Get 3.5.0.","#
                + #""button":"Update","storeUrl":"https://apps.apple.com/app/id1","#
                + #""minimumVersion":"3.5.0","minimumBuild":41200,"latestVersion":"4.2.0","#
                + #""currentVersion":"3.4.9","rule":"ios","revision":"r1"}"#
        )
    }

    @Test func `a denial has the language and the store URL for the client`() throws {
        let identity = try client(version: "3.4.9", channel: "beta", languages: "ja-JP, en;q=0.1")
        #expect(
            try Self.body(Self.rules([Self.full()]), identity)
                == #"{"type":"urn:versiongate:upgrade-required","title":"アップデート","#
                + #""status":426,"message":"\"3.4.9\" → 4.2.0","storeUrl":"https://b/","#
                + #""minimumVersion":"3.5.0","minimumBuild":41200,"latestVersion":"4.2.0","#
                + #""currentVersion":"3.4.9","rule":"ios","revision":"r1"}"#
        )
    }

    @Test func `a denial without a notice has the built-in texts`() throws {
        let rules = try Self.rules([try rule("b", blocked: ["1.x"], notice: "gone")])
        #expect(
            try Self.body(rules, try client(version: "1.2"))
                == #"{"type":"urn:versiongate:upgrade-required","title":"Update required","#
                + #""status":426,"message":"This version of the app no longer works. Please update "#
                + #"to the latest version.","button":"Update","storeUrl":"","#
                + #""currentVersion":"1.2","rule":"b","revision":"r1"}"#
        )
        #expect(
            try Self.body(rules, ClientIdentity())
                == #"{"type":"urn:versiongate:upgrade-required","title":"Update required","#
                + #""status":426,"message":"The version of the app could not be recognized. "#
                + #"Please update to the latest version.","button":"Update","storeUrl":"","#
                + #""revision":"r1"}"#
        )
    }

    @Test func `a text with an unknown placeholder value is replaced by the built-in one`() throws {
        var notices = try Self.notices()
        let upgrade = NoticeText(
            title: NoticeTemplate(literal: "Hoppla"),
            message: try NoticeTemplate(parsing: "{app} {currentVersion}."),
            button: try NoticeTemplate(parsing: "{latestVersion}")
        )
        let languages = ["de-AT", "sw"].compactMap { LanguageTag($0) }
        for language in languages { notices["upgrade"]?.texts[language] = upgrade }
        let rules = ruleSet(
            [try rule("b", minimumBuild: 7, notice: "upgrade")],
            unidentified: UnidentifiedPolicy(
                missing: .reject,
                unreadable: .reject,
                notice: "upgrade"
            ),
            notices: notices
        )
        let old = try client(build: 6, languages: "de-AT")
        #expect(
            try Self.body(rules, old).hasPrefix(
                #"{"type":"urn:versiongate:upgrade-required","title":"Hoppla","status":426,"#
                    + #""message":"Diese Version der App funktioniert nicht mehr. Bitte "#
                    + #"aktualisieren Sie auf die neueste Version.","button":"Aktualisieren","#
            )
        )
        // There are no built-in texts in Swahili, and mixing two languages would be no improvement.
        let swahili = try Self.body(rules, try client(build: 6, languages: "sw"))
        #expect(swahili.contains(#""message":"– –.","button":"–","#))
        let nameless = try Self.body(rules, try client(languages: "ja"))
        #expect(nameless.contains(#""message":"アプリのバージョンを確認できませんでした。"#))
    }

    @Test func `a denial is not cacheable and has the language of its texts`() throws {
        let rules = try Self.rules([Self.full()])
        let identity = try client(version: "1", languages: "ja")
        let decision = rules.decide(identity, in: rules.scope())
        let answer = try #require(rules.answer(to: decision, for: identity))
        #expect(
            answer.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/problem+json",
                "Cache-Control: no-store",
                "Content-Language: ja",
                "Vary: x-app-version, x-app-build, x-app-channel, accept-language, "
                    + "\(formFields), origin",
                "X-VersionGate: require",
            ]
        )
    }

    @Test func `a denial that depends on store releases varies with the storefront`() throws {
        var sources = IdentitySources.defaults
        sources.headers[.country] = ["CF-IPCountry"]
        let held = try rule("r", minimum: "2", holdUntilInStore: StoreHold())
        let store = try rule("r", recommendsStoreVersion: true)
        for rule in [held, store] {
            let names = ruleSet([rule], identity: sources).answerInputs.split(separator: ", ")
            #expect(names.contains("cf-ipcountry") && names.contains("x-app-storefront"))
        }
        let plain = ruleSet([try rule("r", minimum: "2")], identity: sources)
        #expect(!plain.answerInputs.contains("storefront"))
    }

    @Test func `only a denied client gets a response`() throws {
        let rules = try Self.rules([Self.full()])
        for version in ["3.6", "4.2"] {
            let identity = try client(version: version, build: 41_200)
            let decision = rules.decide(identity, in: rules.scope())
            #expect(decision.kind < .require)
            #expect(rules.answer(to: decision, for: identity) == nil)
        }
        #expect(rules.answer(to: .preflight, for: ClientIdentity()) == nil)
    }

    static let hints: [(StoreURL?, String)] = [
        (nil, #"recommend; latest="4.2.0"; snooze-seconds=86400"#),
        (
            StoreURL("https://a.example/?q=\"x\\y\"&z=1"),
            #"recommend; latest="4.2.0"; url="https://a.example/?q=\"x\\y\"&z=1"; "#
                + "snooze-seconds=86400"
        ),
        (
            StoreURL("https://a.example/é\r\nX: y"),
            #"recommend; latest="4.2.0"; url="https://a.example/%C3%A9%0D%0AX:%20y"; "#
                + "snooze-seconds=86400"
        ),
    ]

    @Test(arguments: hints)
    func `a hint is a structured field`(url: StoreURL?, value: String) throws {
        let rules = ruleSet([try rule("h", recommended: "4.2.0", storeURL: url)])
        let decision = rules.decide(try client(version: "4"), in: rules.scope())
        #expect(rules.hint(for: decision).first == HeaderField(name: "X-VersionGate", value: value))
        #expect(rules.hint(for: .preflight) == [])
    }
}

extension LanguageTag {
    fileprivate static let japanese = LanguageTag("ja") ?? .english
}
