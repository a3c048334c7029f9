import Foundation
import GatePolicy
import GateRules
import GateTestSupport
import GateWire
import MutatedRules
import RulesTestSupport
import Testing
import WireSamples

@testable import GateProxy

/// Clients that share their class's verdict, which is the one that each would get alone.
@Suite(.ownThread)
struct ClientClassTests {
    /// Rules with every condition that can distinguish clients.
    private static let everything = """
        rules:
          - { id: floor, match: { platform: [ios, my_os] }, minimum: "4.0", recommended: 4.2.0,
              blocked: [4.1.x, ">=4.3.1 <4.3.5", 5.0.0-rc.1], requiresOS: ">=15.2", notice: n,
              storeUrl: { default: "https://a.example", beta: "https://b.example" } }
          - { id: strict, match: { app: com.example.a }, minimum: 4.3.0, prerelease: strict,
              storeUrl: "https://a.example" }
          - { id: builds, match: { channel: Fdroid }, minimumBuild: 900,
              storeUrl: "https://a.example" }
          - { id: android-builds, match: { platform: android }, minimumBuild: 17,
              minimumBuildOf: 4.3.0, storeUrl: "https://a.example" }
          - { id: old-systems, match: { osVersion: "<12.1" }, minimum: "4.1",
              storeUrl: "https://a.example" }
          - { id: quiet, mode: observe, minimum: "6", storeUrl: "https://a.example" }
          - { id: path, match: { path: "/v9/**" }, minimum: "9", storeUrl: "https://a.example" }
        notices:
          n: { en: { title: "{app} {platform}", message: "{currentVersion}" },
               ja: { title: j, message: "{currentVersion}" } }
        """

    /// Rules whose texts contain no client values.
    private static let plain = """
        rules:
          - { id: floor, match: { platform: [ios, android] }, minimum: "4.0",
              storeUrl: "https://a.example" }
          - { id: strict, match: { app: com.example.a }, minimum: 4.3.0, prerelease: strict,
              storeUrl: "https://a.example" }
          - { id: builds, minimumBuild: 17, storeUrl: "https://a.example" }
        """

    private static let links = """
        rules:
          - { id: floor, minimum: "4.0", recommended: "4.2",
              storeUrl: { default: "https://a.example", countries: { kr: "https://k.example" } } }
        """

    private static let twoNames = """
        identity:
          headers: { version: [X-App-Version, X-Version] }
          userAgent: ["^Shop/(?<version>[0-9.]+)"]
        rules:
          - { id: floor, minimum: "4.0", storeUrl: "https://a.example" }
        """

    /// Rules that deny most clients, with texts that contain their versions.
    private static let denials = """
        rules:
          - { id: floor, minimum: "9", notice: n, storeUrl: "https://a.example" }
          - { id: closed, match: { platform: android },
              maintenance: { from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z } }
        notices:
          n: { en: { title: "{currentVersion}", message: '"{currentVersion}" {currentVersion}' },
               ja: { title: j, message: "{currentVersion}" } }
        """

    /// The number of clients for each shipped file; the rules above get four times as many.
    private static let clients = 120

    private static let own = [
        ("everything", everything), ("links", links), ("two names", twoNames), ("denials", denials),
    ]

    private static let versions = [
        "", "0", "3", "3.9.9", "4", "4.0", "04.0.0.0", "4.0.0.0.1", "4.0-rc.1", "v4", "4.0+7",
        "4.0+", "4.0+a..b", "4..0", "4.", ".4", "4,5", "4, 4", "4.0.1", "4.1", "4.1.9", "4.2",
        "4.2.0", "4.3.0", "4.3.1", "4.3.4", "4.3.5", "5", "5.0.0-rc.1", "5.0.0-rc.2", "9",
        "4294967295.4294967295", "4294967296", "99999999999999999999", "four", "4\u{E4}", "4.0\t",
        "1.99", "11.9", "12.1", "15.1", "15.2", "17.0.3",
    ]

    /// Texts before and after a version.
    private static let platforms = [
        "ios/", "iOS /", "iPhone OS/ ", "android/", "my_os/", "linux/", "/", " / ", "\u{E9}/",
        "a/b/", "ios\t/",
    ]
    private static let builds = [
        " (0)", " (16)", "(17)", " (899)", "  (900)", " (0900)", " (901)", " (x)", "()", " (900",
        " 900)", " (9 )", "(17) (18)", " (18446744073709551616)", "+a (900)", "-rc.1 (17)",
        " (" + String(repeating: "0", count: 60) + "900)",
    ]

    private static let values: [(name: String, values: [String])] = [
        ("X-App-Version", versions), ("X-Version", ["4.0", "9", "ios/9", "9 (1)"]),
        ("X-OS-Version", versions + ["ios/15.2", "15.2 (1)"]),
        ("X-App-Platform", ["ios", "iOS", "iPhone OS", "android", "my_os", "My-OS", "?", "a, b"]),
        ("X-App-Id", ["com.example.a", "com.example.b", "COM.EXAMPLE.A", "x", "\u{E9}", "a,b"]),
        (
            "X-App-Build",
            ["0", "16", "17", "899", "900", "0900", "x", "18446744073709551616", "-1"]
        ),
        ("X-App-Channel", ["fdroid", "FDROID", "beta", "Beta", "play", "b ta"]),
        ("X-Device-Id", ["a", "b", "a,b", ""]),
        ("X-App-Storefront", ["KOR", "JPN", "us", "xx", "nowhere"]),
        ("CF-IPCountry", ["KR", "JP", "??"]),
        ("Accept-Language", ["ja", "en-US,en;q=0.5", "ko-KR", "*", ",", "\u{E9}"]),
        ("User-Agent", ["Shop/3.0 (iPhone)", "Shop/5.0", "curl/8", "MyApp/3.1.0 (Android 12)"]),
        ("Accept", ["text/html", "application/json", "application/graphql-response+json"]),
        ("Content-Type", ["application/grpc", "application/connect+proto", "application/graphql"]),
        ("Connect-Protocol-Version", ["1", "2", "2", "2"]),
        ("Connection", ["close"]), ("Forwarded", ["for=x"]),
    ]

    private static let usualValues = values.map { name, values in
        (name: name, values: values.filter { Self.isUsual($0, of: name) })
    }

    private static func ruleSet(_ sources: [(name: String, text: String)]) throws -> RuleSet {
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        return try RulesFileLoader.load(sources: sources, now: { now }).ruleSet
    }

    private static func ruleSets() throws -> [(name: String, rules: RuleSet)] {
        try Self.own.map { ($0.0, try Self.ruleSet([("rules.yaml", $0.1)])) }
            + ShippedRules.files.map {
                ($0.description, try Self.ruleSet($0.sources(with: $0.text())))
            }
    }

    /// Returns the header lines of a random client.
    private static func client(
        of rules: RuleSet,
        _ chance: inout some RandomNumberGenerator
    ) -> [String] {
        // Names and versions from the file itself, so that its rules match.
        let named = rules.definition.rulesWithNext.flatMap { rule in
            [rule.minimum, rule.recommended].compactMap { $0?.description }
        }
        let apps = rules.definition.rulesWithNext.flatMap { $0.match.apps ?? [] }
        // Most clients send each field once and in the usual format; the others send unusual lines.
        let isUsual = Int.random(in: 0..<4, using: &chance) > 0
        var lines: [String] = []
        for (name, values) in isUsual ? Self.usualValues : Self.values {
            var values = values
            if name == "X-App-Version", !named.isEmpty, Bool.random(using: &chance) {
                values = named
            }
            if name == "X-App-Id", !apps.isEmpty, Bool.random(using: &chance) {
                values = apps.map(\.example)
            }
            let isOptional = name != "X-App-Version"
            let count =
                isUsual
                ? isOptional ? Int.random(in: 0...1, using: &chance) : 1
                : [0, 1, 1, 1, 2].randomElement(using: &chance) ?? 1
            for _ in 0..<count {
                var value = values.randomElement(using: &chance) ?? ""
                if name == "X-App-Version" {
                    value = Self.statement(of: value, isUsual: isUsual, &chance)
                }
                lines.append("\(name): \(value)")
            }
        }
        return lines
    }

    /// Returns a version, possibly with other parts of a version header.
    private static func statement(
        of version: String,
        isUsual: Bool,
        _ chance: inout some RandomNumberGenerator
    ) -> String {
        func one(of texts: [String], usual: Int) -> String {
            guard Int.random(in: 0..<4, using: &chance) == 0 else { return "" }
            return (isUsual ? texts[..<usual] : texts[...]).randomElement(using: &chance) ?? ""
        }
        let first = one(of: Self.platforms, usual: 6) + version + one(of: Self.builds, usual: 7)
        guard Int.random(in: 0..<4, using: &chance) == 0 else { return first }
        // There are usually at most two versions, which are often equal.
        let count = [0, 1, 1, 1, 2, 3, 8].randomElement(using: &chance) ?? 1
        let others = (0..<count).map { _ in
            Bool.random(using: &chance)
                ? version : Self.listed.randomElement(using: &chance) ?? version
        }
        let all = [first] + others + (count == 0 ? [""] : [])
        return all.joined(separator: Bool.random(using: &chance) ? ", " : ",")
    }

    /// The members of a list of versions.
    private static let listed =
        versions + [
            "4.0.0", "v4.0", "4.0+7", "4.0-rc.01", "4.0-rc", "4.0-1", "ios/4.0", "4.0 (93)",
            "a\tb", "1.0-" + String(repeating: "a.", count: 24) + "b",
            String(repeating: "4", count: 64), String(repeating: "1", count: 65),
        ]

    private static func isUsual(_ value: String, of name: String) -> Bool {
        switch name {
        case "X-Version", "Content-Type": false
        case "X-App-Version", "X-OS-Version":
            value.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isNumber)
        case "X-App-Build": Self.isNumber(value)
        default: !value.isEmpty && value.utf8.allSatisfy { $0 == 0x2E || Self.isLetter($0) }
        }
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        1...9 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    /// All effects of a verdict.
    private struct Effect: Equatable {
        let decision: Decision
        let upstream: [UInt8]
        let dropped: UInt64
        let client: [UInt8]
        let denial: [UInt8]?
        let log: [UInt8]?
        let validUntil: Timestamp?
        /// All verdicts use the same tally.
        let tallyPlace: Int

        /// `text`: the head of the request.
        init(
            _ verdict: Verdict,
            on text: String,
            by rules: WorkerRules,
            log format: AccessLogFormat?
        ) throws {
            let bytes = Array(text.utf8)
            var parser = RequestHeadParser()
            try #require(parser.parse(bytes, table: rules.table) == .complete)
            let head = parser.head
            let added = verdict.members?.fields(of: head, in: bytes.span)?.fields(in: bytes.span)
            self.decision = verdict.decision
            self.upstream =
                RenderedAnswer.lines(added ?? []) + verdict.upstreamFields.text
            self.dropped = verdict.droppedFields
            self.client = verdict.clientFields.text
            self.denial = rules.denial(of: verdict, on: head, in: bytes.span)
                .map { $0.head + $0.body }
            self.log = format.map { format in
                Self.logged(verdict, head, in: bytes.span, as: format) + verdict.logFields
            }
            self.validUntil = verdict.validUntil
            self.tallyPlace = verdict.tallyPlace
        }

        private static func logged(
            _ verdict: Verdict,
            _ head: RequestHead,
            in bytes: Span<UInt8>,
            as format: AccessLogFormat
        ) -> [UInt8] {
            guard let members = verdict.members else { return verdict.clientLogFields }
            let parts = LoggedParts(of: head, in: bytes, isHTTP2: false, verdict: verdict)
            guard parts.hasPlainClient else {
                let identity = members.identity(of: head, in: bytes)
                return AccessLogFields.rendered(client: identity, as: format)
            }
            return [UInt8](logAtMost: AccessLogFields.plainRoom) {
                AccessLogFields.write(parts.client, in: bytes, as: format, into: &$0)
            }
        }
    }

    @Test(arguments: [nil, .combined, .json] as [AccessLogFormat?])
    func `a client with a shared verdict would get the same one alone`(
        _ format: AccessLogFormat?
    ) throws {
        var chance = SeededGenerator(seed: 11)
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        var said: [String] = []
        for (name, ruleSet) in try Self.ruleSets() {
            let tally = RequestTally()
            func rules(_ capacity: Int) -> WorkerRules {
                WorkerRules(
                    ruleSet,
                    cacheCapacity: capacity,
                    logFormat: format,
                    tally: tally,
                    now: { now }
                )
            }
            let together = rules(10_000)
            var verdicts: [ObjectIdentifier: Verdict] = [:]
            var passed = 0
            let count = Self.own.contains { $0.0 == name } ? 4 * Self.clients : Self.clients
            for _ in 0..<count {
                let target = ["/", "/v2/orders", "/v9/x", "/login", "/health"]
                    .randomElement(using: &chance)
                let lines = Self.client(of: ruleSet, &chance)
                let text = wire(["GET \(target ?? "/") HTTP/1.1", "Host: a"] + lines)
                let shared = try together.verdict(onFirst: text)
                let own = try rules(1).verdict(onFirst: text)
                verdicts[ObjectIdentifier(shared)] = shared
                if shared.denial == nil { passed += 1 }
                let expected = try Effect(own, on: text, by: together, log: format)
                // A client that returns is found in another way.
                let others = try (0..<3).map { _ in try together.verdict(onFirst: text) }
                for verdict in [shared] + others {
                    let effect = try Effect(verdict, on: text, by: together, log: format)
                    try #require(effect == expected, "\(name): \(text)")
                }
            }
            // A rollout makes each device a class of its own.
            let isShared = verdicts.values.count { $0.denial == nil } < passed
            #expect(
                isShared || passed < count / 2 || ruleSet.clientClasses == nil,
                "\(name) shares nothing"
            )
            said.append("\(name): \(verdicts.count) of \(count), \(passed) passed")
        }
        Attachment.record(said.joined(separator: "\n"), named: "shared.txt")
    }

    /// Rules for fields with several parts, and for clients that may be identified by their User-Agent or query.
    private static let several = """
        identity:
          headers: { version: [X-App-Version, X-Version], device: [X-Device-Id, CF-IPCountry] }
          userAgent: ["^Shop/(?<version>[0-9.]+)", "^MyApp/(?<version>[0-9.]+)"]
          query: { version: v, platform: p }
        exempt: [/health]
        rules:
          - { id: floor, match: { platform: ios }, minimum: "4.0", requiresOS: ">=15.2", notice: n,
              storeUrl: "https://a.example" }
          - { id: path, match: { path: "/v9/**" }, minimum: "9", storeUrl: "https://a.example" }
        notices:
          n: { en: { title: t, message: "{currentVersion}" },
               ja: { title: j, message: "{currentVersion}" } }
        """

    /// Returns lines that differ slightly from those of another client.
    private static func nearly(
        _ lines: [String],
        _ chance: inout some RandomNumberGenerator
    ) -> [String] {
        var lines = lines
        for _ in 0..<Int.random(in: 1...2, using: &chance) {
            guard let field = Self.values.randomElement(using: &chance),
                let value = field.values.randomElement(using: &chance),
                let place = lines.indices.randomElement(using: &chance)
            else { return lines }
            switch Int.random(in: 0..<7, using: &chance) {
            case 0: lines.remove(at: place)
            case 1: lines.append(lines[place])
            case 2: lines.append("\(field.name): \(value)")
            case 3: lines += ["Connection: upgrade", "Upgrade: websocket"]
            case 4:
                let count = [255, 256, 1024, 1025].randomElement(using: &chance) ?? 0
                lines.append("\(field.name): \(String(repeating: "9", count: count))")
            default:
                let name = lines[place].prefix { $0 != ":" }
                let others = Self.values.first { $0.name == name }?.values ?? []
                lines[place] = "\(name): \(others.randomElement(using: &chance) ?? "")"
            }
        }
        return lines
    }

    @Test func `a client similar to a recent one gets the verdict it would get alone`()
        throws
    {
        var chance = SeededGenerator(seed: 3)
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let several = [("several", try Self.ruleSet([("rules.yaml", Self.several)]))]
        for (name, ruleSet) in try Self.ruleSets() + several {
            let tally = RequestTally()
            func rules(_ capacity: Int) -> WorkerRules {
                WorkerRules(ruleSet, cacheCapacity: capacity, logFormat: .json, tally: tally) {
                    now
                }
            }
            for _ in 0..<30 {
                let targets = ["/", "/v2/orders", "/v9/x", "/health", "/?v=1", "/?v=9&p=ios"]
                let target = targets.randomElement(using: &chance) ?? "/"
                func text(_ lines: [String]) -> String {
                    wire(["GET \(target) HTTP/1.1", "Host: a"] + lines)
                }
                let lines = Self.client(of: ruleSet, &chance)
                let together = rules(10_000)
                // The client sends requests often enough to be found among the recent clients.
                for _ in 0..<4 { _ = try together.verdict(onFirst: text(lines)) }
                for _ in 0..<12 {
                    let other = text(Self.nearly(lines, &chance))
                    let own = try Effect(
                        rules(1).verdict(onFirst: other),
                        on: other,
                        by: together,
                        log: .json
                    )
                    let effect = try Effect(
                        together.verdict(onFirst: other),
                        on: other,
                        by: together,
                        log: .json
                    )
                    try #require(effect == own, "\(name): \(text(lines)) \(other)")
                }
            }
        }
    }

    /// The lines of a client, and of another one of its class.
    struct Pair: Sendable, CustomTestStringConvertible {
        let known: [String]
        let new: [String]
        let format: AccessLogFormat?
        var testDescription: String {
            "\(self.known) \(self.new) \(String(describing: self.format))"
        }

        init(_ known: String, _ new: String, _ more: String..., format: AccessLogFormat? = nil) {
            self.known = ["X-App-Version: \(known)"] + more
            self.new = ["X-App-Version: \(new)"] + more
            self.format = format
        }
    }

    /// Returns a list that is longer than what is parsed.
    private static func long(_ number: Int) -> String {
        Array(repeating: "1.0-" + String(repeating: "a.", count: 24) + "\(number)", count: 8)
            .joined(separator: ",")
    }

    private static let pairs = [
        Pair("7.1 (901)", "7.2 (902)"),
        Pair("ios/7.1", "iPhone OS / 7.2"),
        Pair("linux/7.1 (1)", "Windows/7.2 (2)", "X-App-Id: com.example.a"),
        Pair("ios/7.1-a (18)", "ios/7.1-b(19)", "X-App-Platform: iOS"),
        Pair("7.1 (901)", "7.2 (901)", "X-App-Build: 0901"),
        Pair("ios/3.1 (901)", "ios/3.2 (902)"),
        Pair("7.1, 7.2", "8.1,8.3-a"), Pair("7.1,", "7.2,"), Pair("7.1,07.1.0", "7.2,7.2"),
        Pair("x, y", "y, z", "X-App-Id: com.example.b"), Pair("9,x", "y,8", format: .combined),
        Pair(long(1), long(2)), Pair("1,1,1,1,1,1,1,1,1", "2,2,2,2,2,2,2,2,2"),
        Pair("7.1", "7.2", format: .combined),
        Pair("3.1", "3.2", format: .json),
        Pair("ios/3.1 (901)", "iOS/3.2 (902)", format: .combined),
        Pair("linux/7.1 (1)", "Windows/7.2 (2)", "X-App-Id: com.example.\u{E9}\"", format: .json),
        Pair("four", "five", format: .combined),
    ]

    @Test(arguments: pairs)
    func `a client of a known class is not evaluated again`(_ pair: Pair) throws {
        let ruleSet = try Self.ruleSet([("rules.yaml", Self.plain)])
        let start: Int64 = 1_800_000_000
        var second = start
        let tally = RequestTally()
        func rules() -> WorkerRules {
            WorkerRules(ruleSet, cacheCapacity: 100, logFormat: pair.format, tally: tally) {
                Timestamp(secondsSinceEpoch: second)
            }
        }
        func text(_ lines: [String]) -> String {
            wire(["GET / HTTP/1.1", "Host: a"] + lines)
        }
        let together = rules()
        _ = try together.verdict(onFirst: text(pair.known))
        second += 1
        let new = try together.verdict(onFirst: text(pair.new))
        #expect(new.decidedAt == Timestamp(secondsSinceEpoch: start))
        let own = try rules().verdict(onFirst: text(pair.new))
        #expect(
            try Effect(new, on: text(pair.new), by: together, log: pair.format)
                == Effect(own, on: text(pair.new), by: together, log: pair.format)
        )
    }

    private static let apart = [
        Pair("7.1 (16)", "7.1 (17)"), Pair("7.1 (17)", "7.1 (18)"),
        Pair("ios/7.1", "android/7.1"), Pair("ios/7.1", "7.1"), Pair("7.1 (18)", "7.1"),
        Pair("ios/3.9", "ios/4.0"), Pair("3.9 (18)", "4.0 (18)"),
        Pair("4.3.0-rc.1 (18)", "4.3.0-rc.1", "X-App-Id: com.example.a"),
        Pair("7.1 (18)", "7.1 (19)", "X-App-Build: 18"),
        Pair("ios/7.1", "android/7.1", "X-App-Platform: ios"),
        Pair("ios/7.1", "x/7.1", "X-App-Platform: y"),
        Pair("7.1, 7.2", "7.1, 7.1"), Pair("7.1,", "7.1"), Pair("7.1,7.2", long(1)),
        Pair("3.9,3.9", "4.0,4.0"), Pair("ios/7.1,7.2", "ios/7.3,7.4"), Pair(",", ",,"),
        Pair("7.1 (18)", "7.1 (x)"), Pair("ios/7.1", "\u{E9}/7.1"), Pair("ios/7.1", "/7.1"),
    ]

    @Test(arguments: apart)
    func `a client without a known class is evaluated separately`(
        _ pair: Pair
    ) throws {
        let ruleSet = try Self.ruleSet([("rules.yaml", Self.plain)])
        var second: Int64 = 1_800_000_000
        let rules = WorkerRules(ruleSet, cacheCapacity: 100) {
            Timestamp(secondsSinceEpoch: second)
        }
        func verdict(_ lines: [String]) throws -> Verdict {
            try rules.verdict(onFirst: wire(["GET / HTTP/1.1", "Host: a"] + lines))
        }
        _ = try verdict(pair.known)
        second += 1
        #expect(try verdict(pair.new).decidedAt == Timestamp(secondsSinceEpoch: second))
    }

    @Test func `the longest added fields of a client fit into the buffer`() throws {
        let platform = "x-" + String(repeating: "p", count: 62)
        let build = "x-" + String(repeating: "b", count: 62)
        let long = String(repeating: "z", count: 240)
        let ruleSet = try Self.ruleSet([
            (
                "rules.yaml",
                """
                identity:
                  headers: { platform: [\(platform)], version: [X-App-Version], build: [\(build)] }
                rules:
                  - { id: floor, minimum: "4.0", storeUrl: "https://a.example" }
                  - { id: long, match: { platform: \(long) }, minimum: "4.0", storeUrl: "https://a.example" }
                """
            )
        ])
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let head = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: \(long)/7.1 (18)")
        guard case .passed(_, _, let sent, _) = DryRun(ruleSet: ruleSet, at: now).judge(head)
        else {
            throw RequestSample.Unreadable(progress: .incomplete)
        }
        #expect(sent.contains("\r\n\(platform): \(long)\r\n\(build): 18\r\n"))
    }

    @Test func `builds and languages without an effect share a verdict`() throws {
        let ruleSet = try Self.ruleSet([("rules.yaml", Self.everything)])
        let rules = WorkerRules(ruleSet, cacheCapacity: 100)
        func verdict(_ version: String, _ more: String...) throws -> Verdict {
            let fields = ["X-App-Platform: ios", "X-App-Version: \(version)"] + more
            return try rules.verdict(onFirst: wire(["GET / HTTP/1.1", "Host: a"] + fields))
        }
        let one = try verdict("7.1.0")
        #expect(one.denial == nil)
        #expect(try verdict("7.1.1", "Accept-Language: ja", "X-Device-Id: 1") === one)
        #expect(try verdict("8+build.7", "Accept-Language: xx") === one)
        #expect(try verdict("7.1.0-rc.1") !== one)
        #expect(try verdict("4.2.0", "X-App-Id: com.example.a") !== one)
        #expect(try verdict("3.9").denial != nil)
        let build = try verdict("7.1.0", "X-App-Build: 901")
        #expect(try verdict("7.1.0", "X-App-Build: 77777") === build)
        #expect(try verdict("7.1.0", "X-App-Build: 900") !== build)
    }

    /// A floor with denial texts in English and Japanese.
    private static let twoLanguages = [
        (
            "rules.yaml",
            """
            rules:
              - { id: floor, match: { platform: ios }, minimum: "4.0", notice: n,
                  storeUrl: "https://a.example" }
            notices:
              n: { en: { title: t, message: "{currentVersion}" },
                   ja: { title: j, message: "{currentVersion}" } }
            """
        )
    ]

    @Test func `denied clients with the same texts share a denial for all versions`()
        throws
    {
        let rules = WorkerRules(try Self.ruleSet(Self.twoLanguages), cacheCapacity: 1000)
        func verdict(_ version: String, _ more: String...) throws -> Verdict {
            let fields = ["X-App-Platform: ios", "X-App-Version: \(version)"] + more
            return try rules.verdict(onFirst: wire(["GET / HTTP/1.1", "Host: a"] + fields))
        }
        let one = try verdict("3.9", "X-OS-Version: 17.1", "Accept-Language: en")
        #expect(one.denial != nil)
        for lines in [
            ["X-OS-Version: 17.2", "Accept-Language: en"],
            ["X-OS-Version: 18.0", "Accept-Language: en-GB, en;q=0.9"],
            ["X-Device-Id: 7", "Accept-Language: en"],
        ] {
            #expect(try verdict("3.9", lines[0], lines[1]) === one, "\(lines)")
        }
        for version in ["3.8", "3.90", "0.1"] {
            #expect(try verdict(version, "Accept-Language: en") === one)
            let text = wire([
                "GET / HTTP/1.1", "Host: a", "X-App-Platform: ios", "X-App-Version: \(version)",
            ])
            let denial = try #require(try rules.denial(onFirst: text))
            let body = String(decoding: denial.body, as: UTF8.self)
            #expect(body.contains("\"message\":\"\(version)\""), "\(body)")
            let head = String(decoding: denial.head, as: UTF8.self)
            #expect(head.contains("Content-Length: \(denial.body.count)\r\n"))
        }
        #expect(try verdict("3.9", "Accept-Language: ja") !== one)
        let page = try verdict(
            "3.9",
            "Accept-Language: en",
            "Accept: text/html,application/xhtml+xml"
        )
        #expect(page !== one)
    }

    /// The document is only copied for clients that are found in the table of recent clients.
    @Test func `a client that returns gets a denial that contains its version`() throws {
        let rules = WorkerRules(try Self.ruleSet(Self.twoLanguages), cacheCapacity: 1000)
        func verdict(_ version: String) throws -> Verdict {
            try rules.verdict(
                onFirst: wire(
                    "GET / HTTP/1.1",
                    "Host: a",
                    "X-App-Platform: ios",
                    "X-App-Version: \(version)"
                )
            )
        }
        // The first request is evaluated, the second one finds the class, and the third one adds the client.
        let shared = try (0..<3).map { _ in try verdict("3.9") }
        #expect(shared[2] === shared[1])
        #expect(shared[1].denial?.isWhole == false)
        let own = try verdict("3.9")
        let denial = try #require(own.denial)
        #expect(denial.isWhole)
        #expect(String(decoding: denial.body, as: UTF8.self).contains("\"message\":\"3.9\""))
        #expect(try verdict("3.9") === own)
        #expect(try verdict("3.8") === shared[1])
    }

    /// Fewer clients than the cache can keep, some of which share a slot among the recent clients, and more than it can
    /// keep.
    @Test(arguments: [200, 300])
    func `each list of languages gets its own texts, for any number of clients`(count: Int) throws {
        let rules = WorkerRules(try Self.ruleSet(Self.twoLanguages), cacheCapacity: 1000)
        for round in 0..<2 {
            for number in 0..<count {
                let language = number % 3 == 0 ? "ja" : "en"
                let verdict = try rules.verdict(
                    onFirst: wire(
                        "GET / HTTP/1.1",
                        "Host: a",
                        "X-App-Platform: ios",
                        // A client that returns unchanged is found before its languages are parsed.
                        "X-App-Version: 3.\(number % 7 + 7 * round)",
                        "Accept-Language: \(language);q=0.\(number + 100)"
                    )
                )
                let head = try #require(verdict.denial?.head)
                let isRight = String(decoding: head, as: UTF8.self)
                    .contains("Content-Language: \(language)\r\n")
                try #require(isRight, "\(number) in round \(round)")
            }
        }
    }
}
