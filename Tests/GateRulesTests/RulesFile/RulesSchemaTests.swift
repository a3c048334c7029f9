import Foundation
@testable import GateFeeds
import GateTestSupport
import MutatedRules
import RulesTestSupport
import Testing

@testable import GateRules

/// The agreement of the JSON Schema and the loader.
///
/// The loader rejects whatever the schema rejects, and the schema rejects whatever the loader rejects, insofar as a
/// schema can express it.
@Suite(.ownThread)
struct RulesSchemaTests {
    /// Validates texts with a JSON Schema validator; each result is `nil` or the first error.
    ///
    /// One process validates all texts, because starting it takes longer than the validation. This requires Python with
    /// `jsonschema` and `yaml`, which `dev/install-python.sh` installs.
    private func verdicts(
        _ texts: [String],
        by schema: URL = Project.schema
    ) throws -> [String?] {
        let process = Process()
        process.executableURL = try ToolProcess.locate("python3")
        let script = Project.tests.appending(path: "Schema/validate.py").path
        process.arguments = [script, schema.path]
        let folder = try TestFolder()
        try JSONEncoder().encode(texts).write(to: URL(filePath: folder.path(of: "texts.json")))
        process.standardInput = FileHandle(forReadingAtPath: folder.path(of: "texts.json"))
        let output = Process.makePipe()
        process.standardOutput = output
        try process.start()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "python3 needs jsonschema and yaml")
        return try JSONDecoder().decode([String?].self, from: data)
    }

    @Test func `the schema accepts every shipped file`() throws {
        let files = ShippedRules.files
        let verdicts = try self.verdicts(try files.map { try $0.text() })
        for (file, verdict) in zip(files, verdicts) {
            #expect(verdict == nil, "\(file.description)")
        }
    }

    @Test func `the suite schema includes the tests of rules files`() throws {
        let schema = Project.rules.appending(path: "suite.schema.json")
        let suite = Project.rules.appending(path: "suites/shop.yaml")
        let verdicts = try self.verdicts(
            [
                try String(contentsOf: suite, encoding: .utf8),
                "tests: []", "rules: a\n", "rulez: a\ntests: []",
                "tests: [{ name: t, expect: { rul: none } }]",
            ],
            by: schema
        )
        #expect(verdicts.map { $0 == nil } == [true, true, false, false, false])
    }

    @Test func `the schema rejects every invalid file that it can detect`() throws {
        let broken = BrokenRules.readable
        let verdicts = try self.verdicts(broken.map(\.text))
        for (broken, verdict) in zip(broken, verdicts) {
            let isSeen = broken.reasonForSchema == nil
            #expect((verdict != nil) == isSeen, "\(broken.name): \(verdict ?? "accepted")")
        }
    }

    @Test func `the schema and the loader accept every syntax`() throws {
        let texts = Self.accepted
        let verdicts = try self.verdicts(texts)
        for (text, verdict) in zip(texts, verdicts) {
            #expect(verdict == nil, "\(text)")
            #expect(throws: Never.self, "\(text)") {
                try RulesFileLoader.load(sources: [("rules.yaml", text)])
            }
        }
    }

    private static let accepted: [String] = {
        func rule(_ text: String) -> String {
            "rules: [{ id: a, minimum: '2', storeUrl: https://a.example, \(text) }]"
        }
        func step(day: Int, percent: Int) -> String {
            "{ at: 2027-01-\(day)T00:00:00Z, percent: \(percent) }"
        }
        func window(day: Int, to other: Int) -> String {
            "{ from: 2027-01-0\(day)T00:00:00Z, until: 2027-01-0\(other)T00:00:00Z }"
        }
        func brownouts(_ text: String) -> String {
            let dates = "warnFrom: 2027-01-01T00:00:00Z, enforceFrom: 2027-01-03T00:00:00Z"
            return rule("\(dates), brownouts: \(text)")
        }
        func test(_ text: String) -> String { "rules: []\ntests: [{ name: t, \(text) }]" }
        func request(_ text: String) -> String {
            test("request: { \(text) }, expect: { decision: allow }")
        }
        return [
            rule("enforceFrom: 2027-01-10T00:00:00.25Z"), rule("enforceFrom: 2027-01-10t00:00:00z"),
            rule("enforceFrom: 2028-02-29T23:59:59-23:59"),
            rule("until: '2027-01-10T00:00:00+09:00'"), rule("warnFrom: 2027-01-10T00:00:00Z"),
            rule("warnFrom: 2027-01-10T00:00:00Z, enforceFrom: 2027-01-10T00:00:00Z"),
            rule("rollout: 0"), rule("rollout: 100"), rule("rollout: 12.5"),
            rule("rollout: [\(step(day: 10, percent: 0))]"),
            rule("rollout: [\(step(day: 10, percent: 5)), \(step(day: 11, percent: 5))]"),
            "rules: [{ id: a, recommended: '2', until: 2027-01-10T00:00:00Z }]",
            brownouts("[\(window(day: 1, to: 2)), \(window(day: 2, to: 3))]"),
            brownouts("{ every: 12h, for: 12h }"),
            brownouts("{ every: 12h, for: 1h, growing: 0s }"),
            """
            rules:
            - id: a
              match: { path: /v2/** }
              notice: n
              storeUrl: https://a.example
              mode: observe
              maintenance:
                from: 2026-12-24T01:00:00Z
                until: 2026-12-24T01:00:01Z
                announceFrom: 2026-12-24T01:00:00Z
            notices: { n: { en: { title: a, message: b } } }
            """,
            "rules: []\nbreaker: 12.5", "rules: []\nbreaker: off",
            "rules: []\nbreaker: { limit: 20, watch: 90m, webhook: https://a.example/x }",
            "rules: []\nrevokedPasses: []",
            "rules: []\nrevokedPasses: [b0a7c3d2e1f40596, face0ff1ce123456, \"e123456789012345\"]",
            "rules: []\ntests: []", test("expect: { rule: none }"),
            test("expect: { observed: [] }"), test("expect: { observed: [], decision: allow }"),
            test("at: 2027-01-10T00:00:00Z, request: {}, expect: { decision: allow }"),
            request("path: '/a?b=c', method: get"), request("version: 1..2, build: 0"),
            request("headers: { X-App-Version: ['1', '2'], User-Agent: Shop/1 }"),
            request("address: 192.0.2.1"), request("address: '::1'"),
            rule("match: { platform: ios }, holdUntilInStore: true"),
            rule("match: { platform: ios }, holdUntilInStore: {}"),
            rule("match: { platform: ios }, holdUntilInStore: { countries: JP, soak: 0s }"),
            rule("match: { platform: ios }, holdUntilInStore: { countries: [jp, 'no'] }"),
            rule("blockedBuilds: 41"), rule("blockedBuilds: '> 41'"),
            rule("blockedBuilds: ['>=41 <50', 93, { build: 7 }, { version: 3.7.x, build: <9 }]"),
            rule("blockedBuilds: { versionMatches: '-beta' }"),
            rule("blockedBuilds: { version: 3.x, build: '>9', buildMatchesNone: ['7$', ^1] }"),
            rule("next: { blockedBuilds: [93], enforceFrom: 2027-01-10T00:00:00Z }"),
            "rules: [{ id: a, blockedBuilds: [93], storeUrl: https://a.example, rollout: 10 }]",
            rule("requiresOS: '>=16'"), rule("requiresOS: ['>=16', 15.8.x]"),
            rule("status: 200"), rule("status: 499, body: ''"), rule("upgradeHeader: false"),
            rule("recommended: '3', recommendedNotice: n, snooze: 90m, notice: n")
                + "\nnotices: { n: { en: { title: a, message: b } } }",
            rule("body: [null, -1.5e3, true, '{status}', [], {}, 2026-12-01]"),
            rule("body: { a: { b: ['{{{rule}}}'] } }, contentType: 'text/x; charset=\"utf-8\"'"),
            "rules: [{ id: a, match: { platform: ios }, recommended: store }]",
            "rules: []\nstatus: 410\nbody: gone\ncontentType: text/html; charset=utf-8",
            """
            rules:
            - id: a
              match: { path: /v2/** }
              maintenance: { from: 2026-12-24T01:00:00Z, until: 2026-12-24T02:00:00Z }
              status: 500
              body: { error: closed }
            """,
            """
            rules: []
            releases:
            - { platform: iPhone, version: "4.2" }
            - { platform: ios, version: "4.3", countries: jp, phased: partial }
            - { platform: ios, version: "4.4", countries: [jp, KR], storeUrl: market://a }
            - { platform: ios, version: "4.5", countries: { jp: 2026-12-01T00:00:00Z } }
            - { platform: ios, version: "4.5.1", countries: jp, storeCountries: [jp, KR] }
            - { platform: ios, version: "4.6", phased: { completeAt: 2026-12-01T00:00:00Z } }
            - { app: a, platform: ios, channel: b, version: "4.7", build: 7, minimumOS: "16.4",
                releasedAt: 2026-12-01T00:00:00Z, phasedFrom: 2026-12-01T00:00:00Z }
            """,
            """
            feeds:
            - { id: a, source: etcd, url: "http://127.0.0.1:2379", key: /gate/rules.yaml }
            - id: b
              source: etcd
              url: ["https://one.example:2379", "https://two.example:2379/etcd"]
              prefix: /gate/rules/
              every: 10s
              user: gate
              password: { env: ETCD_PASSWORD }
              clientCertificate: { file: client.pem }
              clientKey: { file: client.key }
            """,
            """
            serial: 7
            feeds:
            - { id: a, source: https, url: "https://a.example/rules.yaml?x=1" }
            - id: b
              source: https
              url: http://localhost:8000/rules.json
              every: 10s
              staleAfter: 1d
              whenStale: observe
              token: { file: /run/secrets/token }
              redirectsTo: [cdn.example.com, .example.net]
              signature: { publicKey: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= }
            - id: m
              source: microcms
              service: my-shop
              endpoint: app_version
              key: { env: MICROCMS_API_KEY }
              webhookSecret: { file: /run/secrets/webhook }
              language: ja
              fields: { minAppVersion: ios.min, url: link }
              rule:
                match: { platform: ios, app: [a, b] }
                notice: n
                storeUrl: { default: https://a.example, countries: { jp: https://b.example } }
                holdUntilInStore: true
                snooze: 1h
                recommendedNotice: n
                status: 403
            - { id: s, source: appStore, trackId: 1234567890, countries: [jp, kr, us] }
            - id: t
              source: appStore
              bundleId: com.example.shop
              countries: jp
              app: com.example.shop
              platform: macos
              channel: appstore
              url: https://itunes.apple.com/lookup
            - { id: d, source: firebaseDatabase, database: "https://a-default-rtdb.firebaseio.com" }
            - id: e
              source: firebaseDatabase
              database: http://localhost:9000/?ns=shop
              path: /app/version
              secret: { env: FIREBASE_SECRET }
              stream: false
              redirectsTo: localhost
              holds: version
              language: ko
              fields: { minVersion: ios.min, version: ios.latest, storeUrl: ios.url }
              rule: { match: { platform: ios } }
            - { id: f, source: firebaseDatabase, database: "https://a.firebaseio.com", holds: rules }
            - { id: g, source: firebaseDatabase, database: "https://a.firebaseio.com",
                serviceAccount: { file: /run/secrets/firebase.json } }
            - id: r
              source: firebaseRemoteConfig
              project: my-shop-1
              serviceAccount: { file: /run/secrets/firebase.json }
              system: android
              appId: "1:1234567890:android:321abc456def7890"
              language: ja
              fields: { minVersion: minimum, latestVersion: latest_version }
              rule: { match: { platform: android } }
            - { id: p, source: googlePlay, package: com.example.shop, serviceAccount: { file: a },
                track: "wear:production", app: a, platform: android, channel: play, every: 1h }
            - { id: n, source: microcms, url: "https://a.example/x", key: { file: k } }
            - id: connect
              source: appStoreConnect
              trackId: 1234567890
              issuer: 57246542-96fe-1a63-e053-0824d011072a
              keyId: 2X9R4HXF34
              key: { file: AuthKey.p8 }
              app: com.example.shop
              platform: macos
              builds: processed
              storeUrl: https://apps.apple.com/app/id1
              rule: { notice: n, storeUrl: "https://a.example", holdUntilInStore: { soak: 1h } }
            - { id: o, source: appStoreConnect, bundleId: a.b, keyId: K, key: { env: KEY } }
            - { id: c, source: https, url: "https://a.example", token: { env: TOKEN },
                redirectsTo: b.example, signature: { url: "https://a.example/sig",
                publicKey: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= } }
            notices: { n: { en: { title: a, message: b } } }
            """,
            """
            rules: []
            identity: { headers: { country: [CF-IPCountry, X-Country] } }
            unidentified:
              storeUrl: { default: https://a.example, countries: { jp: https://b.example } }
              paths:
              - { path: /v2/**, missing: reject }
              - { path: [/a, /b], method: POST, unreadable: observe, missing: allow }
              - { method: [PUT, DELETE], unreadable: observe }
            tests: [{ name: t, request: { country: jp }, expect: { decision: allow } }]
            """,
        ]
    }()

    @Test func `the schema and the loader have the same keys`() throws {
        let schema = try JSONDecoder().decode(
            SchemaNode.self,
            from: try Data(contentsOf: Project.schema)
        )
        func keys(_ definition: String) -> [String] {
            schema.definitions?[definition]?.properties?.keys.sorted() ?? []
        }
        #expect(schema.properties?.keys.sorted() == DocumentDecoder.keys.sorted())
        #expect(keys("rule") == RuleDecoder.keys.sorted())
        #expect(keys("next") == NextDecoder.keys.sorted())
        #expect(keys("match") == MatchDecoder.keys.sorted())
        #expect(keys("identity") == IdentityDecoder.keys.sorted())
        #expect(keys("unidentified") == UnidentifiedDecoder.keys.sorted())
        #expect(keys("release") == ReleaseDecoder.keys.sorted())
        #expect(keys("feedHttps") == FeedDecoder.keys(with: RulesURLDecoder()).sorted())
        #expect(keys("feedMicrocms") == FeedDecoder.keys(with: MicroCMSDecoder()).sorted())
        #expect(keys("feedAppStore") == FeedDecoder.keys(with: AppStoreDecoder()).sorted())
        let database = FeedDecoder.keys(with: FirebaseDatabaseDecoder())
        #expect(keys("feedFirebaseDatabase") == database.sorted())
        let config = FeedDecoder.keys(with: FirebaseRemoteConfigDecoder())
        #expect(keys("feedFirebaseRemoteConfig") == config.sorted())
        #expect(keys("feedGooglePlay") == FeedDecoder.keys(with: GooglePlayDecoder()).sorted())
        #expect(keys("feedEtcd") == FeedDecoder.keys(with: EtcdDecoder()).sorted())
        #expect(
            keys("feedAppStoreConnect")
                == FeedDecoder.keys(with: AppStoreConnectDecoder()).sorted()
        )
        #expect(keys("testFlight") == TestFlightDecoder.keys.sorted())
        #expect(keys("testFlightBuild") == TestFlightDecoder.buildKeys.sorted())
        #expect(keys("feedRule") == FeedRuleTemplate.keys.sorted())
        #expect(keys("maintenanceWindow") == MaintenanceDecoder.keys.sorted())
        #expect(keys("brownoutWindow") == BrownoutDecoder.windowKeys.sorted())
        #expect(keys("brownoutSeries") == BrownoutDecoder.seriesKeys.sorted())
        #expect(keys("test") == RuleTestDecoder.keys.sorted())
        #expect(keys("testRequest") == TestRequestDecoder.keys.sorted())
        #expect(keys("expect") == ExpectationDecoder.keys.sorted())
    }
}

/// The part of a JSON Schema that the tests use.
private struct SchemaNode: Decodable {
    struct Property: Decodable {}

    let properties: [String: Property]?
    let definitions: [String: SchemaNode]?
}
