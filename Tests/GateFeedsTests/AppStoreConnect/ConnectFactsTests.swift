import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateFeeds

/// Responses from App Store Connect, converted to rules and releases.
struct ConnectFactsTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let later = "2027-06-01T00:00:00Z"

    /// A response with a build, its version and its beta details.
    private static func build(
        _ number: String = "42",
        of version: String? = "3.3.0",
        audience: String? = "INTERNAL_ONLY",
        processing: String = "VALID",
        internalState: String? = "IN_BETA_TESTING",
        externalState: String = "IN_BETA_TESTING",
        expired: Bool = false,
        expires: String? = nil
    ) throws -> ConnectList {
        func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
        let versions = version.map { version in
            #"""
            {"type":"preReleaseVersions","id":"p","attributes":{"version":"\#(version)","platform":"IOS"}}
            """#
        }
        let details = internalState.map { state in
            #"""
            {"type":"buildBetaDetails","id":"d","attributes":{"internalBuildState":"\#(state)",
             "externalBuildState":"\#(externalState)"}}
            """#
        }
        let included = [versions, details].compactMap(\.self).joined(separator: ",")
        let page = #"""
            {"data":[{"type":"builds","id":"b","attributes":{"version":"\#(number)",
             "uploadedDate":"2026-09-01T10:00:00-07:00","expirationDate":\#(text(expires)),
             "expired":\#(expired),"processingState":"\#(processing)",
             "buildAudienceType":\#(text(audience))},
             "relationships":{"preReleaseVersion":{"data":{"type":"preReleaseVersions","id":"p"}},
              "buildBetaDetail":{"data":{"type":"buildBetaDetails","id":"d"}}}}],
             "included":[\#(included)],"links":{"self":"https://a.example"}}
            """#
        var list = ConnectList()
        try list.add(try JSONParser.parse(Array(page.utf8)))
        return list
    }

    private func read(
        _ list: ConnectList,
        _ readiness: ConnectReadiness = .testing
    ) throws -> ConnectBuild? {
        try ConnectBuild(try #require(list.resources.first), in: list, readiness)
    }

    @Test func `a build has its version, audience, upload time and expiry`() throws {
        let build = try #require(
            try self.read(try Self.build(expires: "2026-11-30T10:00:00-08:00"))
        )
        #expect("\(build.build.version) \(build.build.build)" == "3.3.0 42")
        #expect(build.build.audience == .internal)
        #expect(build.build.isTesting)
        #expect(build.uploadedAt == (try Timestamp(parsing: "2026-09-01T17:00:00Z")))
        #expect(build.build.expiresAt == (try Timestamp(parsing: "2026-11-30T18:00:00Z")))
    }

    @Test func `a build that testers cannot install is not required`() throws {
        // The columns: state, audience, whether it can be tested, whether it is processed.
        for (state, audience, testing, processed) in [
            ("IN_BETA_TESTING", "INTERNAL_ONLY", true, true),
            ("READY_FOR_BETA_TESTING", "INTERNAL_ONLY", false, true),
            ("IN_EXPORT_COMPLIANCE_REVIEW", "INTERNAL_ONLY", false, true),
            ("A_WORD_OF_TOMORROW", "INTERNAL_ONLY", false, true),
            ("IN_BETA_TESTING", "APP_STORE_ELIGIBLE", true, true),
            ("WAITING_FOR_BETA_REVIEW", "APP_STORE_ELIGIBLE", false, true),
            ("NOT_APPLICABLE", "APP_STORE_ELIGIBLE", false, true),
        ] {
            let list = try Self.build(
                audience: audience,
                internalState: audience == "INTERNAL_ONLY" ? state : "IN_BETA_TESTING",
                externalState: audience == "INTERNAL_ONLY" ? "IN_BETA_TESTING" : state
            )
            #expect(try self.read(list)?.build.isTesting == testing, "\(state) \(audience)")
            #expect(try self.read(list, .processed)?.build.isTesting == processed)
        }
        #expect(try self.read(try Self.build(internalState: nil))?.build.isTesting == false)
        #expect(try self.read(try Self.build(expired: true), .processed)?.build.isTesting == false)
    }

    @Test func `a build without a valid audience or version is ignored`() throws {
        for list in [
            try Self.build(processing: "PROCESSING"), try Self.build(processing: "INVALID"),
            try Self.build(audience: nil), try Self.build(audience: "EVERYBODY"),
            try Self.build(of: nil),
        ] {
            #expect(try self.read(list) == nil)
        }
    }

    @Test(arguments: [
        (#"{"data":{}}"#, "the response has no 'data' list"),
        (#"{"data":[{}]}"#, "a build has no 'version' or no 'processingState'"),
        (
            #"{"data":[{"attributes":{"version":42,"processingState":"VALID"}}]}"#,
            "'attributes.version' must be a string, found the number 42"
        ),
        (
            #"{"data":[{"attributes":{"version":["a","b"],"processingState":"VALID"}}]}"#,
            "must be one string, found a list of 2"
        ),
    ])
    func `an invalid response is rejected with its location`(text: String, message: String) throws {
        let page = try JSONParser.parse(Array(text.utf8))
        let failure = #expect(throws: FeedFailure.self) {
            var list = ConnectList()
            try list.add(page)
            _ = try self.read(list)
        }
        #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
    }

    /// Parses a version with its phased release.
    private func version(
        _ attributes: String,
        phased: String? = nil
    ) throws -> ConnectVersion? {
        let included = phased.map { attributes in
            #"{"type":"appStoreVersionPhasedReleases","id":"r","attributes":{\#(attributes)}},"#
        }
        let page = #"""
            {"data":[{"type":"appStoreVersions","id":"v",
             "attributes":{"platform":"IOS","versionString":"3.3.0",\#(attributes)},
             "relationships":{"build":{"data":{"type":"builds","id":"b"}},
              "appStoreVersionPhasedRelease":{"data":
               \#(phased == nil ? "null" : #"{"type":"appStoreVersionPhasedReleases","id":"r"}"#)}}}],
             "included":[\#(included ?? "")
              {"type":"builds","id":"b","attributes":{"version":"42"}}]}
            """#
        var list = ConnectList()
        try list.add(try JSONParser.parse(Array(page.utf8)))
        return try ConnectVersion(try #require(list.resources.first), in: list)
    }

    @Test(arguments: [
        (#""appVersionState":"READY_FOR_DISTRIBUTION""#, true),
        (#""appStoreState":"READY_FOR_SALE""#, true),
        (#""appVersionState":"READY_FOR_DISTRIBUTION","appStoreState":"READY_FOR_SALE""#, true),
        (#""appVersionState":"PENDING_DEVELOPER_RELEASE""#, false),
        (#""appVersionState":"REPLACED_WITH_NEW_VERSION""#, false),
        (#""appVersionState":"IN_REVIEW","appStoreState":"IN_REVIEW""#, false),
        (#""appStoreState":"REMOVED_FROM_SALE""#, false),
    ])
    func `only a version that is in the store is a release`(attributes: String, isFact: Bool) throws
    {
        let version = try self.version(attributes)
        #expect((version != nil) == isFact)
        if isFact { #expect(version?.build == 42) }
    }

    @Test func `a version without a state is rejected`() {
        #expect(throws: FeedFailure.self) { try self.version(#""downloadable":true"#) }
    }

    @Test func `a phased release ends after seven days plus its pauses`() throws {
        let start = #""startDate":"2026-12-01T00:00:00Z""#
        func phase(_ phased: String?) throws -> ConnectVersion.Phase? {
            try self.version(#""appVersionState":"READY_FOR_DISTRIBUTION""#, phased: phased)?.phase
        }
        func end(_ day: String) throws -> ConnectVersion.Phase {
            .phased(until: try Timestamp(parsing: "\(day)T00:00:00Z"))
        }
        #expect(try phase(nil) == .complete)
        #expect(
            try phase(#""phasedReleaseState":"COMPLETE",\#(start)"#)
                == .ended(by: try Timestamp(parsing: "2026-12-08T00:00:00Z"))
        )
        #expect(try phase(#""phasedReleaseState":"COMPLETE""#) == .complete)
        #expect(try phase(#""phasedReleaseState":"ACTIVE",\#(start)"#) == end("2026-12-08"))
        let paused = #""phasedReleaseState":"ACTIVE",\#(start),"totalPauseDuration":3"#
        #expect(try phase(paused) == end("2026-12-11"))
        let nonsense = #""phasedReleaseState":"ACTIVE",\#(start),"totalPauseDuration":9000000000"#
        #expect(try phase(nonsense) == end("2027-01-07"))
        #expect(try phase(#""phasedReleaseState":"PAUSED",\#(start)"#) == .partial)
        #expect(try phase(#""phasedReleaseState":"INACTIVE""#) == .partial)
        #expect(try phase(#""phasedReleaseState":"ACTIVE""#) == .partial)
        #expect(try phase(#""phasedReleaseState":null"#) == .partial)
    }

    // MARK: As a rules file

    private func build(
        _ version: String,
        _ number: String,
        _ audience: TestAudience = .internal,
        isTesting: Bool = true
    ) throws -> ConnectBuild {
        var build = try #require(try self.read(try Self.build(number, of: version)))
        build.build.audience = audience
        build.build.isTesting = isTesting
        return build
    }

    private func loaded(
        _ builds: [ConnectBuild],
        _ versions: [ConnectVersion] = [],
        rule: Bool = true,
        memory: [String: String]? = [:]
    ) throws -> RuleSetDefinition {
        let file = """
            feeds:
            - id: connect
              source: appStoreConnect
              bundleId: com.example.shop
              keyId: K
              key: { env: KEY }
              storeUrl: https://apps.apple.com/app/id1
              \(rule ? "rule: { storeUrl: 'https://testflight.example', notice: n }" : "")
            notices: { n: { en: { title: a, message: b } } }

            """
        let feed = try #require(
            try RulesFileLoader.load(sources: [("rules.yaml", file)]).feeds.first
        )
        let source = try #require(feed.source as? AppStoreConnectFeed)
        let facts = ConnectFacts(builds: builds, versions: versions)
        let document = facts.document(
            of: "connect",
            for: source.target,
            memory: facts.sightings(after: memory, now: Self.now),
            now: Self.now
        )
        return try RulesFileLoader.load(
            sources: [("rules.yaml", file), ("feed:connect", document.text)]
        ).definition
    }

    @Test func `testers of each audience must have its newest build`() throws {
        let definition = try self.loaded([
            self.build("3.3.0", "42"), self.build("3.2.0", "41"),
            self.build("3.4.0", "43", isTesting: false), self.build("3.1.0", "40", .external),
        ])
        #expect(definition.rules.map(\.id) == ["connect-internal", "connect-external"])
        let rule = try #require(definition.rules.first)
        #expect(rule.match.channels == ["testflight-internal"])
        #expect(rule.match.apps == ["com.example.shop"])
        #expect(rule.match.platforms == [.ios])
        #expect(rule.minimum == (try AppVersion(parsing: "3.3.0")))
        #expect(rule.minimumBuild == 42)
        #expect(rule.minimumBuildOf == rule.minimum)
        #expect(rule.notice == "n")
        #expect(definition.rules.last?.minimumBuild == 40)
        let releases = definition.releases
        #expect(releases.map(\.channel) == ["testflight-internal", "testflight-external"])
        #expect(releases.map(\.builds) == [[42], [40]])
        #expect(definition.testFlight.first?.builds.count == 4)
        #expect(definition.testFlight.first?.feed == "connect")
    }

    @Test func `a build number with dots is a minimum build`() throws {
        let definition = try self.loaded([self.build("3.3.0", "42.1"), self.build("3.3.0", "9")])
        let newest = try BuildNumber(parsing: "42.1")
        #expect(definition.rules.map(\.minimumBuild) == [newest])
        #expect(definition.rules.map(\.minimum) == [try AppVersion(parsing: "3.3.0")])
        #expect(definition.releases.map(\.builds) == [[newest]])
    }

    @Test func `without a rule or without builds nothing is required`() throws {
        let facts = try self.loaded([self.build("3.3.0", "42")], rule: false)
        #expect(facts.rules.isEmpty)
        #expect(facts.testFlight.count == 1)
        let version = try #require(
            try self.version(#""appVersionState":"READY_FOR_DISTRIBUTION""#)
        )
        let alone = try self.loaded([], [version])
        #expect(alone.rules.isEmpty)
        #expect(alone.testFlight.isEmpty)
        #expect(alone.releases.map(\.storeURL) == ["https://apps.apple.com/app/id1"])
    }

    @Test(arguments: [
        // Released to all users on the second day, first seen as complete long after that, and last seen just now.
        (["complete 3.3.0": "2026-12-02T12:00:00Z"], "2026-12-02T12:00:00Z"),
        (["complete 3.3.0": "2026-12-09T00:00:00Z"], "2026-12-08T00:00:00Z"),
        (["live 3.3.0": "2026-12-01T00:00:00Z"], "2026-12-08T00:00:00Z"),
    ])
    func `a completed phased release is effective from its end`(
        memory: [String: String],
        end: String
    ) throws {
        let version = try #require(
            try self.version(
                #""appVersionState":"READY_FOR_DISTRIBUTION""#,
                phased: #""phasedReleaseState":"COMPLETE","startDate":"2026-12-01T00:00:00Z""#
            )
        )
        let release = try #require(try self.loaded([], [version], memory: memory).releases.first)
        #expect(release.phase == .phased(completeAt: try Timestamp(parsing: end)))
    }

    @Test func `the release time of a version is stated, or the time it was first seen`() throws {
        let seen = "2026-10-01T00:00:00Z"
        func since(
            _ attributes: String,
            _ memory: [String: String]? = [:],
            phased: String? = nil
        ) throws -> Timestamp? {
            let version = try #require(
                try self.version(
                    #""appVersionState":"READY_FOR_DISTRIBUTION"\#(attributes)"#,
                    phased: phased
                )
            )
            return try self.loaded([], [version], memory: memory).releases.first?.releasedAt
        }
        #expect(try since("") == Self.now)
        #expect(try since("", nil) == nil)
        #expect(try since("", ["live 3.3.0": "before"]) == nil)
        #expect(try since("", ["live 3.3.0": seen]) == (try Timestamp(parsing: seen)))
        // A scheduled release appears on the scheduled day at the earliest, and possibly long after it.
        func scheduled(_ day: String) -> String { #","earliestReleaseDate":"\#(day)T00:00:00Z""# }
        func midnight(_ day: String) throws -> Timestamp {
            try Timestamp(parsing: "\(day)T00:00:00Z")
        }
        let known = ["live 3.3.0": seen]
        #expect(try since(scheduled("2026-11-01"), known) == midnight("2026-11-01"))
        #expect(try since(scheduled("2026-09-01"), known) == midnight("2026-10-01"))
        #expect(try since(scheduled("2026-09-01")) == Self.now)
        // For a version that was present at the first fetch, the scheduled day is used.
        #expect(try since(scheduled("2026-09-01"), nil) == midnight("2026-09-01"))
        #expect(
            try since(scheduled("2026-09-01"), ["live 3.3.0": "before"]) == midnight("2026-09-01")
        )
        #expect(try since(scheduled("2027-09-01"), nil) == nil)
        let phased = #""phasedReleaseState":"ACTIVE","startDate":"2026-10-02T00:00:00Z""#
        #expect(
            try since(scheduled("2026-09-01"), known, phased: phased) == midnight("2026-10-02")
        )
    }
}
