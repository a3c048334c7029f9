import Foundation
import GatePolicy
import MutatedRules
import RulesTestSupport
import Testing

@testable import GateRules

@Suite(.ownThread)
struct RulesFileLoaderTests {
    private func load(_ text: String) throws(RulesFileErrors) -> RuleSetDefinition {
        try RulesFileLoader.load(sources: [("rules.yaml", text)]).definition
    }

    private func errors(_ sources: (String, String)...) -> [String] {
        do {
            _ = try RulesFileLoader.load(sources: sources.map { (name: $0, text: $1) })
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test func `the tables of invalid files are complete`() {
        #expect(BrokenRules.all.count >= 320)
    }

    @Test(arguments: BrokenRules.all)
    func `an invalid file is rejected with the location and the reason`(_ broken: BrokenRules) {
        #expect(self.errors(("rules.yaml", broken.text)) == broken.errors)
    }

    @Test func `the folder of the shipped rules is loaded without the schema in it`() {
        #expect(throws: Never.self) { try RulesFileLoader(path: Project.rules.path).load() }
    }

    @Test(arguments: ShippedRules.all, ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    func `every shipped file loads and compiles on any day`(
        _ shipped: ShippedRules,
        _ day: String
    ) throws {
        let now = try Timestamp(parsing: day)
        let loaded = try RulesFileLoader(path: shipped.path, now: { now }).load()
        let definition = loaded.definition
        #expect(RuleSet(definition).revision == definition.revision)
        #expect(!definition.rules.isEmpty || !loaded.feeds.isEmpty)
        #expect(!definition.tests.isEmpty)
    }

    @Test func `a rule with all settings is parsed`() throws {
        let definition = try self.load(
            """
            rules:
            - id: all
              match:
                app: com.example.shop
                platform: [iPhone, Android]
                channel: beta
                osVersion: [">=16 <18", "15.7"]
                path: [/v2/**, /v3/*/pay]
                method: post
              minimum: "3.5"
              minimumBuild: 18446744073709551615
              recommended: "4.2.0"
              blocked: 3.8.x
              prerelease: strict
              notice: upgrade
              storeUrl: { default: https://a.example, FDroid: market://details?id=b }
              mode: observe
              warnFrom: 2026-12-01T00:00:00Z
              enforceFrom: "2027-01-10T00:00:00+09:00"
              until: 2027-06-01T00:00:00.5z
              rollout:
              - { at: 2027-01-10T00:00:00Z, percent: 0.5 }
              - { at: 2027-01-13T00:00:00Z, percent: 100 }
            - id: closed
              maintenance:
                from: 2026-12-24T01:00:00Z
                until: 2026-12-24T03:00:00Z
                announceFrom: 2026-12-23T01:00:00Z
            - { id: some, blocked: "1.x", rollout: 12.5, storeUrl: https://a.example }
            notices:
              upgrade:
                EN: { title: Update, message: "{{{minimumVersion}}}" }
                zh-hant: { title: 更新, message: 請更新, button: 更新 }
            """
        )
        let rule = RuleDefinition(
            id: "all",
            match: RuleMatch(
                apps: ["com.example.shop"],
                platforms: [.ios, .android],
                channels: ["beta"],
                osVersions: [
                    try VersionRange(parsing: ">=16 <18"), try VersionRange(parsing: "15.7"),
                ],
                requests: [
                    try RequestPattern(path: "/v2/**", methods: ["POST"]),
                    try RequestPattern(path: "/v3/*/pay", methods: ["POST"]),
                ]
            ),
            minimum: try AppVersion(parsing: "3.5"),
            minimumBuild: BuildNumber(UInt64.max),
            recommended: try AppVersion(parsing: "4.2.0"),
            blocked: [try VersionRange(parsing: "3.8.x")],
            prerelease: .strict,
            notice: "upgrade",
            storeURL: StoreURL(
                "https://a.example",
                channels: ["fdroid": "market://details?id=b"]
            ),
            mode: .observe,
            schedule: RuleSchedule(
                warnFrom: try Timestamp(parsing: "2026-12-01T00:00:00Z"),
                enforceFrom: try Timestamp(parsing: "2027-01-09T15:00:00Z"),
                until: try Timestamp(parsing: "2027-06-01T00:00:00Z")
            ),
            rollout: [
                RolloutStep(at: try Timestamp(parsing: "2027-01-10T00:00:00Z"), percent: 0.5),
                RolloutStep(at: try Timestamp(parsing: "2027-01-13T00:00:00Z"), percent: 100),
            ]
        )
        let closed = RuleDefinition(
            id: "closed",
            maintenance: MaintenanceWindow(
                from: try Timestamp(parsing: "2026-12-24T01:00:00Z"),
                until: try Timestamp(parsing: "2026-12-24T03:00:00Z"),
                announceFrom: try Timestamp(parsing: "2026-12-23T01:00:00Z")
            )
        )
        let some = RuleDefinition(
            id: "some",
            blocked: [try VersionRange(parsing: "1.x")],
            storeURL: StoreURL("https://a.example"),
            rollout: [RolloutStep(percent: 12.5)]
        )
        #expect(definition.rules == [rule, closed, some])
        let languages = definition.notices["upgrade"]?.texts.keys.map(\.description).sorted()
        #expect(languages == ["en", "zh-Hant"])
    }

    @Test func `a rule with hold and response settings is parsed`() throws {
        let definition = try self.load(
            """
            rules:
            - id: waits
              match: { platform: ios }
              recommended: store
              recommendedNotice: n
              snooze: 90m
              holdUntilInStore: { countries: [JP, "no"], soak: 2d }
              requiresOS: [">=16", "15.8.x"]
            - id: answers
              minimum: "2"
              holdUntilInStore: true
              match: { platform: android }
              storeUrl:
                default: https://a.example
                Galaxy: samsungapps://ProductDetail/a
                countries: { JP: https://j.example, kr: https://k.example }
              status: 403
              body: { ok: false, code: -1.50, why: "{message}", "": [null, 2026-12-01, "{{}}"] }
              contentType: application/vnd.shop+json; charset=utf-8
              upgradeHeader: true
            notices: { n: { en: { title: a, message: b } } }
            """
        )
        let waits = RuleDefinition(
            id: "waits",
            match: RuleMatch(platforms: [.ios]),
            recommendsStoreVersion: true,
            recommendedNotice: "n",
            holdUntilInStore: StoreHold(countries: ["jp", "no"], soak: 172_800),
            requiresOS: [
                try VersionRange(parsing: ">=16"), try VersionRange(parsing: "15.8.x"),
            ],
            snooze: 5_400
        )
        let body = BodyTemplate.Value.object([
            .init(name: "ok", value: .boolean(false)),
            .init(name: "code", value: .number("-1.50")),
            .init(name: "why", value: .text(try NoticeTemplate(parsing: "{message}", for: .body))),
            .init(
                name: "",
                value: .list([
                    .null, .text(try NoticeTemplate(parsing: "2026-12-01")),
                    .text(try NoticeTemplate(parsing: "{{}}")),
                ])
            ),
        ])
        let answers = RuleDefinition(
            id: "answers",
            match: RuleMatch(platforms: [.android]),
            minimum: try AppVersion(parsing: "2"),
            storeURL: StoreURL(
                "https://a.example",
                channels: ["galaxy": "samsungapps://ProductDetail/a"],
                countries: ["jp": "https://j.example", "kr": "https://k.example"]
            ),
            holdUntilInStore: StoreHold(),
            answer: AnswerStyle(
                status: 403,
                body: .json(body),
                contentType: "application/vnd.shop+json; charset=utf-8",
                sendsUpgrade: true
            )
        )
        #expect(definition.rules == [waits, answers])
    }

    @Test func `a release with all settings is parsed`() throws {
        let definition = try self.load(
            """
            rules: []
            releases:
            - app: com.example.shop
              platform: iPhone
              channel: TestFlight
              version: "4.2"
              build: 412
              releasedAt: 2026-12-01T00:00:00Z
              countries: { JP: 2026-12-02T00:00:00Z }
              phased: { completeAt: 2026-12-09T00:00:00Z }
              storeUrl: https://a.example
              minimumOS: "16.4"
            - { platform: ios, version: "4.3", countries: [jp, KR], phased: partial }
            - { platform: ios, version: "4.3.1", countries: jp, storeCountries: [JP, kr] }
            - { platform: ios, version: "4.4", phasedFrom: 2026-12-01T00:00:00Z }
            """
        )
        let version = { (text: String) throws(VersionError) in try AppVersion(parsing: text) }
        #expect(
            definition.releases == [
                Release(
                    app: "com.example.shop",
                    platform: .ios,
                    channel: "testflight",
                    version: try version("4.2"),
                    builds: [412],
                    releasedAt: try Timestamp(parsing: "2026-12-01T00:00:00Z"),
                    countries: ["jp": try Timestamp(parsing: "2026-12-02T00:00:00Z")],
                    phase: .phased(completeAt: try Timestamp(parsing: "2026-12-09T00:00:00Z")),
                    storeURL: "https://a.example",
                    minimumOS: try version("16.4")
                ),
                Release(
                    platform: .ios,
                    version: try version("4.3"),
                    countries: ["jp": nil, "kr": nil],
                    phase: .partial
                ),
                Release(
                    platform: .ios,
                    version: try version("4.3.1"),
                    countries: ["jp": nil],
                    storeCountries: ["jp", "kr"]
                ),
                Release(
                    platform: .ios,
                    version: try version("4.4"),
                    phase: .phased(completeAt: try Timestamp(parsing: "2026-12-08T00:00:00Z"))
                ),
            ]
        )
    }

    @Test func `response settings can be split across files, each set once`() throws {
        let definition = try RulesFileLoader.load(sources: [
            ("a.yaml", "rules: []\nstatus: 403\n"),
            ("b.yaml", "body: ''\ncontentType: text/x\nupgradeHeader: false\n"),
            ("c.yaml", "releases: [{ platform: ios, version: '1' }]\n"),
            ("d.yaml", "releases: [{ platform: ios, version: '2' }]\n"),
        ]).definition
        let body = BodyTemplate.text(try NoticeTemplate(parsing: "", for: .body))
        let answer = AnswerStyle(
            status: 403,
            body: body,
            contentType: "text/x",
            sendsUpgrade: false
        )
        #expect(definition.answer == answer)
        #expect(definition.releases.map(\.version?.description) == ["1", "2"])
        let errors = self.errors(
            ("a.yaml", "rules: []\nstatus: 403\n"),
            ("b.yaml", "status: 403\n")
        )
        #expect(errors == ["b.yaml:1:1: 'status' is already set at a.yaml:2:1"])
    }

    @Test func `the revoked passes of several files are joined`() throws {
        let (one, two) = ("b0a7c3d2e1f40596", "face0ff1ce123456")
        let definition = try RulesFileLoader.load(sources: [
            ("a.yaml", "rules: []\nrevokedPasses: [\(one)]\n"),
            ("b.yaml", "revokedPasses: [\(two), \(one)]\n"),
        ]).definition
        #expect(definition.revokedPasses == Set([one, two].compactMap { Pass.ID(parsing: $0) }))
    }

    @Test func `omitted settings have their defaults`() throws {
        let definition = try self.load("rules: []\n")
        #expect(definition == RuleSetDefinition(revision: definition.revision))
    }

    @Test func `settings replace their defaults individually`() throws {
        let definition = try self.load(
            """
            $schema: ./rules.schema.json
            defaultLanguage: ko
            identity:
              headers: { version: [X-V, X-Legacy-V], build: X-B, country: CF-IPCountry }
              userAgent: 'Shop/(?<version>[0-9.]+)'
              query: { version: App_Version }
            unidentified:
              missing: reject
              unreadable: observe
              storeUrl: https://a.example
              paths: [{ path: [/a, /b], method: get, unreadable: reject }, { method: PUT, missing: observe }]
            exempt: [/healthz, { path: [/a, /b], method: [get, POST] }, { method: OPTIONS }]
            rules: []
            """
        )
        #expect(definition.defaultLanguage == LanguageTag("ko"))
        #expect(definition.identity.headers[.version] == ["x-v", "x-legacy-v"])
        #expect(definition.identity.headers[.build] == ["x-b"])
        #expect(definition.identity.headers[.app] == ["x-app-id"])
        #expect(definition.identity.headers[.country] == ["cf-ipcountry"])
        #expect(definition.identity.query == [.version: "app_version"])
        #expect(definition.identity.userAgents.map(\.description) == ["Shop/(?<version>[0-9.]+)"])
        #expect(definition.unidentified.missing == .reject)
        #expect(definition.unidentified.unreadable == .observe)
        #expect(
            definition.unidentified.paths == [
                UnidentifiedPath(
                    request: try RequestPattern(path: "/a", methods: ["GET"]),
                    unreadable: .reject
                ),
                UnidentifiedPath(
                    request: try RequestPattern(path: "/b", methods: ["GET"]),
                    unreadable: .reject
                ),
                UnidentifiedPath(
                    request: try RequestPattern(path: nil, methods: ["PUT"]),
                    missing: .observe
                ),
            ]
        )
        #expect(
            definition.exemptions == [
                try RequestPattern(path: "/healthz", methods: nil),
                try RequestPattern(path: "/a", methods: ["GET", "POST"]),
                try RequestPattern(path: "/b", methods: ["GET", "POST"]),
                try RequestPattern(path: nil, methods: ["OPTIONS"]),
            ]
        )
    }

    @Test(
        arguments: [
            "\u{FEFF}rules: []\n",
            "rules: []\r\nexempt: []\r\n",
            "{\"rules\": []}",
            "{\n\t\"rules\": [],\n\t\"exempt\": [\"\\/healthz\"]\n}\n",
            "# a comment\n---\nrules: []\n...\n",
            "exempt: &paths [/a]\nrules: [{ id: a, match: { path: *paths }, recommended: '1' }]",
        ]
    )
    func `byte order marks, line ends, JSON and aliases are accepted`(_ text: String) {
        #expect(self.errors(("rules.yaml", text)) == [])
    }

    @Test(
        arguments: [
            ("rules: []\n# \u{0}\n", "2:3: the control character U+0000"),
            ("rules:\n- id: \u{1B}[1m\n", "2:7: the control character U+001B"),
            ("\u{FEFF}rules: [\u{7F}]\n", "1:9: the control character U+007F"),
        ]
    )
    func `control characters are reported`(_ text: String, _ expected: String) {
        let error = "rules.yaml:\(expected) is not allowed in a rules file"
        #expect(self.errors(("rules.yaml", text)) == [error])
    }

    @Test func `invalid UTF-8 is rejected with its location`() {
        let bytes = Array("rules: []\n# Caf".utf8) + [0xE9, 0x0A]
        let error = RulesFileError(
            file: "a.yaml",
            line: 2,
            column: 6,
            message: "the file is not valid UTF-8"
        )
        let thrown = #expect(throws: RulesFileErrors.self) {
            try RulesFileLoader.load([RulesSource(name: "a.yaml", bytes: bytes)])
        }
        #expect(thrown?.errors == [error])
    }

    @Test func `a file beyond the size limit is rejected`() {
        let text = "rules: []\n#" + String(repeating: "x", count: RulesSource.maximumSize)
        let errors = self.errors(("rules.yaml", text))
        #expect(errors == ["rules.yaml:1:1: the file is larger than 4 MiB"])
    }

    /// Rules for ten thousand paths with typical settings.
    @Test func `ten thousand rules are within the limits`() throws {
        let rules = (0..<10_000).map { number in
            "{ id: r\(number), match: { platform: [ios, android], app: [a.example], "
                + "path: [/v\(number)/**] }, minimum: 3.4.\(number), recommended: 3.9.\(number), "
                + "storeUrl: https://store.example/\(number), notice: n }"
        }
        let text =
            "notices: { n: { en: { title: t, message: m } } }\n"
            + "rules:\n- \(rules.joined(separator: "\n- "))\n"
        #expect(self.errors(("rules.yaml", text)) == [])
    }

    @Test func `an alias bomb is rejected`() {
        var text = "rules: []\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        for level in 1..<20 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let errors = self.errors(("rules.yaml", text))
        #expect(errors.count == 1)
        #expect(errors.first?.contains("the file contains more than 500000 values") == true)
    }

    /// Keys are compared with their whole content.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "? *a63\n: 1\n", "x: { *a63 : 1, *b63 : 2 }\n", "? [*a63]\n: 1\n? [*b63]\n: 2\n",
        ]
    )
    func `an alias bomb in a key is rejected at once`(_ keys: String) {
        var text = "rules: []\n"
        for name in ["a", "b"] {
            text += "\(name)0: &\(name)0 [1, 1]\n"
            for level in 1..<64 {
                let alias = "*\(name)\(level - 1)"
                text += "\(name)\(level): &\(name)\(level) [\(alias), \(alias)]\n"
            }
        }
        #expect(self.errors(("rules.yaml", text + keys)).count == 1)
    }

    @Test func `aliases are resolved, and asterisks in texts are kept`() throws {
        let definition = try self.load(
            """
            rules:
            - { id: a, match: &m { platform: ios, path: &p [/a, /*/b] }, minimum: &v "2", storeUrl: &l https://a.example }
            - { id: b, match: *m, minimum: *v, storeUrl: *l }
            - id: c
              match: { path: *p, platform: &p [tvos] }
              minimum: &v "3"
              storeUrl: *l
            - { id: d, match: {"platform":*p}, minimum: *v, storeUrl: *l }
            notices:
              n: { en: { title: "*a *b", message: a *b *c } }
              # *d
            """
        )
        let rules = definition.rules
        #expect(rules[1].match == rules[0].match)
        #expect(rules.map(\.minimum?.description) == ["2", "2", "3", "3"])
        #expect(rules[2].match.requests == rules[0].match.requests)
        #expect(rules[3].match.platforms == [.tvos])
        #expect(rules.allSatisfy { $0.storeURL == StoreURL("https://a.example") })
        let words = NoticeText(
            title: try NoticeTemplate(parsing: "*a *b"),
            message: try NoticeTemplate(parsing: "a *b *c")
        )
        #expect(definition.notices["n"]?.texts.values.map(\.self) == [words])
    }

    @Test func `a message is one printable line of limited length`() throws {
        let name = String(repeating: "n", count: 5000)
        let errors = self.errors(("rules.yaml", "rules: [\"a\\n\\eb\", \(name)]"))
        #expect(errors.count == 2)
        #expect(errors.first?.hasSuffix("found the string 'a\u{FFFD}\u{FFFD}b'") == true)
        #expect(try #require(errors.last).count < 850)
    }

    @Test func `files are merged in the given order`() throws {
        let definition = try RulesFileLoader.load(sources: [
            ("10.yaml", "rules: [{ id: b, recommended: '1', notice: n }]\nexempt: [/b]"),
            ("20.yaml", "rules: [{ id: a, recommended: '1' }]\nexempt: [/a]\n"),
            ("30.yaml", "notices: { n: { en: { title: a, message: b } } }"),
        ]).definition
        #expect(definition.rules.map(\.id) == ["b", "a"])
        #expect(definition.exemptions.map(\.path) == ["/b", "/a"])
        #expect(definition.notices.keys.sorted() == ["n"])
    }

    @Test func `a setting in two files is an error with both locations`() {
        let errors = self.errors(
            (
                "a.yaml",
                "defaultLanguage: en\nrules: [{ id: a, recommended: '1' }]\n"
                    + "notices: { n: { en: { title: a, message: b } } }\n"
            ),
            (
                "b.yaml",
                "defaultLanguage: ja\nrules: [{ id: a, recommended: '1' }]\n"
                    + "notices: { n: { en: { title: a, message: b } } }\n"
            ),
            ("c.yaml", "defaultLanguage: ko\n")
        )
        #expect(
            errors == [
                "b.yaml:1:1: 'defaultLanguage' is already set at a.yaml:1:1",
                "b.yaml:2:15: there is already a rule 'a' at a.yaml:2:15",
                "b.yaml:3:12: there is already a notice 'n' at a.yaml:3:12",
                "c.yaml:1:1: 'defaultLanguage' is already set at a.yaml:1:1",
            ]
        )
    }

    @Test func `an invalid file causes no errors about other files`() {
        let errors = self.errors(
            ("a.yaml", "notices: ["),
            ("b.yaml", "rules: [{ id: a, recommended: '1', notice: upgrade, mod: observe }]")
        )
        #expect(errors.count == 2)
        #expect(errors.first?.hasPrefix("a.yaml:") == true)
        #expect(errors.last == "b.yaml:1:53: unknown key 'mod'; did you mean 'mode'?")
    }

    @Test func `the revision depends on the contents in order, not on the paths`() throws {
        func revision(_ sources: (name: String, text: String)...) throws -> String {
            try RulesFileLoader.load(sources: sources).definition.revision
        }
        let first = try revision(("a/rules.yaml", "rules: []"))
        #expect(first.wholeMatch(of: /[0-9a-f]{12}/) != nil)
        #expect(try revision(("b/rules.yaml", "rules: []")) == first)
        #expect(try revision(("a/rules.yaml", "rules: [] ")) != first)
        #expect(try revision(("a/other.yaml", "rules: []")) == first)
        let split = try revision(("a", "rules: []\n"), ("b", "exempt: []\n"))
        #expect(try revision(("b", "exempt: []\n"), ("a", "rules: []\n")) != split)
    }
}
