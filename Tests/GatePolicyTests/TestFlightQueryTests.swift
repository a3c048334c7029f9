import Testing

@testable import GatePolicy

struct TestFlightQueryTests {
    private static let now = Timestamp(secondsSinceEpoch: 2_000_000_000)

    private static func build(
        _ version: String,
        _ build: String,
        _ audience: TestAudience = .internal,
        isTesting: Bool = true,
        expiresIn: Int64? = nil
    ) throws -> TestFlightBuild {
        TestFlightBuild(
            version: try AppVersion(parsing: version),
            build: try AppVersion(parsing: build),
            audience: audience,
            isTesting: isTesting,
            expiresAt: expiresIn.map { Self.now.advanced(by: $0) }
        )
    }

    @Test func `an audience has a name in VersionGate and another in App Store Connect`() {
        let words = TestAudience.allCases.map { ($0.word(in: .own), $0.word(in: .appStoreConnect)) }
        #expect(words.map(\.0) == ["internal", "external"])
        #expect(words.map(\.1) == ["INTERNAL_ONLY", "APP_STORE_ELIGIBLE"])
    }

    private func latest(_ builds: [TestFlightBuild]) -> String? {
        TestFlightApp(platform: .ios, builds: builds).latest(.internal, at: Self.now)
            .map { "\($0.version) (\($0.build))" }
    }

    @Test
    func `the latest installable build is ordered by version and then by build`()
        throws
    {
        #expect(self.latest([]) == nil)
        let builds = try [
            Self.build("3.2", "900"), Self.build("3.10", "9"), Self.build("3.10", "10"),
            Self.build("4", "1", .external), Self.build("4", "2", isTesting: false),
            Self.build("4", "3", expiresIn: 0), Self.build("3.10", "2", expiresIn: 1),
        ]
        #expect(self.latest(builds) == "3.10 (10)")
        #expect(self.latest(builds.reversed()) == "3.10 (10)")
        #expect(self.latest(try [Self.build("1", "1.9.2"), Self.build("1", "1.10")]) == "1 (1.10)")
    }

    @Test(
        arguments: [
            ("1.0", "1", TestAudience.internal), ("1.0.0", nil, .internal), ("2", "1", .internal),
            ("2", "2", .external), ("2", nil, nil), ("2", "3", nil), ("3", nil, nil),
        ] as [(String, String?, TestAudience?)]
    )
    func `only known builds have an audience`(
        version: String,
        build: String?,
        audience: TestAudience?
    ) throws {
        let app = TestFlightApp(
            platform: .ios,
            builds: try [
                Self.build("1.0", "1"), Self.build("1.0", "2", isTesting: false),
                Self.build("2", "1"), Self.build("2", "2", .external),
            ]
        )
        let known = app.audience(
            ofVersion: try AppVersion(parsing: version),
            build: try build.map { try AppVersion(parsing: $0) }
        )
        #expect(known == audience)
    }

    private func answer(
        _ question: TestFlightQuery,
        _ subject: TestFlightSubject,
        confirmed: [String: Timestamp] = [:]
    ) throws -> String {
        let shop = TestFlightApp(
            app: "shop",
            platform: .ios,
            feed: "connect",
            builds: [try Self.build("1", "1", expiresIn: 60)]
        )
        let others = try [("shop", Platform.macos), ("bank", .ios)].map { app, platform in
            TestFlightApp(app: app, platform: platform, builds: [try Self.build("2", "2")])
        }
        let rules = RuleSet(
            RuleSetDefinition(revision: "r", testFlight: [shop] + others)
        )
        let body = rules.testFlight(question, of: subject, confirmed: confirmed, at: Self.now)
        return String(decoding: body, as: UTF8.self)
    }

    @Test func `a client gets the builds of its own app, or none if the app is ambiguous`() throws {
        let nobody = ClientIdentity()
        let phone = ClientIdentity(platform: .stated(.ios))
        let shop = ClientIdentity(app: .stated("shop"), platform: .stated(.ios))
        let none = #"{"audience":"internal"}"#
        let one = #"{"audience":"internal","version":"1","build":"1","expiresAt":"#
        let two = #"{"audience":"internal","version":"2","build":"2"}"#
        for (identity, app, answer) in [
            (nobody, String?.none, none), (phone, nil, none), (shop, nil, one),
            (phone, "shop", one), (shop, "bank", two), (phone, "other", none),
        ] {
            let subject = TestFlightSubject(identity: identity, app: app)
            let told = try self.answer(.latest(.internal), subject)
            #expect(told.hasPrefix(answer), "\(app ?? "") \(told)")
        }
    }

    @Test func `the age of the data is that of the feed's last successful fetch`() throws {
        let shop = ClientIdentity(app: .stated("shop"), platform: .stated(.ios))
        let subject = TestFlightSubject(identity: shop)
        let before = Self.now.advanced(by: -90)
        let told = try self.answer(
            .latest(.internal),
            subject,
            confirmed: ["connect": before, "other": Self.now]
        )
        #expect(told.hasSuffix(#""confirmedAt":"\#(before)","ageSeconds":90}"#))
        let ahead = try self.answer(
            .latest(.internal),
            subject,
            confirmed: ["connect": Self.now.advanced(by: 5)]
        )
        #expect(ahead.hasSuffix(#""ageSeconds":0}"#))
    }

    @Test func `unparsable values are unknown`() throws {
        let version = try AppVersion(parsing: "1")
        let shop = ClientIdentity(
            app: .stated("shop"),
            platform: .stated(.ios),
            version: .stated(version),
            build: .stated(1)
        )
        for (version, build, answer) in [
            (String?.none, String?.none, #"{"audience":"internal","version":"1","build":"1"}"#),
            ("1.0", nil, #"{"audience":"internal","version":"1.0"}"#),
            ("1", "2", #"{"audience":"unknown","version":"1","build":"2"}"#),
            ("1", "x", #"{"audience":"unknown"}"#), ("one", nil, #"{"audience":"unknown"}"#),
        ] {
            let subject = TestFlightSubject(identity: shop, version: version, build: build)
            #expect(try self.answer(.audience, subject) == answer)
        }
        let nobody = TestFlightSubject(identity: ClientIdentity())
        #expect(try self.answer(.audience, nobody) == #"{"audience":"unknown"}"#)
    }
}
