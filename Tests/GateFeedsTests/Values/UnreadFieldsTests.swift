import GatePolicy
import GateRules
import Testing

@testable import GateFeeds

struct UnreadFieldsTests {
    private func notes(
        _ json: String,
        read: Set<String> = [],
        platforms: [Platform]? = [.android]
    ) throws -> [String] {
        guard case .object(let fields) = try JSONParser.parse(Array(json.utf8)) else { return [] }
        return UnreadFields(fields, read: read, keys: .init(), platforms: platforms).notes
    }

    /// Field names from public templates and guides.
    @Test(
        arguments: [
            (#"{"maintenance_mode":"true"}"#, "maintenance", "maintenance_mode"),
            (#"{"maintenance":true}"#, "maintenance", "maintenance"),
            (#"{"isMaintenance":false}"#, "maintenance", "isMaintenance"),
            (#"{"serverMaintenance":"false"}"#, "maintenance", "serverMaintenance"),
            (#"{"maintenance":{"from":"a"}}"#, "maintenance", "maintenance"),
            (#"{"force_update":"false"}"#, "enforce", "force_update"),
            (#"{"forceUpdate":true}"#, "enforce", "forceUpdate"),
            (
                #"{"android_force_update_required":false}"#, "enforce",
                "android_force_update_required"
            ),
            (#"{"is_force":"1"}"#, "enforce", "is_force"),
            (#"{"update_mandatory":true}"#, "enforce", "update_mandatory"),
            (#"{"min_supported_version_code":"41200"}"#, "minBuild", "min_supported_version_code"),
            (#"{"android_minimum_version_code":1}"#, "minBuild", "android_minimum_version_code"),
            (#"{"minBuildNumber":45}"#, "minBuild", "minBuildNumber"),
            (#"{"latest_version_code":"41300"}"#, "latestBuild", "latest_version_code"),
            (#"{"lowestSupportedVersion":"1.0.0"}"#, "minVersion", "lowestSupportedVersion"),
            (#"{"minimum_required_version":"1.0.0"}"#, "minVersion", "minimum_required_version"),
            (#"{"current_version":"1.2.0"}"#, "latestVersion", "current_version"),
            (
                #"{"config":"{\"minVersion\":\"4.1.0\"}"}"#, "minVersion", "config#/minVersion"
            ),
            (#"{"config":"{\"maintenance\":false}"}"#, "maintenance", "config#/maintenance"),
        ]
    )
    func `an unused field that resembles a setting is noted`(
        json: String,
        key: String,
        path: String
    ) throws {
        #expect(
            try self.notes(json) == [
                "'\(path)' is not read; map it with `fields: { \(key): \"\(path)\" }`"
            ]
        )
    }

    @Test(arguments: [
        // Fields for other purposes, with other types, or for other platforms.
        #"{"welcome_message":"Hello","max_items":"10","new_ui_enabled":"true"}"#,
        #"{"min_version_ios":"4.0.0","iosForceUpdate":true,"forceAppVersionIOS":"4.0"}"#,
        #"{"maintenance_message":"Back soon"}"#, #"{"min_version":"soon"}"#,
        #"{"min_order":"3.5"}"#,
        #"{"force_dark_mode":false}"#, #"{"config":"{\"a\":1}"}"#, #"{"config":"{"}"#, "{}",
    ])
    func `an unrelated field is not noted`(json: String) throws {
        #expect(try self.notes(json).isEmpty)
    }

    @Test func `a used field is not noted, and neither is JSON with a used member`() throws {
        #expect(try self.notes(#"{"maintenance_mode":true}"#, read: ["maintenance_mode"]).isEmpty)
        let config = #"{"config":"{\"minVersion\":\"4.1.0\",\"maintenance\":true}"}"#
        #expect(try self.notes(config, read: ["config#/minVersion"]).isEmpty)
    }

    @Test func `the number of notes is limited`() throws {
        let many = (0..<20).map { #""maintenance_\#($0)":true"# }.joined(separator: ",")
        let notes = try self.notes("{\(many)}")
        #expect(notes.count == 9)
        #expect(notes.last == "12 more fields are not read")
    }
}

struct PlatformNamesTests {
    @Test(
        arguments: [
            ("min_version_ios", "ios"), ("iOSMinVersion", "ios"), ("minVersionIOS", "ios"),
            ("minVersionAndroid", "android"), ("android", "android"),
            ("version-rule-android", "android"),
            ("config#/ios/min", "ios"), ("ios.minimum", "ios"), ("iPadMin", "ios"),
            ("ipad_min", "ios"),
            ("macosMin", "macos"), ("min_version", nil), ("ios_and_android", nil), ("curious", nil),
            ("androidx", nil), ("biosVersion", nil), ("web_url", nil),
        ] as [(String, String?)]
    )
    func `a platform is found in a field name`(name: String, platform: String?) {
        #expect(PlatformNames.platform(in: name)?.name == platform)
    }

    @Test(
        arguments: [
            (#""ios""#, ["ios"]), (#""iOS""#, ["ios"]), (#"["Android"]"#, ["android"]),
            (#"["ios","android"]"#, ["ios", "android"]), (#""iPhone""#, ["ios"]), (#""all""#, nil),
            (#""*""#, nil), (#""ios,android""#, nil), (#""both""#, nil), ("[]", nil), ("7", nil),
            (#"["ios",7]"#, nil), (#""""#, nil),
        ] as [(String, [String]?)]
    )
    func `platforms are found in a value`(json: String, platforms: [String]?) throws {
        let value = try JSONParser.parse(Array(json.utf8))
        #expect(PlatformNames.platforms(named: value)?.map(\.name) == platforms)
    }
}
