import RulesTestSupport
import Testing

@testable import GateRules

/// Rules files from public reports on versions and builds.
///
/// The tests in these files must pass.
@Suite struct ReportedSpellingTests {
    private static let floor = """
        rules:
          - { id: all, minimum: "3.5.0", storeUrl: "https://example.com/app" }
        """

    static let files: [(name: String, text: String)] = [
        (
            "a version and a build with a slash",
            """
            \(floor)
            unidentified: { missing: reject, unreadable: reject, storeUrl: "https://example.com/app" }
            tests:
              - { name: slash, request: { headers: { X-App-Version: "3.4.9/93" } }, expect: { decision: require, rule: all } }
              - { name: platform, request: { platform: ios, headers: { X-App-Version: "3.4.9/93" } }, expect: { decision: require, rule: all } }
              - { name: date, request: { headers: { X-App-Version: "2.43/201106" } }, expect: { decision: require, rule: all } }
              - { name: passes, request: { headers: { X-App-Version: "3.5.0/93" } }, expect: { decision: allow } }
              - { name: prefix, request: { headers: { X-App-Version: "ios/3.4.9" } }, expect: { decision: require, rule: all } }
            """
        ),
        (
            "the User-Agent of an older networking library",
            """
            identity:
              userAgent: ['^Shop/[a-z.]+ \\((?<version>[0-9./]+)\\)']
            \(floor)
            unidentified: { missing: allow, unreadable: reject, storeUrl: "https://example.com/app" }
            tests:
              - { name: old, request: { headers: { User-Agent: "Shop/com.example.shop (3.4.9/93); iOS 9.3.0)" } }, expect: { decision: require, rule: all } }
              - { name: new, request: { headers: { User-Agent: "Shop/com.example.shop (3.5.0/93); iOS 9.3.0)" } }, expect: { decision: allow } }
            """
        ),
        (
            "builds with dots",
            """
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "3.5.0"
                storeUrl: https://apps.apple.com/app/id1234567890
            tests:
              - { name: whole, request: { platform: ios, version: "3.4.9 (93)" }, expect: { decision: require } }
              - { name: two, request: { platform: ios, version: "3.4.9 (93.1)" }, expect: { decision: require } }
              - { name: repeated, request: { platform: ios, version: "3.4.9 (3.4.9.1)" }, expect: { decision: require } }
              - { name: fields, request: { platform: ios, version: "3.4.9", headers: { X-App-Build: "93.1" } }, expect: { decision: require } }
              - { name: text, request: { platform: ios, version: "3.4.9 (debug)" }, expect: { decision: require } }
              - { name: passes, request: { platform: ios, version: "3.5.0 (debug)" }, expect: { decision: allow } }
            """
        ),
        (
            "a build after a plus sign",
            """
            rules:
              - id: android
                match: { platform: android }
                minimumBuild: 45
                storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
            tests:
              - { name: plus, request: { platform: android, version: "1.2.3+44" }, expect: { decision: require } }
              - { name: parentheses, request: { platform: android, version: "1.2.3 (44)" }, expect: { decision: require } }
              - { name: next, request: { platform: android, version: "1.2.3+45" }, expect: { decision: allow } }
            """
        ),
        (
            "a bad build of a version",
            """
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "3.0.0"
                blockedBuilds: [{ version: "3.7.2", build: 93 }]
                storeUrl: https://apps.apple.com/app/id1234567890
            tests:
              - { name: bad, request: { platform: ios, version: "3.7.2+93" }, expect: { decision: require } }
              - { name: repaired, request: { platform: ios, version: "3.7.2+94" }, expect: { decision: allow } }
            """
        ),
        (
            "a floor for builds with four numbers",
            """
            rules:
              - id: ios
                match: { platform: ios }
                minimumBuild: "18.9.0.2"
                recommendedBuild: "18.9.0.4"
                storeUrl: https://apps.apple.com/app/id1234567890
            tests:
              - { name: below, request: { platform: ios, version: "18.9 (18.9.0.1)" }, expect: { decision: require } }
              - { name: above, request: { platform: ios, version: "18.9 (18.9.0.3)" }, expect: { decision: recommend } }
              - { name: newest, request: { platform: ios, version: "18.9", build: "18.10" }, expect: { decision: allow } }
            """
        ),
    ]

    @Test(arguments: files)
    func `the tests of a reported file pass`(name: String, text: String) throws {
        // The tests run while the file is loaded.
        _ = try RulesFileLoader.load(sources: [("\(name).yaml", text)])
    }
}
