import GateTestSupport
import Testing

@testable import GatePolicy

@Suite(.ownThread)
struct RequestClassifierTests {
    static func exempting(_ path: String?, _ methods: [String]? = nil) throws -> RuleSet {
        ruleSet(exemptions: [try RequestPattern(path: path, methods: methods)])
    }

    static let exemptions: [(String, exempt: [String], judged: [String])] = [
        (
            "/healthz", ["/healthz", "/healthz?x=1", "/healthz?/../a", "/%68ealthz", "/./healthz"],
            [
                "/healthz/", "/Healthz", "/healthz/x", "/", "/healthzz", "/a/../healthz",
                "//healthz", "/healthz;x", "/healthz%2f", "/healthz%00", "/healthz#", "*", "",
                "healthz", "healthz:80", "/healthz%", "/healthz\\", "/healthz%2e", "/h?/healthz",
            ]
        ),
        ("/", ["/", "/?a", "/."], ["/a", "//", "*", ""]),
        ("/a/", ["/a/", "/a/."], ["/a", "/a//"]),
        (
            "/public/**", ["/public", "/public/", "/public/a/b.css", "/public/.x"],
            [
                "/publi", "/publicx", "/public/../admin", "/public/%2e%2e/admin", "/public/..",
                "/public/..%2fadmin", "/public/..;/admin", "/public//x", "/public/a%5cb",
                "/public/%252e%252e/admin", "/Public/a", "/public/%c0%ae%c0%ae/admin",
                "/public/%e0%80%ae%e0%80%ae/admin", "/public/%ef%bc%8e%ef%bc%8e/admin",
                "/public/..%20/admin",
            ]
        ),
        ("/a/*/c", ["/a/b/c", "/a/%20/c"], ["/a//c", "/a/c", "/a/b/c/d", "/a/b/d"]),
        ("/caf%c3%a9", ["/caf%C3%A9", "/café"], ["/cafe"]),
        ("/**", ["/", "/a/b/c"], ["//", "*", "/a/..", ""]),
    ]

    @Test(arguments: exemptions)
    func `an exemption matches its exact path and no ambiguous one`(
        pattern: String,
        exempt: [String],
        judged: [String]
    ) throws {
        let rules = try Self.exempting(pattern)
        for target in exempt { #expect(rules.scope("GET", target).isExempt, "\(target)") }
        for target in judged { #expect(!rules.scope("GET", target).isExempt, "\(target)") }
    }

    static let matches: [(String, inside: [String], outside: [String])] = [
        (
            "/v2/payments/**",
            [
                "/v2/payments", "/v2/payments/", "/v2/payments/1/2", "/V2/Payments/",
                "/v2/payments?x",
                "/v2//payments", "//v2/payments/1", "/v2/%70ayments", "/v2%2fpayments",
                "/v2%5Cpayments",
                "/v2\\payments", "/v2;a=1/payments;b", "/v2/./payments", "/v1/../v2/payments",
                "/v2/payments/../x", "/v1/..%2fv2/payments", "/v1/..;/v2/payments",
                "/../v2/payments",
                "/v2/%2570ayments", "/x/%252e%252e/v2/payments/1", "/v2%252fpayments",
                "/v2/payments#x", "/v2/payments%00.css", "/v2/payments%2f..%2f1",
                "/v2/x/../payments/1", "/x%5cy/..%2fv2/payments/1", "/x\\y/%2e%2e%2fv2/payments",
                "/open/x%5cy/..%2f..%2fv2/payments/1", "/%23p%2575b%5c%2e../../%2fv2/payments",
                "/v2/..%3bx/..;y/payments/1", "/v2/./payments%2f..%2fx", "/x%23/../v2/payments#x",
                "/v2%252fpayments", "/v2/payments%3bx", "/v2/%25%37%30ayments/x",
                "/v2/%257%30ayments/x", "/v2/%%37%30ayments", "/v2%25%32%46payments",
            ],
            [
                "/v2/payment", "/v2/paymentsx", "/v2", "/", "*", "", "/x/v2/payments",
                "/v3?/v2/payments",
            ]
        ),
        (
            "/a", ["/a", "/A/", "/a//", "/a/.", "/a/b/..", "/a/.%00b", "/a/b/..#c"],
            ["/", "/a/b", "/a/b/"]
        ),
        ("/a/", ["/a", "/a/"], ["/a/b", "/"]),
        ("/", ["/", "//", "/.", "/..", "/x/.."], ["/a", "*"]),
        ("/a/*/c", ["/a/b/c", "/A/%2F/C/", "/a/x;y/c"], ["/a/c", "/a//c", "/a/b/c/d"]),
        ("/é!", ["/%c3%a9%21", "/é!"], ["/e!"]),
        ("/**", ["/", "/a", "/a//b/..", "/%"], ["*", ""]),
    ]

    @Test(arguments: matches)
    func `a rule cannot be bypassed by another spelling of its path`(
        pattern: String,
        inside: [String],
        outside: [String]
    ) throws {
        let request = try RequestPattern(path: pattern, methods: nil)
        let rules = ruleSet([try rule("a", match: RuleMatch(requests: [request]), minimum: "2")])
        let old = try client(version: "1")
        for target in inside {
            #expect(rules.decide(old, in: rules.scope("GET", target)).kind == .require, "\(target)")
        }
        for target in outside {
            #expect(rules.decide(old, in: rules.scope("GET", target)).kind == .allow, "\(target)")
        }
    }

    @Test func `methods match exactly in exemptions and regardless of case in rules`() throws {
        let exempting = try Self.exempting("/logout", ["post"])
        #expect(exempting.scope("POST", "/logout").isExempt)
        for method in ["GET", "post", "POSTS", "POS", ""] {
            #expect(!exempting.scope(method, "/logout").isExempt)
        }
        let everywhere = try Self.exempting(nil, ["OPTIONS", "TRACE"])
        #expect(everywhere.scope("OPTIONS", "*").isExempt)
        #expect(everywhere.scope("TRACE", "/a/../b").isExempt)
        #expect(!everywhere.scope("GET", "/").isExempt)

        let request = try RequestPattern(path: "/a", methods: ["POST", "PUT"])
        let rules = ruleSet([try rule("a", match: RuleMatch(requests: [request]), minimum: "2")])
        let old = try client(version: "1")
        for method in ["POST", "PUT", "post", "Put"] {
            #expect(rules.decide(old, in: rules.scope(method, "/a")).kind == .require)
        }
        for method in ["GET", "", "POST ", "POS"] {
            #expect(rules.decide(old, in: rules.scope(method, "/a")).kind == .allow)
        }
    }

    @Test func `one matching pattern is enough, and equal scopes are equal`() throws {
        let requests = [
            try RequestPattern(path: "/a/**", methods: nil),
            try RequestPattern(path: "/b", methods: ["GET"]),
        ]
        let rules = ruleSet([try rule("x", match: RuleMatch(requests: requests), minimum: "2")])
        #expect(rules.scope("GET", "/a/1") == rules.scope("POST", "/A/2"))
        #expect(rules.scope("GET", "/b") != rules.scope("GET", "/a"))
        #expect(rules.scope("POST", "/b") == rules.scope("GET", "/c"))
        #expect(ruleSet().scope("GET", "/a/../b") == ruleSet().scope("POST", "*"))
    }

    @Test func `each of ten thousand paths finds its own rule`() throws {
        let rules = ruleSet(
            try (0..<10_000).map { index in
                let request = try RequestPattern(path: "/v2/r\(index)/*/x", methods: nil)
                return try rule("r\(index)", match: RuleMatch(requests: [request]), minimum: "2")
            }
        )
        let old = try client(version: "1")
        for index in [0, 1, 63, 64, 65, 4_999, 9_999] {
            let decision = rules.decide(old, in: rules.scope("GET", "/v2/R\(index)/7/x/"))
            #expect(decision.ruleIndex == index)
        }
        #expect(rules.decide(old, in: rules.scope("GET", "/v2/r10000/7/x")).kind == .allow)
    }

    @Test func `a long ambiguous path matches every rule and no exemption`() throws {
        let request = try RequestPattern(path: "/a", methods: ["POST"])
        let rules = ruleSet(
            [try rule("a", match: RuleMatch(requests: [request]), minimum: "2")],
            exemptions: [try RequestPattern(path: "/**", methods: nil)]
        )
        let odd = String(repeating: "/;%2f\\..//%00#./", count: 100)
        let scope = rules.scope("GET", odd)
        #expect(!scope.isExempt)
        #expect(rules.decide(try client(version: "1"), in: scope).kind == .require)
    }

    @Test func `any bytes have a scope`() throws {
        let request = try RequestPattern(path: "/a/**", methods: ["GET"])
        let rules = ruleSet(
            [try rule("a", match: RuleMatch(requests: [request]))],
            exemptions: [try RequestPattern(path: "/b/*", methods: nil)]
        )
        var generator = SeededGenerator(seed: 1)
        let alphabet = Array("/ab.%2fF5cC;\\#?\0\u{FF}*".utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let scope = rules.scope(bytes: Array("GET".utf8), bytes)
            #expect(scope == rules.scope(bytes: Array("GET".utf8), bytes))
        }
    }
}
