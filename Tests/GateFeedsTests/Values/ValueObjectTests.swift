import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateFeeds

/// The conversion of objects, except for versions.
struct ValueObjectTests {
    private static let link = #""storeUrl":"https://a.example""#

    private func content(_ keys: String = "", rule: String = "") throws -> ValueObject {
        let file = """
            feeds:
            - id: db
              source: firebaseDatabase
              database: https://a.example
            \(keys.split(separator: "\n").map { "  \($0)\n" }.joined())
              rule: { match: { platform: android }, storeUrl: "https://a.example"\(rule) }
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first?.source as? FirebaseDatabaseFeed).content
    }

    private func value(
        _ json: String,
        _ keys: String = "",
        rule: String = "",
        after last: [String: String] = [:]
    ) throws -> FeedValue {
        let value = try JSONParser.parse(Array(json.utf8))
        return try self.content(keys, rule: rule).value(from: value, id: "db", after: last)
    }

    /// Returns the loaded rules for an object.
    private func rules(_ json: String, _ keys: String = "", rule: String = "") throws
        -> [RuleDefinition]
    {
        let document = try self.value(json, keys, rule: rule).files[0].text
        return try RulesFileLoader.load(sources: [("feed:db", document)]).definition.rules
    }

    private func failure(
        _ json: String,
        _ keys: String = "",
        after last: [String: String] = [:]
    ) -> String? {
        do {
            _ = try self.value(json, keys, after: last)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            (#"{"minBuild":41200}"#, "", "41200", nil),
            (#"{"minBuild":"41200"}"#, "", "41200", nil),
            (#"{"minBuild":41200,"latestBuild":41300}"#, "", "41200", "41300"),
            (#"{"latestBuild":"41300"}"#, "", nil, "41300"),
            (#"{"minBuild":["41200"]}"#, "", "41200", nil),
            (
                #"{"min_version_code":41200}"#, "fields: { minBuild: min_version_code }", "41200",
                nil
            ),
            (#"{"android":{"min":7}}"#, "fields: { minBuild: android.min }", "7", nil),
            (
                #"{"config":"{\"min\":41200,\"latest\":\"41300\"}"}"#,
                "fields: { minBuild: \"config#/min\", latestBuild: \"config#/latest\" }", "41200",
                "41300"
            ),
        ] as [(String, String, String?, String?)]
    )
    func `floors and recommendations can be builds`(
        json: String,
        keys: String,
        minimum: String?,
        latest: String?
    ) throws {
        let rule = try #require(try self.rules(json, keys).first)
        #expect(rule.minimumBuild.map { "\($0)" } == minimum)
        #expect(rule.recommendedBuild.map { "\($0)" } == latest)
        #expect(rule.minimum == nil)
    }

    @Test(arguments: [
        (
            #"{"minVersion":41200}"#,
            "'minVersion' must be a string, found the number 41200; if it is a build"
        ),
        (
            #"{"minVersion":"41200"}"#,
            "'minVersion' is '41200', a whole number: if it is a build, map it with"
        ),
        (#"{"version":"41300"}"#, "'version' is '41300', a whole number"),
        (#"{"minVersion":"4.1.0 or later"}"#, "'minVersion' is not a valid version"),
        (#"{"minVersion":{"ios":"4.1"}}"#, "'minVersion' must be a string, found an object"),
        (#"{"minBuild":93.1}"#, "'minBuild' must be a build, found the number 93.1"),
        (#"{"minBuild":"latest"}"#, "'minBuild' is not a valid build"),
        (
            #"{"minVersion":"4","os":"ios"}"#,
            "'os' states that the object is for ios, but the feed's 'rule'"
        ),
        (
            #"{"minVersion":"4","platform":["iOS"]}"#,
            "is for ios, but the feed's 'rule' is for android"
        ),
        (
            #"{"android":{"minVersion":"4"}}"#,
            "but contains 'android': use `fields: { minVersion: android.minVersion }`"
        ),
        (#"{"ios":{"minVersion":"4"}}"#, "the object has neither 'minVersion' nor 'version'"),
        (#"{"minVersion":"4","title":{"text":"a"}}"#, "'text' is not a language"),
    ])
    func `a contradictory value is an error`(json: String, message: String) {
        let failure = self.failure(json)
        #expect(failure?.contains(message) == true, "\(failure ?? "none")")
    }

    @Test(arguments: [
        #"{"minVersion":"4","os":"Android"}"#, #"{"minVersion":"4","platform":"android"}"#,
        #"{"minVersion":"4","platform":["ios","android"]}"#, #"{"minVersion":"4","os":"12"}"#,
        #"{"minVersion":"4","platform":"all"}"#, #"{"minVersion":"4","targetSdk":34}"#,
    ])
    func `an object for the platform of the rule is accepted`(json: String) throws {
        #expect(try self.rules(json).first?.minimum?.description == "4")
    }

    @Test(
        arguments: [
            ("true", "4.0.0", "4.2.0"), ("false", nil, "4.2.0"), (#""false""#, nil, "4.2.0"),
            (#""""#, nil, "4.2.0"), ("0", nil, "4.2.0"), ("1", "4.0.0", "4.2.0"),
        ] as [(String, String?, String?)]
    )
    func `a switch turns the floor into a recommendation`(
        isOn: String,
        minimum: String?,
        recommended: String?
    ) throws {
        let json = #"{"minVersion":"4.0.0","version":"4.2.0","minBuild":400,"force":\#(isOn)}"#
        let rule = try #require(try self.rules(json, "fields: { enforce: force }").first)
        #expect(rule.minimum?.description == minimum)
        #expect(rule.recommended?.description == recommended)
        #expect((rule.minimumBuild == nil) == (minimum == nil))
        #expect((rule.recommendedBuild == nil) == (minimum != nil))
        // Without a latest version, the floor is recommended.
        let alone = #"{"minVersion":"4.0.0","force":\#(isOn)}"#
        let only = try #require(try self.rules(alone, "fields: { enforce: force }").first)
        #expect((only.minimum ?? only.recommended)?.description == "4.0.0")
    }

    @Test func `a switch outside of fields is ignored and noted`() throws {
        let json = #"{"minVersion":"4.0.0","force_update":false,"maintenance":true}"#
        let value = try self.value(json)
        #expect(try self.rules(json).map(\.minimum?.description) == ["4.0.0"])
        #expect(
            value.notes == [
                "'force_update' is not read; map it with `fields: { enforce: \"force_update\" }`",
                "'maintenance' is not read; map it with `fields: { maintenance: \"maintenance\" }`",
            ]
        )
    }

    @Test(arguments: [#""soon""#, "2", "{}", #"["true","false"]"#])
    func `an invalid switch is an error`(isOn: String) {
        let json = #"{"minVersion":"4.0.0","switch":\#(isOn)}"#
        for field in ["enforce", "maintenance"] {
            let failure = self.failure(json, "fields: { \(field): switch }")
            #expect(failure?.contains("'switch' must be") == true, "\(failure ?? "none")")
        }
    }

    @Test(arguments: ["enforce", "maintenance"])
    func `a switch that has disappeared is an error, and one that never existed is noted`(
        field: String
    ) throws {
        let keys = "fields: { \(field): switch }"
        let first = try self.value(#"{"minVersion":"4.0.0","switch":true}"#, keys)
        let gone = self.failure(#"{"minVersion":"4.0.0"}"#, keys, after: first.memory)
        #expect(
            gone
                == "'switch' is missing: its last value stays active; to turn it off, set it to false"
        )
        let off = try self.value(
            #"{"minVersion":"4.0.0","switch":false}"#,
            keys,
            after: first.memory
        )
        #expect(off.notes == nil)
        let never = try self.value(#"{"minVersion":"4.0.0"}"#, keys)
        #expect(
            never.notes == ["'switch', mapped by 'fields', is missing: the mapping has no effect"]
        )
        #expect(try self.rules(#"{"minVersion":"4.0.0"}"#, keys).map(\.id) == ["db"])
    }

    @Test func `maintenance is a separate rule for the same clients`() throws {
        let json = #"{"minVersion":"4.0.0","closed":true,"back":{"en":"Back soon","ja":"メンテ中"}}"#
        let keys = "fields: { maintenance: closed, maintenanceMessage: back }"
        let value = try self.value(json, keys, rule: ", status: 403, mode: observe")
        let loaded = try RulesFileLoader.load(sources: [("feed:db", value.files[0].text)])
        #expect(loaded.definition.rules.map(\.id) == ["db", "db-maintenance"])
        let rule = try #require(loaded.definition.rules.last)
        #expect(rule.maintenance == .open)
        #expect(rule.match.platforms == [.android])
        #expect(rule.mode == .observe)
        #expect(rule.answer.status == nil)
        #expect(loaded.definition.notices["db-maintenance"]?.texts.count == 2)
        let off = json.replacing("true", with: "false")
        #expect(try self.rules(off, keys).map(\.id) == ["db"])
    }

    @Test(arguments: [
        (#""closed":true"#, "fields: { maintenance: closed }", true),
        (#""closed":"false""#, "fields: { maintenance: closed }", false),
        (
            #""from":"2026-12-24T01:00:00Z","until":"2026-12-24T03:00:00Z""#,
            "fields: { maintenanceFrom: from, maintenanceUntil: until }", true
        ),
        (
            #""from":"","until":"""#, "fields: { maintenanceFrom: from, maintenanceUntil: until }",
            false
        ),
        (
            #""closed":false,"from":"2026-12-24T01:00:00Z","until":"2026-12-24T03:00:00Z""#,
            "fields: { maintenance: closed, maintenanceFrom: from, maintenanceUntil: until }", false
        ),
        (
            #""m":{"from":"2026-12-24T01:00:00Z","until":"2026-12-24T03:00:00Z"}"#,
            "fields: { maintenance: m }", true
        ),
        (#""m":{"on":true}"#, "fields: { maintenance: m.on }", true),
        (#""m":"{\"on\":true}""#, "fields: { maintenance: \"m#/on\" }", true),
        (#""m":"{\"on\":false}""#, "fields: { maintenance: \"m#/on\" }", false),
    ])
    func `maintenance does not need a floor`(fields: String, keys: String, isClosed: Bool) throws {
        let rules = try self.rules("{\(fields)}", keys)
        #expect(rules.map(\.id) == (isClosed ? ["db-maintenance"] : []))
    }

    @Test func `texts by language become one notice`() throws {
        let keys = "language: ja\nfields: { title: { en: title, ja: title_ja } }"
        let json = #"""
            {"minVersion":"4","title":"Update","title_ja":"更新",
             "message":{"ja":"更新してください。","ko":"업데이트"},"button":"OK"}
            """#
        let value = try self.value(json, keys)
        let file = "defaultLanguage: ja\nrules: []\n"
        let loaded = try RulesFileLoader.load(
            sources: [("a", file), ("feed:db", value.files[0].text)]
        )
        let texts = try #require(loaded.definition.notices["db"]?.texts)
        #expect(texts.keys.map { "\($0)" }.sorted() == ["en", "ja", "ko"])
    }

    @Test func `texts without the feed's language are noted and not used`() throws {
        let json = #"{"minVersion":"4.0","message":{"ja":"更新してください。"}}"#
        let value = try self.value(json)
        #expect(try self.rules(json).first?.minimum?.description == "4.0")
        #expect(
            value.notes == [
                "the texts of 'db' are not used: none is in 'en', the feed's 'language'"
            ]
        )
    }

    @Test(arguments: [
        (#""bad":"3.7.2""#, "fields: { blockedVersions: bad }", "3.7.2", ""),
        (
            #""bad":["3.7.2",">=3.9 <3.9.4"]"#, "fields: { blockedVersions: bad }",
            "3.7.2, >=3.9 <3.9.4", ""
        ),
        (#""bad":[41215,"41218"]"#, "fields: { blockedBuilds: bad }", "", "41215, 41218"),
        (#""bad":"""#, "fields: { blockedBuilds: bad }", "", ""),
    ])
    func `versions and builds can be blocked`(
        fields: String,
        keys: String,
        versions: String,
        builds: String
    ) throws {
        let rule = try self.rules(#"{"minVersion":"1",\#(fields)}"#, keys).first
        #expect(rule?.blocked.map(\.description).joined(separator: ", ") == versions)
        #expect(rule?.blockedBuilds.map(\.description).joined(separator: ", ") == builds)
    }

    @Test func `build metadata in a version is noted with the fix`() throws {
        let value = try self.value(#"{"minVersion":"1.2.3+45"}"#)
        #expect(
            try self.rules(#"{"minVersion":"1.2.3+45"}"#).first?.minimum?.description == "1.2.3"
        )
        #expect(value.notes?.count == 1)
        #expect(value.notes?.first?.contains("'minimumBuild: 45'") == true)
    }

    @Test func `a floor can be lowered with an integer`() throws {
        let first = try self.value(#"{"minVersion":"41200.0"}"#)
        #expect(first.memory["minimum"] == "41200.0")
        #expect(self.failure(#"{"minVersion":"41200"}"#, after: first.memory) == nil)
        #expect(self.failure(#"{"minVersion":"41201"}"#, after: first.memory) != nil)
    }
}
