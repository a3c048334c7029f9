import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateFeeds

/// Responses from Google Play about a track, with all artifacts of each release.
struct GooglePlayReleasesTests {
    private static func release(
        _ name: String,
        _ codes: [Int],
        track: String = "production"
    ) -> String {
        let artifacts = codes.map { #"{"versionCode":\#($0)}"# }.joined(separator: ",")
        return """
            {"releaseName":"\(name)","releaseLifecycleState":"RELEASE_LIFECYCLE_STATE_PUBLISHED",\
            "track":"\(track)","activeArtifacts":[\(artifacts)]}
            """
    }

    private func releases(_ items: [(name: String, codes: [Int])]) throws -> GooglePlayReleases {
        try self.listing(items.map { Self.release($0.name, $0.codes) })
    }

    private func listing(_ releases: [String]) throws -> GooglePlayReleases {
        let text = #"{"releases":[\#(releases.joined(separator: ","))]}"#
        let listing = try JSONParser.parse(Array(text.utf8))
        return try GooglePlayReleases(listing: listing, of: "production")
    }

    private func facts(_ sightings: GooglePlaySightings) throws -> [Release] {
        let store = StoreKeys(app: nil, platform: "android", channel: nil)
        let text = sightings.document(for: store).text
        return try RulesFileLoader.load(sources: [("feed", text)]).definition.releases
    }

    private let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    @Test func `a release has all its artifacts`() throws {
        let releases = try self.releases([("3.2.0", [4010, 1010, 2010])])
        #expect(releases.releases.map(\.codes) == [[1010, 2010, 4010]])
        let facts = try self.facts(GooglePlaySightings(of: releases, after: nil, now: self.now))
        #expect(facts.map(\.builds) == [[1010, 2010, 4010]])
        #expect(facts.map(\.version) == [try AppVersion(parsing: "3.2.0")])
    }

    @Test func `a release without a version in its name only has builds`() throws {
        let releases = try self.releases([("Release 3", [1010, 4010])])
        let facts = try self.facts(GooglePlaySightings(of: releases, after: nil, now: self.now))
        #expect(facts.map(\.builds) == [[1010, 4010]])
        #expect(facts.map(\.version) == [nil])
        #expect(facts.map(\.phase) == [.complete])
        #expect(releases.notes.count == 1)
    }

    /// The artifacts of a track's two releases, and the releases in order of age.
    @Test(arguments: [
        ([[1011, 2011, 4011], [1010, 2010, 4010]], [[1010, 2010, 4010], [1011, 2011, 4011]]),
        // Releases that share an artifact, including the highest one.
        ([[1010, 2011, 4011], [1010, 2010, 4010]], [[1010, 2010, 4010], [1010, 2011, 4011]]),
        ([[1011, 4010], [1010, 4010]], [[1010, 4010], [1011, 4010]]),
        // A release with an additional artifact.
        ([[1010, 2010, 4010], [2010, 4010]], [[2010, 4010], [1010, 2010, 4010]]),
        ([[5000], [1010, 4010]], [[1010, 4010], [5000]]),
    ])
    func `the newer of two releases has the higher codes where they differ`(
        codes: [[Int]],
        ordered: [[UInt64]]
    ) throws {
        for codes in [codes, codes.reversed()] {
            let releases = try self.releases(codes.map { ("3.2.0", $0) }).releases
            #expect(releases.map(\.codes) == ordered)
            #expect(releases.map(\.isComplete) == [true, false])
        }
    }

    @Test func `the release time is tracked per artifact`() throws {
        let first = try self.releases([("3.2.0", [1010, 2010, 4010])])
        let before = GooglePlaySightings(of: first, after: [:], now: self.now)
        let later = Timestamp(secondsSinceEpoch: 1_800_009_000)
        // One artifact is new, so until then not all users could get the release.
        let second = try self.releases([("3.2.1", [1010, 2011, 4010])])
        let after = GooglePlaySightings(of: second, after: before.memory, now: later)
        #expect(try self.facts(after).map(\.releasedAt) == [later])
        #expect(after.memory["1010"] == "\(self.now)")
    }

    @Test func `a release time stored by an older gate applies to all artifacts`() throws {
        let releases = try self.releases([("3.2.0", [1010, 2010, 4010])])
        let later = Timestamp(secondsSinceEpoch: 1_800_009_000)
        func since(_ memory: [String: String]) throws -> Timestamp? {
            let sightings = GooglePlaySightings(
                of: releases,
                after: memory,
                isByHighestCode: true,
                now: later
            )
            return try self.facts(sightings).first?.releasedAt
        }
        #expect(try since(["4010": "\(self.now)"]) == self.now)
        #expect(try since(["4010": "before"]) == nil)
        #expect(try since(["4009": "\(self.now)"]) == later)
    }

    @Test(arguments: ["beta", "wear:production", "internal", "Production"])
    func `releases of another track are ignored`(track: String) throws {
        let own = Self.release("3.2.0", [3020])
        let other = Self.release("9.0.0", [9000], track: track)
        for list in [[own, other], [other, own]] {
            #expect(try self.listing(list).releases.map(\.codes) == [[3020]])
        }
        let failure = #expect(throws: FeedFailure.self) { try self.listing([other]) }
        #expect(
            failure?.description
                == "requested the track 'production', but Google Play returned the track "
                + "'\(track)', which is ignored; check 'track'"
        )
        let text = #"{"track":"\#(track)","releases":[]}"#
        let edit = try JSONParser.parse(Array(text.utf8))
        let refusal = #expect(throws: FeedFailure.self) {
            try GooglePlayReleases(track: edit, named: "production")
        }
        #expect(refusal == failure)
    }

    @Test func `a release next to an older one is partial`() throws {
        let both = try self.releases([("3.3.0", [3030]), ("3.2.0", [3020])])
        let first = GooglePlaySightings(of: both, after: nil, now: self.now)
        let facts = try self.facts(first)
        #expect(facts.map(\.builds) == [[3030], [3020]])
        #expect(facts.map(\.phase) == [.partial, .complete])
        // The release time is unknown for releases found at the first fetch.
        #expect(facts[1].releasedAt == nil)

        let alone = try self.releases([("3.3.0", [3030])])
        let second = GooglePlaySightings(of: alone, after: first.memory, now: self.now)
        #expect(try self.facts(second).map(\.phase) == [.complete])
        #expect(try self.facts(second).first?.releasedAt == self.now)
        let later = Timestamp(secondsSinceEpoch: 1_800_009_000)
        let third = GooglePlaySightings(of: alone, after: second.memory, now: later)
        #expect(try self.facts(third).first?.releasedAt == self.now)
    }

    /// Returns a track's releases from an edit: this release in addition to the previous one.
    private func track(_ release: String) throws -> [Release] {
        let text = #"""
            {"track":"production","releases":[{"name":"3.3.0","versionCodes":["3029","3030"],\#(release)},
             {"name":"3.2.0","versionCodes":["3020"],"status":"completed"}]}
            """#
        let releases = try GooglePlayReleases(
            track: try JSONParser.parse(Array(text.utf8)),
            named: "production"
        )
        return try self.facts(GooglePlaySightings(of: releases, after: nil, now: self.now))
    }

    @Test(arguments: [
        (#""status":"completed""#, [ReleasePhase.complete, .complete]),
        (#""status":"inProgress","userFraction":0.5"#, [.partial, .complete]),
        (#""status":"halted","userFraction":0.5"#, [.partial, .complete]),
        (#""status":"draft""#, [.complete]), (#""status":"something""#, [.complete]),
        (#""status":null"#, [.complete]),
    ])
    func `an edit contains the phase of a release`(
        status: String,
        phases: [ReleasePhase]
    ) throws {
        let facts = try self.track(status)
        #expect(facts.map(\.phase) == phases)
        #expect(facts.map(\.builds) == (phases.count == 2 ? [[3029, 3030], [3020]] : [[3020]]))
    }

    @Test func `an edit contains the countries of a staged rollout`() throws {
        func countries(_ targeting: String) throws -> [String]? {
            try self.track(#""status":"inProgress","countryTargeting":\#(targeting)"#).first?
                .countries?.keys.sorted()
        }
        #expect(
            try countries(#"{"countries":["JP","KR"],"includeRestOfWorld":false}"#) == ["jp", "kr"]
        )
        #expect(try countries(#"{"countries":["JP"]}"#) == ["jp"])
        #expect(try countries(#"{"countries":["JP"],"includeRestOfWorld":true}"#) == nil)
    }

    @Test(arguments: [#"{"countries":[],"includeRestOfWorld":false}"#, #"{"countries":[]}"#, "{}"])
    func `a staged rollout without countries is not a release`(targeting: String) throws {
        let facts = try self.track(#""status":"inProgress","countryTargeting":\#(targeting)"#)
        #expect(facts.map(\.builds) == [[3020]])
    }

    @Test(arguments: [
        "{}", #"{"releases":[]}"#,
        #"{"releases":[{"releaseName":"3.2.0","releaseLifecycleState":"RELEASE_LIFECYCLE_STATE_DRAFT"}]}"#,
    ])
    func `a track without a release is an error`(text: String) throws {
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(throws: FeedFailure.self) {
            try GooglePlayReleases(listing: value, of: "production")
        }
    }
}
