import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Feeds whose values for one platform become rules for another.
struct FeedPlatformCheckTests {
    private static let sources = [
        "config":
            "source: firebaseRemoteConfig, project: example, serviceAccount: metadata, system: SYSTEM",
        "database": "source: firebaseDatabase, database: \"https://a.example\", path: PATH",
        "cms": "source: microcms, service: shop, endpoint: ENDPOINT, key: { env: K }",
    ]

    private func told(_ source: String, platforms: String, fields: String = "{}") throws -> [String]
    {
        let match = platforms.isEmpty ? "{}" : "{ platform: \(platforms) }"
        let file = """
            feeds:
            - { id: feed, \(source), fields: \(fields), rule: { match: \(match), storeUrl: "https://a.example" } }

            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return RulesFindings(loaded, at: Timestamp(secondsSinceEpoch: 1_800_000_000)).warnings
            .filter { $0.name == .otherPlatform }.map { "\($0)" }
    }

    private func source(_ name: String, _ word: String, _ value: String) -> String {
        (Self.sources[name] ?? "").replacing(word, with: value)
    }

    @Test(arguments: [
        ("ios", "android"), ("android", "ios"), ("ios", "[ios, android]"),
        ("android", "[android, ios]"),
        ("android", "macos"), ("ios", "harmonyos"), ("ios", "web"), ("android", "visionos"),
    ])
    func `a system that differs from the rule's platform is reported`(
        system: String,
        platforms: String
    ) throws {
        let told = try self.told(
            self.source("config", "SYSTEM", system),
            platforms: platforms
        )
        #expect(told.count == 1)
        #expect(told.first?.contains("'system: \(system)'") == true)
        #expect(told.first?.hasPrefix("rules.yaml:2:3: warning: ") == true, "\(told)")
    }

    @Test(arguments: [
        ("ios", "ios"), ("ios", "iPhone"), ("ios", "[ios, ipados]"), ("ios", "[ios, macos, tvos]"),
        ("android", "android"), ("android", "[android, fireos]"), ("ios", ""), ("android", ""),
    ])
    func `a rule for the system or without a platform is not reported`(
        system: String,
        platforms: String
    ) throws {
        #expect(
            try self.told(self.source("config", "SYSTEM", system), platforms: platforms).isEmpty
        )
    }

    @Test(arguments: [
        ("{ minVersion: min_version_android }", "ios", 1),
        ("{ minVersion: min_version_ios }", "ios", 0),
        ("{ minVersion: androidMinVersion, latestVersion: androidLatest }", "ios", 2),
        ("{ minVersion: \"config#/android/min\" }", "ios", 1), ("{ minVersion: min }", "ios", 0),
        ("{ title: { en: android_title } }", "ios", 1), ("{ minVersion: iPhoneMin }", "android", 2),
        ("{ minVersion: min_version_android }", "android", 1),
    ])
    func `fields named after another platform are reported`(
        fields: String,
        platforms: String,
        count: Int
    ) throws {
        // With `system: ios`, a rule for Android is also reported.
        let told = try self.told(
            self.source("config", "SYSTEM", "ios"),
            platforms: platforms,
            fields: fields
        )
        #expect(told.count == count, "\(told)")
    }

    @Test(arguments: [
        ("/app/android", "ios", true), ("/app/ios", "ios", false), ("/app/version", "ios", false),
        ("/android/version", "[ios, android]", false), ("/iosVersion", "android", true),
        ("/app/android", "", false),
    ])
    func `a path named after another platform is reported`(
        path: String,
        platforms: String,
        isTold: Bool
    )
        throws
    {
        let told = try self.told(self.source("database", "PATH", path), platforms: platforms)
        #expect(!told.isEmpty == isTold, "\(told)")
    }

    @Test(arguments: [
        ("version-android", "ios", true), ("version-ios", "ios", false),
        ("app-version", "ios", false),
    ])
    func `an endpoint named after another platform is reported`(
        endpoint: String,
        platforms: String,
        isTold: Bool
    ) throws {
        let told = try self.told(self.source("cms", "ENDPOINT", endpoint), platforms: platforms)
        #expect(!told.isEmpty == isTold, "\(told)")
    }
}
