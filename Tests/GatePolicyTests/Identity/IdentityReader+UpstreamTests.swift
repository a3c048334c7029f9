import Testing

@testable import GatePolicy

@Suite struct UpstreamIdentityTests {
    typealias Lines = [(String, String)]

    static func sources() throws -> IdentitySources {
        var sources = IdentitySources.defaults
        sources.headers[.version] = ["x-app-version", "x-old-version"]
        sources.userAgents = [try UserAgentPattern(parsing: #"^Shop/(?<version>\S+)"#)]
        sources.query = [.version: "v", .app: "app", .storefront: "s"]
        return sources
    }

    static let cases: [(Lines, Lines, drop: [String], add: [String])] = [
        ([], [], [], []),
        ([("x-app-version", "v3.4.0")], [], [], []),
        ([("x-old-version", "3.4.0")], [], [], []),
        ([("x-app-version", "1.x")], [], [], []),
        ([("x-app-version", "")], [], [], []),
        ([("x-app-platform", "iPhone")], [], [], []),
        (
            [("x-app-version", "9.0.0"), ("x-app-version", "1.0.0")], [], ["x-app-version"],
            ["x-app-version: 1.0.0"]
        ),
        ([("x-app-version", "9, 10, x")], [], ["x-app-version"], ["x-app-version: 9"]),
        ([("x-app-version", "x, y")], [], ["x-app-version"], ["x-app-version: x"]),
        ([("x-app-version", "2,")], [], ["x-app-version"], ["x-app-version: 2"]),
        ([("x-app-version", ""), ("x-app-version", "")], [], ["x-app-version"], []),
        (
            [("x-app-version", "2"), ("x-app-version", "v2.0")], [], ["x-app-version"],
            ["x-app-version: 2"]
        ),
        (
            [("x-old-version", "2"), ("x-app-version", "3")], [],
            ["x-old-version", "x-app-version"], ["x-app-version: 2"]
        ),
        ([("x-app-id", "a"), ("x-app-id", "b")], [], ["x-app-id"], ["x-app-id: a"]),
        ([("x-app-build", "12, 7")], [], ["x-app-build"], ["x-app-build: 7"]),
        (
            [("x-app-platform", "iOS"), ("x-app-platform", "iPhone")], [], ["x-app-platform"],
            ["x-app-platform: ios"]
        ),
        (
            [("x-app-version", "ios/3.4.0 (93)")], [], [],
            ["x-app-platform: ios", "x-app-build: 93"]
        ),
        ([("x-app-version", "ios/3.4.0"), ("x-app-platform", "android")], [], [], []),
        (
            [("x-app-version", "ios/2, ios/3")], [], ["x-app-version"],
            ["x-app-platform: ios", "x-app-version: 2"]
        ),
        ([("user-agent", "Shop/3.4.0+7")], [], [], ["x-app-version: 3.4.0", "x-app-build: 7"]),
        (
            [("user-agent", "Shop/3"), ("x-app-version", "")], [], ["x-app-version"],
            ["x-app-version: 3"]
        ),
        ([], [("v", "3.4"), ("app", "a%20b")], [], ["x-app-id: a b", "x-app-version: 3.4"]),
        ([], [("app", "a%0D%0Ax: y")], [], []),
        ([("accept-language", "ja, en"), ("accept-language", "ko")], [], [], []),
        ([("x-device-id", "a\u{1}, b")], [], ["x-device-id"], []),
        ([("x-app-storefront", "JPN")], [], [], []),
        ([("x-app-storefront", "143462")], [], [], []),
        (
            [("x-app-storefront", "JPN"), ("x-app-storefront", "jp")], [], ["x-app-storefront"],
            ["x-app-storefront: JP"]
        ),
        (
            [("x-app-storefront", "JPN, KOR")], [], ["x-app-storefront"],
            ["x-app-storefront: JPN"]
        ),
        ([], [("s", "jpn")], [], ["x-app-storefront: JP"]),
        // Above the length limit, a single value is forwarded, and a list that a backend might split is dropped.
        ([("x-device-id", String(repeating: "d", count: 2000))], [], [], []),
        ([("x-app-version", String(repeating: "9,", count: 1000))], [], ["x-app-version"], []),
        ([("x-app-version", "1,2,3,4,5,6,7,8,9")], [], ["x-app-version"], []),
        (Array(repeating: ("x-app-version", "2"), count: 9), [], ["x-app-version"], []),
    ]

    @Test(arguments: cases)
    func `the backend gets one value where the gate parsed one`(
        headers: Lines,
        query: Lines,
        drop: [String],
        add: [String]
    ) throws {
        let rules = ruleSet(identity: try Self.sources())
        let claims = rules.claims(headers, query: query)
        let upstream = rules.upstreamIdentity(claims, rules.identify(claims))
        #expect(upstream.drop == drop)
        #expect(upstream.add.map { "\($0.name): \($0.value)" } == add)
    }
}
