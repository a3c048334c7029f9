import Testing

@testable import GatePolicy

@Suite struct IdentityReaderTests {
    static func identify(
        _ headers: [(String, String)],
        query: [(String, String)] = [],
        _ sources: IdentitySources = .defaults
    ) -> ClientIdentity {
        let rules = ruleSet(identity: sources)
        return rules.identify(rules.claims(headers, query: query))
    }

    @Test func `every value is read from its header`() throws {
        let identity = Self.identify([
            ("x-app-id", "com.example.shop"), ("x-app-platform", "iPhone"),
            ("x-app-version", " v3.4.0 "), ("x-app-build", "0412"), ("x-app-channel", "TestFlight"),
            ("x-os-version", "17.2"), ("x-device-id", "D-1"), ("accept-language", "ja, en;q=0.5"),
        ])
        #expect(identity.app == .stated("com.example.shop"))
        #expect(identity.platform == .stated(.ios))
        #expect(identity.version == .stated(try version("3.4.0")))
        #expect(identity.build == .stated(412))
        #expect(identity.channel == .stated("testflight"))
        #expect(identity.osVersion == .stated(try version("17.2")))
        #expect(identity.device == .stated("D-1"))
        #expect(identity.languages.map(\.tag) == [LanguageTag("ja"), .english])
    }

    /// A version of the maximum length.
    private static let long = "1.0-" + String(repeating: "a", count: 60)

    static let versions: [([String], Claim<String>)] = [
        ([], .missing),
        ([""], .missing),
        ([" \t"], .missing),
        ([","], .missing),
        (["3.4.0"], .stated("3.4.0")),
        (["", "3.4.0"], .stated("3.4.0")),
        (["9.0.0", "1.0.0"], .unreadable("9.0.0, 1.0.0")),
        (["9.0.0, 1.0.0"], .unreadable("9.0.0, 1.0.0")),
        (["9.0.0", "9.0.0"], .stated("9.0.0")),
        (["9.0.0, v9.0"], .stated("9.0.0")),
        (["9.0.0", "x"], .unreadable("x")),
        (["1.x"], .unreadable("1.x")),
        (["９.0"], .unreadable("９.0")),
        (["1.0 (7)"], .stated("1.0")),
        (["ios/3.4.0"], .stated("3.4.0")),
        (["ios/"], .unreadable("ios/")),
        (["ios/3.4.0/x"], .stated("3.4.0")),
        (["3.4.9/93"], .stated("3.4.9")),
        (["3.4.9b2/93"], .unreadable("3.4.9b2/93")),
        (["1.0\r\nX: y"], .unreadable("1.0\u{FFFD}\u{FFFD}X: y")),
        (Array(repeating: "3.4.0", count: 8), .stated("3.4.0")),
        (Array(repeating: "3.4.0", count: 9), .unreadable("(too long)")),
        (["1,1,1,1,1,1,1,1"], .stated("1")),
        (["1,1,1,1,1,1,1,1,1"], .unreadable("(too long)")),
        (Array(repeating: Self.long, count: 4), .stated(Self.long)),
        ([Array(repeating: Self.long, count: 5).joined(separator: ",")], .unreadable("(too long)")),
        ([String(repeating: ",", count: 31) + "1"], .stated("1")),
        ([String(repeating: ",", count: 32) + "1"], .unreadable("(too long)")),
        ([String(repeating: " ", count: 1025)], .unreadable("(too long)")),
        ([String(repeating: "9", count: 65)], .unreadable(String(repeating: "9", count: 64) + "…")),
    ]

    @Test(arguments: versions)
    func `a version is a single valid value`(lines: [String], claim: Claim<String>) {
        let identity = Self.identify(lines.map { ("x-app-version", $0) })
        #expect(identity.version.text == claim)
    }

    static let combined: [([(String, String)], Claim<Platform>, Claim<BuildNumber>)] = [
        ([("x-app-version", "ios/3.4.0")], .stated(.ios), .missing),
        ([("x-app-version", "Android / 3.4.0 (93)")], .stated(.android), .stated(93)),
        ([("x-app-version", "/3.4.0")], .unreadable(""), .missing),
        ([("x-app-version", "ios/x")], .stated(.ios), .missing),
        ([("x-app-version", "banana/x")], .missing, .missing),
        ([("x-app-version", "ios/3.4.0/93")], .stated(.ios), .stated(93)),
        ([("x-app-version", "3.4.9/93")], .missing, .stated(93)),
        ([("x-app-version", "3.4.9b2 (93)")], .missing, .stated(93)),
        ([("x-app-version", "1+93"), ("x-app-build", "93")], .missing, .stated(93)),
        ([("x-app-version", "1+93"), ("x-app-build", "94")], .missing, .unreadable("94, 93")),
        ([("x-app-version", "ios/3.4.0"), ("x-app-platform", "iPadOS")], .stated(.ios), .missing),
        (
            [("x-app-version", "ios/3.4.0"), ("x-app-platform", "android")],
            .unreadable("android, ios"), .missing
        ),
        ([("x-app-version", "ios/1, android/1")], .unreadable("ios, android"), .missing),
        ([("x-app-version", "1 (93)"), ("x-app-build", "93")], .missing, .stated(93)),
        ([("x-app-version", "1 (93)"), ("x-app-build", "94")], .missing, .unreadable("94, 93")),
        ([("x-app-build", "1.2.3.4.5")], .missing, .unreadable("1.2.3.4.5")),
        ([("x-app-build", "-1")], .missing, .unreadable("-1")),
    ]

    @Test(arguments: combined)
    func `a version header can contain the platform and the build`(
        headers: [(String, String)],
        platform: Claim<Platform>,
        build: Claim<BuildNumber>
    ) {
        let identity = Self.identify(headers)
        #expect(identity.platform == platform)
        #expect(identity.build == build)
    }

    /// Query values, percent-encoded.
    static let queries: [(version: String, platform: String, wanted: [String])] = [
        ("3.4.9+%2893%29", "ios", ["3.4.9", "93", "ios"]),
        ("3.4.9%20%2893%29", "ios", ["3.4.9", "93", "ios"]),
        ("3.4.9+45", "ios", ["3.4.9", "45", "ios"]),
        ("3.4.9%2B45", "ios", ["3.4.9", "45", "ios"]),
        ("3.4.9", "iphone+os", ["3.4.9", "-", "ios"]),
        ("3.4.9", "iphone%20os", ["3.4.9", "-", "ios"]),
        ("+3.4.9+", "Mac+OS+X", ["3.4.9", "-", "macos"]),
        ("ios+/+3.4.9", "", ["3.4.9", "-", "ios"]),
        ("3.4.9+%2F+93", "", ["3.4.9", "93", "-"]),
        ("3.4.9-rc.1+%287%29", "android", ["3.4.9-rc.1", "7", "android"]),
        ("3.4.9+build.7", "android", ["3.4.9", "-", "android"]),
        ("3.4.9,+3.4.9", "android", ["3.4.9", "-", "android"]),
        ("3.4.9,+v3.5.0", "android", ["?", "-", "android"]),
        ("3.4.9+beta+2", "android", ["3.4.9", "-", "android"]),
    ]

    @Test(arguments: queries)
    func `a plus sign in a query is a space if that makes a version`(
        version: String,
        platform: String,
        wanted: [String]
    ) {
        var sources = IdentitySources.defaults
        sources.query = [.version: "v", .platform: "p"]
        let rules = ruleSet(identity: sources)
        let target = "/ws?v=\(version)&p=\(platform)"
        var claims = rules.noClaims
        claims.addQuery(
            QueryParameters(ofTarget: target.utf8Span.span, named: rules.identityQueryNames)
        )
        let identity = rules.identify(claims)
        #expect(Self.word(identity.version) == wanted[0])
        #expect(Self.word(identity.build) == wanted[1])
        #expect(Self.word(identity.platform) == wanted[2])
    }

    private static func word<Value: CustomStringConvertible>(_ claim: Claim<Value>) -> String {
        switch claim {
        case .missing: "-"
        case .unreadable: "?"
        case .stated(let value): value.description
        }
    }

    static let prefixes: [(String, platform: String, version: String)] = [
        ("LG ThinQ/3.6.12110", "-", "3.6.12110"), ("Shop/3.4.9", "-", "3.4.9"),
        ("my_os/3.4.9", "my_os", "3.4.9"), ("My_OS/3.4.9", "my_os", "3.4.9"),
        ("ios/3.4.9", "ios", "3.4.9"), ("com.example.shop/3.4.9", "-", "3.4.9"),
        ("r/50600", "-", "50600"), ("tvOS / 1.0", "tvos", "1.0"),
    ]

    @Test(arguments: prefixes)
    func `only a platform that is known or in the rules can precede a slash`(
        line: String,
        platform: String,
        version: String
    ) throws {
        let rules = ruleSet([try rule("own", match: RuleMatch(platforms: [Platform("my_os")]))])
        let identity = rules.identify(rules.claims([("x-app-version", line)]))
        #expect(Self.word(identity.platform) == platform)
        #expect(Self.word(identity.version) == version)
        // The app name before the slash does not affect a separate platform header.
        let both = rules.identify(
            rules.claims([("x-app-version", line), ("x-app-platform", "my_os")])
        )
        #expect(platform == "-" ? both.platform.value?.name == "my_os" : true)
    }

    static let names: [(String, Claim<String>)] = [
        ("a", .stated("a")), ("A b", .stated("A b")), ("a, a", .stated("a")),
        ("a,b", .unreadable("a, b")), ("a\u{7F}", .unreadable("a\u{FFFD}")),
        (String(repeating: "a", count: 256), .stated(String(repeating: "a", count: 256))),
        (
            String(repeating: "a", count: 257), .unreadable(String(repeating: "a", count: 64) + "…")
        ),
    ]

    @Test(arguments: names)
    func `a name is one short printable value`(line: String, claim: Claim<String>) {
        #expect(Self.identify([("x-app-id", line)]).app == claim)
        #expect(Self.identify([("x-device-id", line)]).device == claim)
    }

    @Test func `headers can be renamed and have several names`() throws {
        let sources = IdentitySources(headers: [.version: ["x-ver", "X-Old-Ver"], .app: ["x-ver"]])
        let stated = Claim.stated(try version("1.2"))
        #expect(Self.identify([("x-app-version", "1.2")], sources).version == .missing)
        #expect(Self.identify([("x-ver", "1.2")], sources).version == stated)
        #expect(Self.identify([("x-old-ver", "1.2")], sources).version == stated)
        #expect(Self.identify([("x-ver", "1.2"), ("x-old-ver", "1.2")], sources).version == stated)
        let both = Self.identify([("x-old-ver", "1.2"), ("x-ver", "1.3")], sources)
        #expect(both.version == .unreadable("1.2, 1.3"))
        #expect(ruleSet(identity: sources).identityHeaderNames == ["x-ver", "x-old-ver"])
    }

    @Test func `a rule set lists all header fields that it reads`() throws {
        var sources = IdentitySources.defaults
        #expect(ruleSet(identity: sources).identityQueryNames == [])
        #expect(!ruleSet(identity: sources).identityHeaderNames.contains("user-agent"))
        sources.userAgents = [try UserAgentPattern(parsing: "(?<version>1)")]
        sources.query = [.version: "V", .platform: "p"]
        #expect(
            ruleSet(identity: sources).identityHeaderNames == [
                "x-app-id", "x-app-platform", "x-app-version", "x-app-build", "x-app-channel",
                "x-os-version", "x-device-id", "accept-language", "x-app-storefront", "user-agent",
            ]
        )
        #expect(ruleSet(identity: sources).identityQueryNames == ["p", "v"])
    }

    static func sources() throws -> IdentitySources {
        var sources = IdentitySources.defaults
        sources.userAgents = [
            try UserAgentPattern(parsing: #"^Shop/(?<version>\S+)(?: \((?<platform>\w+)\))?"#),
            try UserAgentPattern(parsing: #"Old (?<version>\d+)"#),
        ]
        sources.query = [.version: "appversion", .platform: "platform", .languages: "lang"]
        return sources
    }

    static let fallbacks:
        [([(String, String)], [(String, String)], Claim<String>, Claim<Platform>)] =
            [
                ([("user-agent", "Shop/1.2 (iPhone)")], [], .stated("1.2"), .stated(.ios)),
                ([("user-agent", "Shop/1.2")], [], .stated("1.2"), .missing),
                ([("user-agent", "Shop/nightly")], [], .unreadable("nightly"), .missing),
                ([("user-agent", "the Old 7 app")], [], .stated("7"), .missing),
                ([("user-agent", "curl/8")], [], .missing, .missing),
                (
                    [("user-agent", "Shop/1.2 (iPhone)"), ("x-app-platform", "android")], [],
                    .stated("1.2"), .stated(.android)
                ),
                (
                    [("user-agent", "Shop/1.2 (iPhone)"), ("x-app-version", "3")], [], .stated("3"),
                    .missing
                ),
                (
                    [("user-agent", "Shop/1.2 (iPhone)"), ("x-app-version", "x")], [],
                    .unreadable("x"), .missing
                ),
                (
                    [("user-agent", "Shop/1.2"), ("x-app-version", "")], [], .stated("1.2"),
                    .missing
                ),
                (
                    [("user-agent", "Shop/1.2"), ("user-agent", "Shop/1.3")], [],
                    .unreadable("1.2, 1.3"), .missing
                ),
                ([], [("appVersion", "3.4"), ("platform", "iPad")], .stated("3.4"), .stated(.ios)),
                ([], [("appversion", "ios%2F3.4%20(7)")], .stated("3.4"), .stated(.ios)),
                ([], [("appversion", "3.4%2B5")], .stated("3.4"), .missing),
                ([], [("appversion", "1"), ("appversion", "2")], .unreadable("1, 2"), .missing),
                ([], [("appversion", "1%0d%0aX")], .unreadable("1\u{FFFD}\u{FFFD}X"), .missing),
                ([], [("other", "1")], .missing, .missing),
                (
                    [("x-app-version", "3")], [("appversion", "4"), ("platform", "ios")],
                    .stated("3"),
                    .stated(.ios)
                ),
                ([("user-agent", "Shop/1.2")], [("appversion", "4")], .stated("4"), .missing),
            ]

    @Test(arguments: fallbacks)
    func `headers come before the query, and the User-Agent comes last`(
        headers: [(String, String)],
        query: [(String, String)],
        version: Claim<String>,
        platform: Claim<Platform>
    ) throws {
        let identity = Self.identify(headers, query: query, try Self.sources())
        #expect(identity.version.text == version)
        #expect(identity.platform == platform)
    }

    @Test func `languages come from the query if no header has them`() throws {
        let sources = try Self.sources()
        let identity = Self.identify([], query: [("lang", "ja%2Cen;q=0.1")], sources)
        #expect(identity.languages.count == 2)
        let both = Self.identify([("accept-language", "ko")], query: [("lang", "ja")], sources)
        #expect(both.languages.map(\.tag) == [LanguageTag("ko")])
    }

    static let countries: [([(String, String)], [(String, String)], Claim<String>)] = [
        ([], [], .missing),
        ([("cf-ipcountry", "JP")], [], .stated("jp")),
        ([("cf-ipcountry", " kr ")], [], .stated("kr")),
        ([("cf-ipcountry", "")], [], .missing),
        ([("cf-ipcountry", "T1")], [], .unreadable("T1")),
        ([("cf-ipcountry", "JPN")], [], .unreadable("JPN")),
        ([("cf-ipcountry", "é")], [], .unreadable("é")),
        ([("cf-ipcountry", "JP"), ("cf-ipcountry", "jp")], [], .stated("jp")),
        ([("cf-ipcountry", "JP, KR")], [], .unreadable("jp, kr")),
        ([], [("country", "us")], .stated("us")),
    ]

    @Test(arguments: countries)
    func `a country is a two-letter code from the configured header`(
        headers: [(String, String)],
        query: [(String, String)],
        country: Claim<String>
    ) {
        var sources = IdentitySources.defaults
        sources.headers[.country] = ["CF-IPCountry"]
        sources.query[.country] = "country"
        #expect(Self.identify(headers, query: query, sources).country == country)
        #expect(Self.identify(headers).country == .missing)
        let rules = ruleSet(identity: sources)
        let claims = rules.claims(headers, query: query)
        let upstream = rules.upstreamIdentity(claims, rules.identify(claims))
        #expect(upstream == UpstreamIdentity())
    }
}

extension Claim where Value: CustomStringConvertible {
    /// The claim with its value as text.
    fileprivate var text: Claim<String> {
        switch self {
        case .missing: .missing
        case .unreadable(let text): .unreadable(text)
        case .stated(let value): .stated(value.description)
        }
    }
}
