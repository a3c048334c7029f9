import GatePolicy
import GateRules
import GateWire
import RulesTestSupport
import Testing
import WireSamples

@testable import GateProxy

struct WorkerRulesTests {
    private static func rules(
        path: String? = nil,
        exemption: String? = nil,
        query: [IdentityPart: String] = [:]
    ) throws -> WorkerRules {
        var identity = IdentitySources.defaults
        identity.query = query
        return WorkerRules(
            RuleSet(
                RuleSetDefinition(
                    revision: "1",
                    identity: identity,
                    exemptions: try exemption.map {
                        [try RequestPattern(path: $0, methods: nil)]
                    } ?? [],
                    rules: [
                        RuleDefinition(
                            id: "floor",
                            match: RuleMatch(
                                requests: try path.map {
                                    [try RequestPattern(path: $0, methods: nil)]
                                }
                            ),
                            minimum: try AppVersion(parsing: "2")
                        )
                    ]
                )
            ),
            cacheCapacity: 100
        )
    }

    private static func verdict(_ rules: WorkerRules, on text: String) throws -> Verdict {
        try rules.verdict(onFirst: text)
    }

    private static func verdict(
        _ rules: WorkerRules,
        on text: String,
        last: inout RememberedVerdict?
    ) throws -> Verdict {
        var parser = RequestHeadParser()
        return try rules.verdict(on: text, parser: &parser, last: &last)
    }

    @Test func `the memory of a cached key does not grow with each client`() throws {
        let rules = try Self.rules()
        var last: RememberedVerdict?
        for number in 0..<5000 {
            last = nil
            let client = wire(
                "GET / HTTP/1.1",
                "Host: a",
                "X-App-Version: 1.0.\(number)",
                // This list is too long for the table of recent clients.
                "Accept-Language: \(String(repeating: "l", count: 250))"
            )
            _ = try Self.verdict(rules, on: client, last: &last)
            let key = try #require(last?.known.key)
            try #require(key.bytes.capacity <= key.bytes.count + 64, "client \(number)")
        }
    }

    @Test(arguments: ["1", "3"])
    func `a client that returns is found without the cache`(version: String) throws {
        let rules = try Self.rules()
        let client = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: \(version)")
        let isLookedUp = try (0..<5).map { _ in
            var last: RememberedVerdict?
            _ = try Self.verdict(rules, on: client, last: &last)
            return last != nil
        }
        #expect(isLookedUp == [true, true, true, false, false])
    }

    /// Consecutive rules on an event loop, and their decisions for app version 2.5 on an old and a new OS version.
    private static let successors: [(rules: String, old: Decision.Kind, new: Decision.Kind)] = [
        (Self.floor("2"), .allow, .allow),
        (Self.floor("3"), .require, .require),
        ("rules: []", .allow, .allow),
        (Self.floor("3", "match: { osVersion: \"<12\" }"), .require, .allow),
        (Self.floor("2"), .allow, .allow),
        (Self.floor("3", "match: { osVersion: \">=12\" }"), .allow, .require),
        // Rules without classes.
        (Self.floor("3", "rollout: 100"), .require, .require),
        (Self.floor("3", "match: { osVersion: \"<12\" }"), .require, .allow),
        ("identity: { headers: { version: [X-V] } }\n" + Self.floor("3"), .allow, .allow),
        (Self.floor("3"), .require, .require),
    ]

    private static func floor(_ minimum: String, _ more: String? = nil) -> String {
        let keys = [
            "id: floor", "minimum: \"\(minimum)\"", "storeUrl: \"https://a.example\"", more,
        ]
        return "rules: [{ \(keys.compactMap(\.self).joined(separator: ", ")) }]"
    }

    @Test func `new rules do not use verdicts of previous rules`() throws {
        var all: [(WorkerRules, old: Decision.Kind, new: Decision.Kind)] = []
        func client(_ system: String) -> String {
            let fields = [
                "X-App-Version: 2.5", "X-V: 9", "X-OS-Version: \(system)", "X-Device-Id: a",
            ]
            return wire(["GET / HTTP/1.1", "Host: a"] + fields)
        }
        for (text, old, new) in Self.successors {
            let ruleSet = try RulesFileLoader.load(sources: [("rules.yaml", text)]).ruleSet
            let rules = WorkerRules(ruleSet, cacheCapacity: 16, predecessor: all.last?.0)
            all.append((rules, old, new))
            // Requests in progress still use the rules that they started with.
            for (rules, old, new) in all {
                for _ in 0..<4 {
                    let kinds = try ["11", "12"].map {
                        try Self.verdict(rules, on: client($0)).decision.kind
                    }
                    #expect(kinds == [old, new], "\(text), then \(all.count) in all")
                }
            }
        }
    }

    @Test func `rules are released with the last connection that uses them`() {
        let ruleSet = RuleSet(RuleSetDefinition(revision: "7", rules: []))
        var released: [String] = []
        let release = { (rules: RuleSet) in released.append(rules.revision) }
        var rules: WorkerRules? = WorkerRules(ruleSet, cacheCapacity: 1, release: release)
        var connection = rules
        rules = nil
        #expect(connection?.ruleSet.revision == "7" && released.isEmpty)
        connection = nil
        #expect(released == ["7"])
    }

    @Test(arguments: [
        ("1.9", Decision.Kind.require), ("2.0", .allow), ("nonsense", .allow),
    ])
    func `a version is evaluated`(_ version: String, _ kind: Decision.Kind) throws {
        let verdict = try Self.verdict(
            try Self.rules(),
            on: wire("GET / HTTP/1.1", "Host: a", "X-App-Version: \(version)")
        )
        #expect(verdict.decision.kind == kind)
        #expect((verdict.denial != nil) == (kind == .require))
    }

    @Test func `a preflight does not share its header section with other requests`() throws {
        let rules = try Self.rules()
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        let fields = ["Host: a", "Origin: http://x", "Access-Control-Request-Method: GET"]
        func kind(_ line: String, version: String, _ fields: [String]) throws -> Decision.Kind {
            let text = wire([line] + fields + ["X-App-Version: \(version)"])
            return try rules.verdict(on: text, parser: &parser, last: &last).decision.kind
        }
        #expect(try kind("GET /a HTTP/1.1", version: "9.0", ["Host: a"]) == .allow)
        #expect(try kind("OPTIONS /b HTTP/1.1", version: "1.0", fields) == .allow)
        #expect(try kind("GET /c HTTP/1.1", version: "1.0", fields) == .require)
        #expect(try kind("OPTIONS /b HTTP/1.1", version: "9.0", fields) == .allow)
        #expect(try kind("POST /c HTTP/1.1", version: "9.0", fields) == .allow)
    }

    @Test func `equal identities share one verdict`() throws {
        let rules = try Self.rules()
        let text = wire("GET /a HTTP/1.1", "Host: a", "X-App-Version: 1")
        let other = wire("POST /b?c HTTP/1.1", "x-app-version:1", "Host: b", "D: e")
        #expect(try Self.verdict(rules, on: text) === Self.verdict(rules, on: other))
    }

    @Test func `the last verdict of a connection is only used for its identity and rules`() throws {
        let path = "/judged"
        let rules = try Self.rules(path: path)
        let others = try Self.rules(path: path)
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        func kind(_ rules: WorkerRules, _ target: String, _ version: String) throws -> Decision.Kind
        {
            let text = wire("GET \(target) HTTP/1.1", "Host: a", "X-App-Version: \(version)")
            let verdict = try rules.verdict(on: text, parser: &parser, last: &last)
            let own = try Self.verdict(rules, on: text)
            #expect(verdict.decision == own.decision)
            return verdict.decision.kind
        }
        for _ in 0..<2 {
            #expect(try kind(rules, path, "1") == .require)
            #expect(try kind(rules, path, "1") == .require)
            #expect(try kind(rules, path, "2") == .allow)
            #expect(try kind(rules, "/other", "1") == .allow)
            #expect(try kind(rules, path, "1") == .require)
            #expect(try kind(others, path, "1") == .require)
        }
        let preflight = wire(
            "OPTIONS \(path) HTTP/1.1",
            "Host: a",
            "Origin: https://b",
            "Access-Control-Request-Method: GET"
        )
        #expect(
            try rules.verdict(on: preflight, parser: &parser, last: &last) === rules.preflight
        )
        #expect(try kind(rules, path, "1") == .require)
    }

    @Test func `two versions in one request are not the first one`() throws {
        let rules = try Self.rules()
        let one = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 3")
        let two = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 3", "X-App-Version: 1")
        let first = try Self.verdict(rules, on: one)
        let second = try Self.verdict(rules, on: two)
        #expect(first !== second)
        #expect(second.decision.gap != nil)
        let index = try #require(rules.ruleSet.identityHeaderNames.firstIndex(of: "x-app-version"))
        #expect(second.droppedFields == 1 << UInt64(index))
        #expect(String(decoding: second.upstreamFields.text, as: UTF8.self).contains(": 1\r\n"))
    }

    @Test func `a preflight is not evaluated`() throws {
        let rules = try Self.rules()
        let verdict = try Self.verdict(
            rules,
            on: wire(
                "OPTIONS / HTTP/1.1",
                "Host: a",
                "Origin: https://b",
                "Access-Control-Request-Method: GET",
                "X-App-Version: 1"
            )
        )
        #expect(verdict === rules.preflight)
        #expect(verdict.denial == nil)
    }

    @Test(arguments: [
        ("/free", Decision.Kind.allow), ("/free?a=b", .allow), ("http://a/free", .allow),
        ("/freedom", .require), ("/Free", .require), ("/free/../paid", .require),
        ("/free%2f", .require), ("//free", .require), ("http://a", .require),
    ])
    func `an exemption applies to its path only`(_ target: String, _ kind: Decision.Kind) throws {
        let verdict = try Self.verdict(
            try Self.rules(exemption: "/free"),
            on: wire("GET \(target) HTTP/1.1", "Host: a", "X-App-Version: 1")
        )
        #expect(verdict.decision.kind == kind)
    }

    @Test(arguments: [
        "/", "/?a", "http://a/", "http://a/?b", "http://a", "http://a?b", "https://a:443?",
    ])
    func `the root path is the same in every spelling`(_ target: String) throws {
        let text = wire("GET \(target) HTTP/1.1", "Host: a", "X-App-Version: 1")
        for path in ["/**", "/"] {
            let verdict = try Self.verdict(try Self.rules(path: path), on: text)
            #expect(verdict.decision.kind == .require, "\(path)")
        }
        let exempt = try Self.verdict(try Self.rules(exemption: "/"), on: text)
        #expect(exempt.decision.kind == .allow)
    }

    @Test(arguments: [
        ("/a?v=1", true, Decision.Kind.require), ("/a?b&V=1&c=d", true, .require),
        ("/a?v=%31", true, .require), ("/a?v=2", true, .allow), ("/a?w=1", true, .allow),
        ("/a?v=1", false, .allow), ("/a?v=3&v=1", true, .allow),
    ])
    func `the query contains a version if a handshake cannot set header fields`(
        _ target: String,
        _ isHandshake: Bool,
        _ kind: Decision.Kind
    ) throws {
        let rules = try Self.rules(query: [.version: "v"])
        let fields = isHandshake ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : ""
        let text = "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        #expect(try Self.verdict(rules, on: text).decision.kind == kind)
    }

    @Test func `a denial is rendered with its length and without its end`() throws {
        let text = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1")
        let denial = try #require(try Self.rules().denial(onFirst: text))
        let head = String(decoding: denial.head, as: UTF8.self)
        #expect(denial.status == 426)
        #expect(head.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
        #expect(head.contains("Content-Length: \(denial.body.count)\r\n"))
        #expect(head.hasSuffix("\r\n") && !head.hasSuffix("\r\n\r\n"))
    }

    @Test func `clients with different formats get different responses`() throws {
        let rules = try Self.rules()
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        let forms = [
            ("Accept: text/html,application/xhtml+xml", "text/html; charset=utf-8"),
            ("Accept: */*", "application/problem+json"),
            ("Content-Type: application/grpc+proto", "application/grpc"),
            ("Accept: */*", "application/problem+json"),
            ("Connect-Protocol-Version: 1", "application/json"),
            ("Content-Type: application/connect+json", "application/connect+json"),
            ("Content-Type: application/connect+proto", "application/connect+proto"),
            ("Accept: */*", "application/problem+json"),
            ("Accept: application/graphql-response+json", "application/graphql-response+json"),
            ("Apollo-Require-Preflight: 1", "application/json"),
            ("Connect-Protocol-Version: 1", "application/json"),
            ("Accept: */*", "application/problem+json"),
        ]
        for (field, type) in forms {
            let verdict = try rules.verdict(
                on: wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1", field),
                parser: &parser,
                last: &last
            )
            let head = String(decoding: try #require(verdict.denial).head, as: UTF8.self)
            #expect(head.contains("Content-Type: \(type)\r\n"))
        }
    }

    @Test(arguments: [
        ("https://a.example", true), ("null", true), ("", false), ("a b", false), ("a\r\nb", false),
    ])
    func `only a valid origin is reflected`(_ origin: String, _ isRepeated: Bool) {
        let lines = String(decoding: RenderedAnswer.crossOriginLines(origin), as: UTF8.self)
        #expect(lines.contains("Access-Control-Allow-Origin: \(origin)\r\n") == isRepeated)
    }
}
