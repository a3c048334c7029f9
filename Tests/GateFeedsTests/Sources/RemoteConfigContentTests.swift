import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateFeeds

/// The conversion of templates, except for versions.
struct RemoteConfigContentTests {
    /// 2026-12-24T12:00:00Z.
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private func feed(_ keys: String, system: String) throws -> FirebaseRemoteConfigFeed {
        let file = """
            feeds:
            - id: rc
              source: firebaseRemoteConfig
              project: example
              serviceAccount: metadata
              system: \(system)
            \(keys.split(separator: "\n").map { "  \($0)\n" }.joined())
              rule: { storeUrl: "https://a.example" }
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first?.source as? FirebaseRemoteConfigFeed)
    }

    private func value(
        _ template: String,
        _ keys: String = "",
        system: String = "android",
        after last: [String: String] = [:]
    ) throws -> FeedValue {
        let template = try RemoteConfigTemplate(json: Array(template.utf8))
        return try self.feed(keys, system: system)
            .value(from: template, id: "rc", at: Self.now, after: last)
    }

    private func rules(
        _ template: String,
        _ keys: String = "",
        system: String = "android"
    ) throws -> [RuleDefinition] {
        let document = try self.value(template, keys, system: system).files[0].text
        return try RulesFileLoader.load(sources: [("feed:rc", document)]).definition.rules
    }

    private func failure(_ template: String, _ keys: String = "") -> String? {
        do {
            _ = try self.value(template, keys)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns a template whose parameters have these defaults.
    private static func parameters(_ values: KeyValuePairs<String, String>) -> String {
        let parameters = values.map { name, value in
            "\"\(name)\":{\"defaultValue\":{\"value\":\(JSONValue.text(value).compact)}}"
        }
        return "{\"parameters\":{\(parameters.joined(separator: ","))}}"
    }

    /// Returns a template with conditions, and a parameter with conditional values.
    private static func conditional(
        _ name: String,
        _ values: [(expression: String, value: String)],
        _ value: String,
        _ others: KeyValuePairs<String, String> = [:]
    ) -> String {
        let conditions = values.enumerated().map { index, value in
            #"{"name":"c\#(index)","expression":"\#(value.expression)"}"#
        }
        let conditionals = values.enumerated().map { index, value in
            #""c\#(index)":{"value":\#(JSONValue.text(value.value).compact)}"#
        }
        let parameters = others.map { name, value in
            ",\"\(name)\":{\"defaultValue\":{\"value\":\(JSONValue.text(value).compact)}}"
        }
        return #"""
            {"conditions":[\#(conditions.joined(separator: ","))],"parameters":{"\#(name)":{
             "defaultValue":{"value":\#(JSONValue.text(value).compact)},
             "conditionalValues":{\#(conditionals.joined(separator: ","))}}\#(parameters.joined())}}
            """#
    }

    /// A `versionCode` in a parameter of type NUMBER.
    private static let versionCodes = #"""
        {"conditions":[],"parameters":{
         "min_supported_version_code":{"defaultValue":{"value":"41200"},"valueType":"NUMBER"},
         "latest_version_code":{"defaultValue":{"value":"41300"},"valueType":"NUMBER"}},
         "version":{"versionNumber":"7"}}
        """#

    @Test func `a versionCode is a minimum build`() throws {
        let keys =
            "fields: { minBuild: min_supported_version_code, latestBuild: latest_version_code }"
        let rule = try #require(try self.rules(Self.versionCodes, keys).first)
        #expect(rule.minimumBuild == 41200)
        #expect(rule.recommendedBuild == 41300)
        #expect((rule.minimum, rule.recommended) == (nil, nil))
    }

    @Test func `a version parameter of another platform is not a misspelling`() throws {
        let template = Self.parameters(["min_build": "41200", "min_version_ios": "4.0.0"])
        #expect(try self.rules(template).first?.minimumBuild == 41200)
        #expect(try self.value(template).notes == nil)
    }

    @Test func `a versionCode as a version is an error with the fix`() {
        let keys =
            "fields: { minVersion: min_supported_version_code, latestVersion: latest_version_code }"
        #expect(
            self.failure(Self.versionCodes, keys)
                == "the parameter 'min_supported_version_code' is '41200', a whole number of type NUMBER: "
                + "if it is a build, map it with `fields: { minBuild: \"min_supported_version_code\" }`; if it "
                + "is a version, write '41200.0' as a STRING"
        )
    }

    @Test(arguments: [
        ("41200", "STRING", "a whole number: if it is a build"),
        ("21", "NUMBER", "of type NUMBER: if"),
        ("1", "NUMBER", "of type NUMBER"), ("202611", "STRING", "a whole number"),
        ("4.1.0 or later", "STRING", "is not a number in ASCII digits"),
        ("ios", "STRING", "'ios' is not"),
    ])
    func `an implausible version is an error`(value: String, type: String, message: String) {
        let template = #"""
            {"parameters":{"min_version":{"defaultValue":{"value":"\#(value)"},"valueType":"\#(type)"}}}
            """#
        let failure = self.failure(template)
        #expect(failure?.contains(message) == true, "\(failure ?? "none")")
    }

    @Test(
        arguments: [
            ("112", "STRING", "'min_version' is the whole number 112"),
            ("4.1", "NUMBER", "'min_version' is of type NUMBER, in which 1.10 equals 1.1"),
            (
                "1.2.3+45", "STRING",
                "'min_version' has the suffix '+45', which is ignored in comparisons"
            ),
            ("4.1.0", "STRING", nil), ("0", "NUMBER", nil),
        ] as [(String, String, String?)]
    )
    func `an unusual version is noted`(
        value: String,
        type: String,
        note: String?
    ) throws {
        let template = #"""
            {"parameters":{"min_version":{"defaultValue":{"value":"\#(value)"},"valueType":"\#(type)"}}}
            """#
        let notes = try self.value(template).notes
        #expect(notes?.count == (note == nil ? nil : 1))
        if let note { #expect(notes?.first?.hasPrefix(note) == true, "\(notes ?? [])") }
    }

    @Test(
        arguments: [
            ([], "41200", 41200, []),
            ([("device.os == 'android'", "41200")], "0", 41200, []),
            ([("device.os == 'ios'", "93")], "41200", 41200, []),
            ([("app.version.<(['3.0'])", "40000")], "41200", 40000, [">=40000 <41200 of >=3.0"]),
            ([("app.version.>=(['3.0'])", "41200")], "", nil, ["<41200 of >=3.0"]),
            (
                [("app.version.exactlyMatches(['3.1'])", "41205")], "41200", 41200,
                [">=41200 <41205 of 3.1"]
            ),
            ([("app.build.<(['30000'])", "20000")], "41200", 20000, [">=30000 <41200"]),
            ([("app.build.>=(['30000'])", "41200")], "0", nil, [">=30000 <41200"]),
            ([("percent <= 10", "50000")], "41200", 41200, []),
            ([("percent <= 10", "40000")], "41200", 40000, []),
            ([("percent <= 10", "")], "41200", 41200, []),
            ([("app.audiences.in(['b'])", "50000"), ("true", "41300")], "41200", 41300, []),
        ] as [([(String, String)], String, BuildNumber?, [String])]
    )
    func `conditional values of a minimum build are converted like versions`(
        values: [(String, String)],
        value: String,
        minimum: BuildNumber?,
        blocked: [String]
    ) throws {
        let template = Self.conditional("min_build", values.map { ($0, $1) }, value)
        let rule = try self.rules(template).first
        #expect(rule?.minimumBuild == minimum)
        #expect(rule?.blockedBuilds.map(\.description) ?? [] == blocked)
    }

    /// A template with versions and other parameters.
    private static let besides = #"""
        {"parameters":{"version_rule_android":{"defaultValue":{
         "value":"{\"minVersion\":\"4.1.0\",\"latestVersion\":\"4.2.0\",\"maintenance\":false}"},"valueType":"JSON"},
         "maintenance_mode":{"defaultValue":{"value":"true"},"valueType":"BOOLEAN"},
         "force_update":{"defaultValue":{"value":"false"},"valueType":"BOOLEAN"},
         "min_version":{"defaultValue":{"value":"4.0.0"}}}}
        """#

    @Test func `parameters outside of fields are ignored and noted`() throws {
        #expect(try self.rules(Self.besides).map(\.id) == ["rc"])
        #expect(try self.rules(Self.besides).first?.minimum?.description == "4.0.0")
        func note(_ key: String, _ path: String) -> String {
            "'\(path)' is not read; map it with `fields: { \(key): \"\(path)\" }`"
        }
        #expect(
            try self.value(Self.besides).notes == [
                note("enforce", "force_update"), note("maintenance", "maintenance_mode"),
                note("minVersion", "version_rule_android#/minVersion"),
                note("latestVersion", "version_rule_android#/latestVersion"),
                note("maintenance", "version_rule_android#/maintenance"),
            ]
        )
        // The parameter `version_rule_android` is for Android only.
        #expect(try self.value(Self.besides, system: "ios").notes?.count == 2)
    }

    @Test(
        arguments: [
            ("fields: { maintenance: maintenance_mode }", "4.0.0", nil, true),
            ("fields: { enforce: force_update }", nil, "4.0.0", false),
            (
                "fields: { maintenance: maintenance_mode, enforce: force_update }", nil, "4.0.0",
                true
            ),
            (
                "fields: { minVersion: \"version_rule_android#/minVersion\", latestVersion: \"version_rule_android#/latestVersion\" }",
                "4.1.0", "4.2.0", false
            ),
            ("fields: { maintenance: \"version_rule_android#/maintenance\" }", "4.0.0", nil, false),
        ] as [(String, String?, String?, Bool)]
    )
    func `parameters in fields are used`(
        keys: String,
        minimum: String?,
        recommended: String?,
        isClosed: Bool
    ) throws {
        let rules = try self.rules(Self.besides, keys)
        #expect(rules.first?.minimum?.description == minimum)
        #expect(rules.first?.recommended?.description == recommended)
        #expect((rules.last?.maintenance == .open) == isClosed)
    }

    @Test(arguments: [
        ("{\"min\":4.1}", "numbers lose trailing zeros"),
        ("{\"min\":41200}", "if it is a build, map it"),
        ("{\"max\":\"4\"}", "has no parameter"), ("{\"min\":", "is invalid JSON"),
        ("4.1.0", "is invalid JSON"),
        ("{\"min\":{\"ios\":\"4\"}}", "must be a string, found an object"),
        ("{\"min\":\"soon\"}", "is 'soon'"),
        ("{\"min\":\"4.1.0 or later\"}", "is '4.1.0 or later'"),
    ])
    func `JSON without the member is an error`(value: String, message: String) {
        let keys = "fields: { minVersion: \"config#/min\" }"
        let failure = self.failure(Self.parameters(["config": value]), keys)
        #expect(failure?.contains(message) == true, "\(failure ?? "none")")
    }

    @Test func `conditional JSON values are converted like other values`() throws {
        let template = Self.conditional(
            "config",
            [("app.version.<(['3.0'])", #"{"min":"2.5"}"#), ("percent <= 5", #"{"min":"9.0"}"#)],
            #"{"min":"3.5"}"#
        )
        let rule = try #require(
            try self.rules(template, "fields: { minVersion: \"config#/min\" }").first
        )
        #expect(rule.minimum?.description == "2.5")
        #expect(rule.blocked.map(\.description) == [">=3.0 <3.5"])
        // One of the values lacks the member, so the version for these clients is unknown.
        let lacking = Self.conditional("config", [("true", "{}")], #"{"min":"3.5"}"#)
        let failure = self.failure(lacking, "fields: { minVersion: \"config#/min\" }")
        #expect(failure?.contains("its JSON has no '/min'") == true, "\(failure ?? "none")")
    }

    @Test(
        arguments: [
            ([("device.os == 'android'", "false")], "true", nil, []),
            ([("device.os == 'ios'", "false")], "true", "4.0.0", []),
            ([("app.version.<(['3.0'])", "false")], "true", nil, [">=3.0 <4.0.0"]),
            // Only decidable conditions count.
            ([("percent <= 10", "false")], "true", "4.0.0", []),
            ([("percent <= 10", "true")], "false", nil, []),
            ([("app.build.>=(['100'])", "true")], "false", nil, []),
        ] as [([(String, String)], String, String?, [String])]
    )
    func `a switch can be conditional`(
        values: [(String, String)],
        value: String,
        minimum: String?,
        blocked: [String]
    ) throws {
        let template = Self.conditional(
            "force",
            values.map { ($0, $1) },
            value,
            ["min_version": "4.0.0"]
        )
        let rule = try self.rules(template, "fields: { enforce: force }").first
        #expect(rule?.minimum?.description == minimum)
        #expect(rule?.blocked.map(\.description) ?? [] == blocked)
    }

    @Test(arguments: [
        ([("device.os == 'android'", "true")], "false", true),
        ([("device.os == 'ios'", "true")], "false", false),
        ([("dateTime >= dateTime('2026-12-24T11:00:00')", "true")], "false", true),
        ([("dateTime >= dateTime('2026-12-24T13:00:00')", "true")], "false", false),
        // Conditions on versions or undecidable conditions do not start maintenance.
        ([("app.version.<(['3.0'])", "true")], "false", false),
        ([("percent <= 50", "true")], "false", false),
        ([("percent <= 50", "false")], "true", true),
        ([("app.version.<(['3.0'])", "false")], "true", false),
    ])
    func `maintenance applies to every version or none`(
        values: [(String, String)],
        value: String,
        isClosed: Bool
    ) throws {
        let template = Self.conditional("closed", values.map { ($0, $1) }, value)
        let rules = try self.rules(template, "fields: { maintenance: closed }")
        #expect(rules.map(\.id) == (isClosed ? ["rc-maintenance"] : []))
    }

    @Test func `maintenance that depends on the version is noted`() throws {
        let template = Self.conditional("closed", [("app.version.<(['3.0'])", "true")], "false")
        let notes = try self.value(template, "fields: { maintenance: closed }").notes
        #expect(notes?.first?.hasPrefix("'closed' differs by version or build, but") == true)
    }

    @Test(arguments: ["maybe", "2", "{}"])
    func `an invalid switch is an error`(value: String) {
        let template = Self.parameters(["min_version": "4.0.0", "switch": value])
        for field in ["enforce", "maintenance"] {
            let failure = self.failure(template, "fields: { \(field): switch }")
            #expect(
                failure?.contains("the parameter 'switch' must be") == true,
                "\(failure ?? "none")"
            )
        }
    }

    @Test func `texts are found in conditional values and objects by language`() throws {
        let template = Self.conditional(
            "update_message",
            [("device.language in ['ja', 'zh_TW']", "更新"), ("device.language in ['ko']", "업데이트")],
            "Update",
            ["min_version": "4.0.0", "update_title": #"{"en":"New","ja":"新しい"}"#]
        )
        let value = try self.value(template)
        #expect(value.notes == nil)
        let loaded = try RulesFileLoader.load(sources: [("feed:rc", value.files[0].text)])
        let texts = try #require(loaded.definition.notices["rc"]?.texts)
        #expect(texts.keys.map { "\($0)" }.sorted() == ["en", "ja", "ko", "zh-TW"])
    }

    @Test func `texts with undecidable conditions are not used`() throws {
        let template = Self.conditional(
            "update_message",
            [("percent <= 50", "Now"), ("device.language in ['ja']", "更新")],
            "Update",
            ["min_version": "4.0.0"]
        )
        let value = try self.value(template)
        #expect(!value.files[0].text.contains("notices"))
        #expect(
            value.notes == [
                "'update_message' has conditions, so it is ignored: set the value in 'rule'"
            ]
        )
    }

    @Test func `a store URL can depend on the operating system`() throws {
        let template = Self.conditional(
            "store_url",
            [
                ("device.os == 'android'", "https://b.example"),
                ("device.os == 'ios'", "https://c.example"),
            ],
            "",
            ["min_version": "4.0.0"]
        )
        #expect(try self.rules(template).first?.storeURL?.default == "https://b.example")
        #expect(
            try self.rules(template, system: "ios").first?.storeURL?.default == "https://c.example"
        )
    }

    @Test(
        arguments: [
            ("3.7.2", ["3.7.2"], []),
            (#"["3.7.2",">=3.9 <3.9.4"]"#, ["3.7.2", ">=3.9 <3.9.4"], []),
            ("", [], []),
        ] as [(String, [String], [String])]
    )
    func `versions can be blocked`(value: String, versions: [String], builds: [String]) throws {
        let template = Self.parameters(["min_version": "1.0", "blocked": value])
        let rule = try #require(
            try self.rules(template, "fields: { blockedVersions: blocked }").first
        )
        #expect(rule.blocked.map(\.description) == versions)
    }

    @Test func `builds can be blocked, unless the switch is off`() throws {
        for (isOn, blocked) in [("true", ["41215", ">=41230 <41240"]), ("false", [])] {
            let template = Self.parameters([
                "min_build": "41200", "bad": #"[41215, ">=41230 <41240"]"#, "force": isOn,
            ])
            let keys = "fields: { blockedBuilds: bad, enforce: force }"
            let rule = try #require(try self.rules(template, keys).first)
            #expect(rule.blockedBuilds.map(\.description) == blocked)
        }
    }

    @Test func `a duplicate parameter is an error`() {
        let template = #"""
            {"parameters":{"min_version":{"defaultValue":{"value":"4.0.0"}}},
             "parameterGroups":{"a":{"parameters":{"min_version":{"defaultValue":{"value":"3.0.0"}}}}}}
            """#
        #expect(self.failure(template)?.contains("it is defined twice") == true)
    }

    @Test func `a template from another project is noted`() throws {
        let template = Self.conditional(
            "min_version",
            [("app.id == '1:222:android:abc'", "4.0.0")],
            "3.0.0"
        )
        let notes = try self.value(template, "appId: '1:111:android:abc'").notes
        #expect(
            notes?.first?.contains("apps of the Firebase project 222") == true,
            "\(notes ?? [])"
        )
        #expect(try self.value(template, "appId: '1:222:android:abc'").notes == nil)
        #expect(try self.value(template, "appId: '1:222:android:other'").notes == nil)
    }
}
