import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateFeeds

/// The conversion of microCMS entries, except for version ranges.
struct MicroCMSContentTests {
    private static let link = #""url":"https://a.example""#

    private func feed(_ keys: String, match: String) throws -> MicroCMSFeed {
        let file = """
            feeds:
            - id: cms
              source: microcms
              service: shop
              endpoint: app-version
              key: { env: KEY }
            \(keys.split(separator: "\n").map { "  \($0)\n" }.joined())
              rule: { \(match.isEmpty ? "" : "match: { \(match) }, ")storeUrl: "https://a.example" }
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first?.source as? MicroCMSFeed)
    }

    /// Returns the value for a list of entries; each gets an ID and dates.
    private func value(
        _ entries: [String],
        _ keys: String = "",
        match: String = "platform: ios",
        after last: [String: String] = [:]
    ) throws -> FeedValue {
        let items = entries.enumerated().map { index, fields in
            #"{"id":"e\#(index)","updatedAt":"2026-04-27T02:44:50.280Z",\#(fields),\#(Self.link)}"#
        }
        let text = #"{"contents":[\#(items.joined(separator: ","))],"totalCount":\#(items.count)}"#
        let content = try JSONParser.parse(Array(text.utf8))
        return try self.feed(keys, match: match).value(from: content, id: "cms", after: last)
    }

    private func rules(
        _ entries: [String],
        _ keys: String = "",
        match: String = "platform: ios"
    ) throws -> [RuleDefinition] {
        let document = try self.value(entries, keys, match: match).files[0].text
        return try RulesFileLoader.load(sources: [("feed:cms", document)]).definition.rules
    }

    private func failure(
        _ entries: [String],
        _ keys: String = "",
        match: String = "platform: ios",
        after last: [String: String] = [:]
    ) -> String? {
        do {
            _ = try self.value(entries, keys, match: match, after: last)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (#""maxAppBuild":41199"#, "<=41199"), (#""maxAppBuild":"41199""#, "<=41199"),
        (#""minAppBuild":41000,"maxAppBuild":41199"#, ">=41000 <=41199"),
        (#""minAppBuild":null,"maxAppBuild":["41199"]"#, "<=41199"),
    ])
    func `a range of builds is blocked`(fields: String, range: String) throws {
        let rule = try #require(try self.rules([fields]).first)
        #expect(rule.blockedBuilds.map(\.description) == [range])
        #expect(rule.blocked.isEmpty)
    }

    @Test(arguments: [
        (
            #""minAppBuild":41000"#,
            "'maxAppBuild' is empty: every build from 41000 on would be blocked"
        ),
        (#""minAppBuild":9,"maxAppBuild":8"#, "'minAppBuild' 9 is above 'maxAppBuild' 8"),
        (#""maxAppBuild":93.1"#, "'maxAppBuild' must be a build, found the number 93.1"),
        (
            #""maxAppVersion":"41199""#,
            "'maxAppVersion' is '41199', a whole number: if it is a build, map"
        ),
        (#""maxAppVersion":"2.0 or older""#, "'maxAppVersion' is not a valid version"),
    ])
    func `an invalid range is an error`(fields: String, message: String) {
        let failure = self.failure([fields])
        #expect(failure?.contains(message) == true, "\(failure ?? "none")")
    }

    private static let perPlatform = [
        #""os":["iOS"],"maxAppVersion":"2.0""#, #""os":["Android"],"maxAppVersion":"3.0""#,
    ]

    @Test func `each entry applies to its own platform`() throws {
        let rules = try self.rules(Self.perPlatform, "fields: { platform: os }", match: "")
        #expect(rules.map(\.match.platforms) == [[.ios], [.android]])
        #expect(rules.map { $0.blocked.map(\.description) } == [["<=2.0"], ["<=3.0"]])
    }

    @Test(arguments: ["fields: { platform: os }", ""])
    func `only entries for the rule's platform are used`(keys: String) throws {
        for (platform, range) in [("ios", "<=2.0"), ("android", "<=3.0")] {
            let rules = try self.rules(Self.perPlatform, keys, match: "platform: \(platform)")
            #expect(rules.map(\.match.platforms) == [[Platform(platform)]])
            #expect(rules.map { $0.blocked.map(\.description) } == [[range]])
            let notes = try self.value(Self.perPlatform, keys, match: "platform: \(platform)").notes
            #expect(notes?.first?.contains("are ignored: 'cms-e") == true)
        }
    }

    @Test(
        arguments: [
            (
                [#""os":["Android"],"maxAppVersion":"3.0""#], "",
                "'cms-e0' is for a platform other than that of the feed's"
            ),
            ([#""os":[],"maxAppVersion":"3.0""#], "fields: { platform: os }", nil),
            (
                [#""os":["all"],"maxAppVersion":"3.0""#], "fields: { platform: os }",
                "expected platforms"
            ),
            (
                [#""os":"ios,android","maxAppVersion":"3.0""#], "fields: { platform: os }",
                "expected platforms"
            ),
            (
                [#""os":"*","maxAppVersion":"3.0""#], "fields: { platform: os }",
                "expected platforms"
            ),
            ([#""os":7,"maxAppVersion":"3.0""#], "fields: { platform: os }", "expected platforms"),
        ] as [([String], String, String?)]
    )
    func `an entry for another platform is ignored or an error`(
        entries: [String],
        keys: String,
        message: String?
    ) throws {
        let failure = self.failure(entries, keys)
        guard let message else {
            #expect(failure == nil)
            #expect(try self.rules(entries, keys).first?.match.platforms == [.ios])
            return
        }
        #expect(failure?.contains(message) == true, "\(failure ?? "none")")
    }

    @Test func `an entry without a platform needs one in the rule`() {
        let entries = [#""os":[],"maxAppVersion":"3.0""#]
        let failure = self.failure(entries, "fields: { platform: os }", match: "")
        #expect(failure == "'os' of 'cms-e0' is empty; expected a platform")
    }

    @Test func `an unused platform field is noted if the rule has no platform`() throws {
        let notes = try self.value(Self.perPlatform, match: "").notes
        #expect(
            notes == [
                "'os' names platforms, but is not read; use `fields: { platform: os }` to limit "
                    + "each rule to its entry's platforms"
            ]
        )
    }

    @Test(arguments: [
        (#""maxAppVersion":"2.0","active":true"#, ["cms-e0"]),
        (#""maxAppVersion":"2.0","active":false"#, []),
        (#""maxAppVersion":"2.0","active":["false"]"#, []),
    ])
    func `a switch disables an entry`(fields: String, ids: [String]) throws {
        #expect(try self.rules([fields], "fields: { enforce: active }").map(\.id) == ids)
    }

    @Test(arguments: [
        (#""closed":true"#, ["cms-e0-maintenance"]), (#""closed":false"#, []),
        (#""maxAppVersion":"2.0","closed":true"#, ["cms-e0", "cms-e0-maintenance"]),
        (
            #""closed":true,"startDate":"2026-12-24T01:00:00.000Z","endDate":"2026-12-24T03:00:00.000Z""#,
            ["cms-e0-maintenance"]
        ),
        (
            #""closed":false,"startDate":"2026-12-24T01:00:00.000Z","endDate":"2026-12-24T03:00:00.000Z""#,
            []
        ),
    ])
    func `an entry can be maintenance`(fields: String, ids: [String]) throws {
        let rules = try self.rules([fields], "fields: { maintenance: closed }")
        #expect(rules.map(\.id) == ids)
        guard let window = rules.last?.maintenance else { return }
        #expect((window == .open) == !fields.contains("startDate"))
        #expect(rules.last?.match.platforms == [.ios])
    }

    @Test func `the texts of a maintenance entry are its notice`() throws {
        let entry = #""closed":true,"title":"Back soon","message":"We are moving house.""#
        let document = try self.value([entry], "fields: { maintenance: closed }").files[0].text
        let loaded = try RulesFileLoader.load(sources: [("feed:cms", document)])
        #expect(loaded.definition.rules.map(\.notice) == ["cms-e0-maintenance"])
    }

    @Test func `a switch that is missing from all entries is an error`() throws {
        let keys = "fields: { maintenance: closed }"
        let first = try self.value([#""closed":true"#, #""maxAppVersion":"2.0""#], keys)
        let gone = self.failure([#""maxAppVersion":"2.0""#], keys, after: first.memory)
        #expect(gone?.hasPrefix("'closed' is missing") == true, "\(gone ?? "none")")
        // Unpublishing an entry ends its maintenance.
        #expect(try self.value([], keys, after: first.memory).files[0].text == "{\"rules\": []}\n")
    }

    @Test func `the texts for each language are read from separate fields`() throws {
        let keys =
            "language: ja\nfields: { title: { ja: title, en: titleEn }, message: { ja: text } }"
        let entry = #""maxAppVersion":"2.0","title":"更新","titleEn":"Update","text":"更新してください""#
        let document = try self.value([entry], keys).files[0].text
        let file = "defaultLanguage: ja\nrules: []\n"
        let loaded = try RulesFileLoader.load(sources: [("a", file), ("feed:cms", document)])
        #expect(loaded.definition.notices["cms-e0"]?.texts.count == 2)
    }

    @Test func `unused fields are noted`() throws {
        let notes = try self.value([#""maxAppVersion":"2.0","isMaintenance":false,"minBuild":7"#])
            .notes
        #expect(
            notes == [
                "'isMaintenance' is not read; map it with `fields: { maintenance: \"isMaintenance\" }`",
                "'minBuild' is not read; map it with `fields: { minAppBuild: \"minBuild\" }`",
            ]
        )
    }
}
