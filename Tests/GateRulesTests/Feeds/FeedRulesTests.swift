import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Merging the rules file with the values of its feeds.
struct FeedRulesTests {
    private static let file = """
        feeds:
        - { id: one, source: https, url: "https://a.example" }
        - { id: two, source: https, url: "https://b.example" }
        rules:
        - { id: own, minimum: "1", storeUrl: "https://a.example" }

        """

    private static func rule(_ id: String, _ minimum: String = "2") -> String {
        "rules:\n- { id: \(id), minimum: \"\(minimum)\", storeUrl: \"https://a.example\" }\n"
    }

    private func feeds(_ file: String = Self.file) throws -> [FeedDefinition] {
        try RulesFileLoader.load(sources: [("rules.yaml", file)]).feeds
    }

    /// Loads a file with the values of its feeds by ID.
    private func load(
        _ documents: [String: String],
        in file: String = Self.file,
        observed: Set<String> = []
    ) throws -> LoadedRules {
        let contributions = try self.feeds(file).compactMap { feed in
            documents[feed.id].map { document in
                FeedContribution(
                    fingerprint: feed.fingerprint,
                    value: FeedValue(document: document),
                    isObserved: observed.contains(feed.id)
                )
            }
        }
        let ids = try self.feeds(file).map(\.id).filter { documents[$0] != nil }
        return try RulesFileLoader.load(
            [RulesSource(name: "rules.yaml", bytes: Array(file.utf8))],
            feeds: Dictionary(uniqueKeysWithValues: zip(ids, contributions))
        )
    }

    private func errors(_ load: () throws -> LoadedRules) -> [String]? {
        let errors = #expect(throws: RulesFileErrors.self) { try load() }
        return errors?.errors.map(\.description)
    }

    @Test func `feed rules follow the file's own rules, in the order in the file`() throws {
        let loaded = try self.load(["two": Self.rule("b"), "one": Self.rule("a")])
        #expect(loaded.definition.rules.map(\.id) == ["own", "a", "b"])
        #expect(loaded.feeds.map(\.id) == ["one", "two"])
    }

    @Test func `a file whose feeds have no values is loaded alone`() throws {
        let alone = try self.load([:])
        #expect(alone.definition.rules.map(\.id) == ["own"])
        let fed = try self.load(["one": Self.rule("a")])
        #expect(alone.definition.revision != fed.definition.revision)
    }

    @Test(arguments: [("", true), (", rule: { match: { platform: ios } }", false)])
    func `a feed's floor for every platform causes a warning`(rule: String, isTold: Bool) throws {
        let file =
            "feeds: [{ id: cms, source: microcms, service: a, endpoint: b, key: { env: K }\(rule) }]\n"
        let match = isTold ? "" : ", match: { platform: ios }"
        let said = Self.rule("cms").replacing(" }", with: "\(match) }")
        let loaded = try self.load(["cms": said], in: file)
        let findings = RulesFindings(loaded, at: Timestamp(secondsSinceEpoch: 1_800_000_000))
        let told = findings.warnings.filter { $0.name == .anyPlatform }.map { "\($0)" }
        #expect(told.count == (isTold ? 1 : 0))
        if isTold {
            let beginning = "rules.yaml:1:9: warning: the floor of the feed 'cms' applies to all"
            #expect(told.first?.hasPrefix(beginning) == true)
        }
    }

    @Test func `a file may have feeds and no rules`() throws {
        let file = "feeds: [{ id: one, source: https, url: https://a.example }]\n"
        #expect(try self.load([:], in: file).definition.rules.isEmpty)
        #expect(
            try self.load(["one": Self.rule("a")], in: file).definition.rules.map(\.id) == ["a"]
        )
    }

    @Test func `errors in a feed value have a location in it`() throws {
        #expect(
            self.errors { try self.load(["one": "rules:\n- { id: a, minimun: \"2\" }\n"]) } == [
                "feed:one:2:3: this rule has no effect: it needs 'minimum', 'minimumBuild', "
                    + "'recommended', 'blocked', 'next', 'route' or 'maintenance'",
                "feed:one:2:12: unknown key 'minimun'; did you mean 'minimum'?",
            ]
        )
        #expect(self.errors { try self.load(["one": ""]) } == ["feed:one:1:1: the file is empty"])
        #expect(
            self.errors { try self.load(["one": "<html></html>"]) }
                == ["feed:one:1:1: expected a mapping, found the string '<html></html>'"]
        )
    }

    @Test func `a rule ID is unique across the file and all feeds`() throws {
        #expect(
            self.errors { try self.load(["one": Self.rule("own"), "two": Self.rule("b")]) }
                == ["feed:one:2:9: there is already a rule 'own' at rules.yaml:5:9"]
        )
        #expect(
            self.errors { try self.load(["one": Self.rule("a"), "two": Self.rule("a")]) }
                == ["feed:two:2:9: there is already a rule 'a' at feed:one:2:9"]
        )
    }

    @Test func `a feed value cannot define feeds`() throws {
        #expect(
            self.errors { try self.load(["one": "rules: []\nfeeds: []\n"]) }
                == ["feed:one:2:1: a feed value cannot contain 'feeds'"]
        )
    }

    @Test func `the tests of the file and of a feed are run against all rules`() throws {
        let test = """
            tests:
            - name: version 3 passes
              request: { version: "3" }
              expect: { decision: allow }

            """
        let error = "test 'version 3 passes': expected allow, got require by rule a"
        #expect(
            self.errors { try self.load(["one": Self.rule("a", "4")], in: Self.file + test) }?
                .first?.hasPrefix("rules.yaml:7:9: test 'version 3 passes'") == true,
            "\(error)"
        )
        #expect(throws: Never.self) {
            try self.load(["one": Self.rule("a", "3")], in: Self.file + test)
        }
        #expect(
            self.errors { try self.load(["one": Self.rule("a", "4"), "two": test]) }?
                .first?.hasPrefix("feed:two:2:9: ") == true
        )
    }

    @Test func `files of a feed are merged in order, each with its own name`() throws {
        func load(_ files: [(String, String)], isObserved: Bool = false) throws -> LoadedRules {
            let feed = try #require(try self.feeds().first)
            let value = FeedValue(files: files.map { FeedValue.File(name: $0, text: $1) })
            return try RulesFileLoader.load(
                [RulesSource(name: "rules.yaml", bytes: Array(Self.file.utf8))],
                feeds: [
                    feed.id: FeedContribution(
                        fingerprint: feed.fingerprint,
                        value: value,
                        isObserved: isObserved
                    )
                ]
            )
        }
        let files = [("a.yaml", Self.rule("a")), ("sub/b.yaml", Self.rule("b"))]
        let loaded = try load(files)
        #expect(loaded.definition.rules.map(\.id) == ["own", "a", "b"])
        let stale = try load(files, isObserved: true)
        #expect(stale.definition.rules.map(\.mode) == [.enforce, .observe, .observe])
        #expect(stale.definition.revision != loaded.definition.revision)
        let broken = [("a.yaml", Self.rule("a")), ("sub/b.yaml", "rules: {}\n")]
        #expect(
            self.errors { try load(broken) }
                == ["feed:one/sub/b.yaml:1:8: expected a list, found a mapping; write 'rules: []'"]
        )
    }

    @Test func `rules can use a notice from another feed`() throws {
        let notice = "notices: { n: { en: { title: a, message: b } } }\n"
        let rule = "rules: [{ id: a, minimum: '2', storeUrl: 'https://a.example', notice: n }]\n"
        #expect(throws: Never.self) { try self.load(["one": rule, "two": notice]) }
        #expect(
            self.errors { try self.load(["one": rule]) }
                == ["feed:one:1:71: there is no notice 'n'"]
        )
    }

    @Test func `a value from a changed or removed entry is left out`() throws {
        let feed = try #require(try self.feeds().first)
        let contribution = FeedContribution(
            fingerprint: "another",
            value: FeedValue(document: Self.rule("a"))
        )
        let loaded = try RulesFileLoader.load(
            [RulesSource(name: "rules.yaml", bytes: Array(Self.file.utf8))],
            feeds: [feed.id: contribution, "removed": contribution]
        )
        #expect(loaded.definition.rules.map(\.id) == ["own"])
    }

    @Test(arguments: [(1, []), (2, ["3.0"]), (3, [])])
    func `a value from an older interpretation of the source is left out`(
        interpretation: Int,
        releases: [String]
    ) throws {
        let file = "feeds: [{ id: s, source: appStore, trackId: 1, countries: us }]\nrules: []\n"
        let feed = try #require(try self.feeds(file).first)
        let value = FeedValue(
            document: "releases: [{ platform: ios, version: '3.0' }]\n",
            interpretation: interpretation
        )
        let contribution = FeedContribution(fingerprint: feed.fingerprint, value: value)
        let loaded = try RulesFileLoader.load(
            [RulesSource(name: "rules.yaml", bytes: Array(file.utf8))],
            feeds: ["s": contribution]
        )
        #expect(loaded.definition.releases.map { $0.version?.description } == releases)
        #expect(feed.source.interpretation == 2)
    }

    @Test func `stale rules only observe, with a different revision`() throws {
        let fresh = try self.load(["one": Self.rule("a"), "two": Self.rule("b")])
        let stale = try self.load(
            ["one": Self.rule("a"), "two": Self.rule("b")],
            observed: ["two"]
        )
        #expect(fresh.definition.rules.map(\.mode) == [.enforce, .enforce, .enforce])
        #expect(stale.definition.rules.map(\.mode) == [.enforce, .enforce, .observe])
        #expect(fresh.definition.revision != stale.definition.revision)
    }

    @Test(arguments: [
        ("every: 5m, staleAfter: 1h, whenStale: observe", true),
        ("url: 'https://x.example'", false),
        ("token: { env: A }", false), ("redirectsTo: b.example", false),
    ])
    func `an entry whose source changes is a different feed`(
        keys: String,
        isSame: Bool
    ) throws {
        func feed(_ text: String) throws -> FeedDefinition {
            try #require(try self.feeds("feeds: [{ id: a, source: https, \(text) }]\n").first)
        }
        let url = keys.hasPrefix("url") ? "" : ", url: 'https://a.example'"
        let before = try feed("url: 'https://a.example'")
        let after = try feed(keys + url)
        #expect((before.fingerprint == after.fingerprint) == isSame)
        #expect(before != after)
    }
}
