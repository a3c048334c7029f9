import RulesTestSupport
import Testing

@testable import GateRules

/// Texts that other tools interpret as patterns, lists or negations, but that would never match a client here.
@Suite struct ClientNameTests {
    static let refused: [(ClientName.Kind, String, String)] = [
        (.platform, "*", "leave out 'platform'"),
        (.platform, "all", "leave out 'platform'"),
        (.platform, "Any", "leave out 'platform'"),
        (.platform, "both", "leave out 'platform'"),
        (.channel, "*", "leave out 'channel'"),
        (.app, "*", "leave out 'app'"),
        (.app, "all", "leave out 'app'"),
        (.platform, "ios,android", "platform: [ios, android]"),
        (.platform, "ios, android", "platform: [ios, android]"),
        (.platform, "ios|android", "platform: [ios, android]"),
        (.platform, "(ios|android)", "platform: [ios, android]"),
        (.platform, "ios;android", "platform: [ios, android]"),
        (.platform, "iOS and Android", "platform: [iOS, Android]"),
        (.platform, "ios/android", "platform: [ios, android]"),
        (.platform, "ios & android", "platform: [ios, android]"),
        (.platform, "ios or macos", "platform: [ios, macos]"),
        (.platform, "ios,", "platform: [ios]"),
        (.channel, "beta,qa", "channel: [beta, qa]"),
        (.channel, "testflight|qa", "channel: [testflight, qa]"),
        (.app, "com.example.a,com.example.b", "app: [com.example.a, com.example.b]"),
        (.app, "com.example.*,net.example.*", #"app: ["com.example.*", "net.example.*"]"#),
        (.channel, "!qa", "negation is not supported"),
        (.platform, "!android", "negation is not supported"),
        (.app, "~com.example", "negation is not supported"),
        (.channel, "/beta.*/", "patterns are not supported here"),
        (.platform, "^ios$", "patterns are not supported here"),
        (.platform, "ios*", "patterns are not supported here"),
        (.channel, "beta-*", "patterns are not supported here"),
        (.app, "^com\\.example", "not regular expressions"),
        (.app, "/com.example.shop/", "not regular expressions"),
    ]

    @Test(arguments: refused)
    func `an invalid name is rejected with the correct syntax`(
        kind: ClientName.Kind,
        text: String,
        words: String
    ) {
        do throws(InvalidText) {
            _ = try ClientName(parsing: text, as: kind)
            Issue.record("'\(text)' was taken for a name")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test(arguments: [
        (ClientName.Kind.platform, "ios"), (.platform, "iPhone OS"), (.platform, "Mac OS X"),
        (.platform, "my_os"), (.platform, "3ds"), (.platform, "Windows NT"),
        (.channel, "Google Play"), (.channel, "app-store"), (.channel, "huawei (CN)"),
        (.channel, "allegro"), (.app, "com.example.shop"), (.app, "com.example.*"),
        (.app, "any.do"), (.app, "Shop & Go"), (.app, "id1234567890"),
    ])
    func `valid names are accepted unchanged`(kind: ClientName.Kind, text: String) throws {
        #expect(try ClientName(parsing: text, as: kind).text == text)
    }

    static let files: [(String, String)] = [
        ("platform: all", "r.yaml:2:33: 'all' is not a platform: leave out 'platform'"),
        ("platform: [ios, \"*\"]", "leave out 'platform'"),
        ("app: \"com.*.shop\"", "'*' is only allowed at the end and after a dot"),
        ("channel: \"!qa\"", "'!qa' is not a channel: negation is not supported"),
    ]

    @Test(arguments: files)
    func `a rules file with an invalid name is rejected with its location`(
        match: String,
        words: String
    ) {
        let text = """
            rules:
              - { id: a, match: { \(match) }, minimum: "3.5.0", storeUrl: "https://example.com/app" }
            """
        do throws(RulesFileErrors) {
            _ = try RulesFileLoader.load(sources: [(name: "r.yaml", text: text)])
            Issue.record("it was loaded")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }
}
