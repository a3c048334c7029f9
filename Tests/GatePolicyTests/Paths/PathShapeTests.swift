import Testing

@testable import GatePolicy

@Suite struct PathShapeTests {
    private static func shape(_ path: String, _ method: String = "GET") -> String? {
        PathShape(method: method.utf8.span, target: path.utf8.span)?.text
    }

    @Test(arguments: [
        ("/", "GET /"), ("/v2/orders", "GET /v2/orders"), ("/v1.2/Users", "GET /v1.2/Users"),
        ("/video/", "GET /video/"), ("/.well-known/app-site", "GET /.well-known/app-site"),
        ("/API/signUp", "GET /API/signUp"), ("/pay/now?token=abc", "GET /pay/now"),
        ("/oauth2/auth", "GET /oauth2/auth"),
        ("/terms-of-service.html", "GET /terms-of-service.html"),
    ])
    func `the fixed segments of an API are kept`(path: String, text: String) {
        #expect(Self.shape(path) == text)
        #expect(PathShape(text: text)?.text == text)
    }

    @Test(arguments: [
        "1", "4711", "2024", "0a1b2c", "550e8400-e29b-41d4-a716-446655440000", "dQw4w9WgXcQ",
        "alice@example.com", "alice%40example.com", "+4915112345678", "49-151-1234",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3", "507f1f77bcf86cd799439011",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "AKIAIOSFODNN7EXAMPLE", "xkcdqrtvwpl",
        "how-to-bake-bread-without-yeast", "caf%C3%A9", "日本", "a b".replacing(" ", with: "%20"),
        "10.0.0.1", "order:17", "user_1234567", "AAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `segments with identifiers or personal data are replaced`(segment: String) {
        #expect(Self.shape("/things/\(segment)/parts") == "GET /things/*/parts")
    }

    @Test(arguments: [
        ("/jobs/PENDING", "GET /jobs/^"), ("/INVENTORY/summary", "GET /^/summary"),
        ("/jobs/CANCELLED/4711", "GET /jobs/^/*"), ("/a/aBeDiFoGuHaJi", "GET /a/^"),
        ("/jobs/PAYMENT_DUE", "GET /jobs/^"), ("/rates/EUR", "GET /rates/EUR"),
        // In lower case, none of these would be a word.
        ("/jobs/PROGRAM_DE2024", "GET /jobs/*"), ("/keys/AKIAIOSFODNN7EXAMPLE", "GET /keys/*"),
    ])
    func `a word in capitals is replaced by its own placeholder`(path: String, text: String) throws
    {
        #expect(Self.shape(path) == text)
        let shape = try #require(PathShape(text: text))
        #expect(shape.general.text == text.replacing("^", with: "*"))
    }

    @Test(
        arguments: [
            ("orders", "orders", .word, true), ("order%73", "orders", .word, true),
            ("api", "api", .word, false), ("INVENTORY", "INVENTORY", .capitals, true),
            ("2024", "2024", .nameless, false), ("caf\u{E9}", "caf%C3%A9", .nameless, false),
        ] as [(String, String, PathShape.Kind, Bool)]
    )
    func `a document's segment is parsed like a request's`(
        segment: String,
        text: String,
        kind: PathShape.Kind,
        mayBeCapitals: Bool
    ) throws {
        let word = try #require(PathWord(segment))
        #expect(word.text == text && word.kind == kind && word.mayBeCapitals == mayBeCapitals)
    }

    @Test(arguments: ["a/b", "a%2fb", "a;b", "..", "a#b"])
    func `an ambiguous segment in a document has no shape`(segment: String) {
        #expect(PathWord(segment) == nil)
    }

    @Test(arguments: [
        "", "*", "/a//b", "/a/../b", "/a;b", "/a%2fb", "http://host/a",
        "/" + String(repeating: "a/", count: 12), "/" + String(repeating: "a", count: 300),
    ])
    func `an ambiguous path has no shape`(path: String) {
        #expect(Self.shape(path) == nil)
    }

    @Test func `an unknown method has no shape`() {
        #expect(Self.shape("/a", "PURGE-ALICE") == nil)
        #expect(Self.shape("/a", "POST") == "POST /a")
    }

    private static func ruleSet(_ paths: String..., exempt: String...) throws -> RuleSet {
        RuleSet(
            RuleSetDefinition(
                revision: "1",
                exemptions: try exempt.map { try RequestPattern(path: $0, methods: nil) },
                rules: [
                    RuleDefinition(
                        id: "rule",
                        match: RuleMatch(
                            requests: try paths.map { try RequestPattern(path: $0, methods: nil) }
                        ),
                        minimum: try AppVersion(parsing: "1")
                    )
                ]
            )
        )
    }

    @Test func `a shape has the scope of its requests if all of them have the same one`() throws {
        let rules = try Self.ruleSet(
            "/video/**",
            "/users/me",
            "/users/*/likes",
            "/2024/report",
            "/jobs/pending",
            "/Jobs/FINISHED/*",
            exempt: "/healthz"
        )
        func patterns(_ text: String) throws -> [String]? {
            let scope = rules.scope(of: try #require(PathShape(text: text)))
            return scope.map { $0.isExempt ? ["exempt"] : rules.patterns(in: $0) }
        }
        #expect(try patterns("GET /video/*") == ["/video/**"])
        #expect(try patterns("GET /Video") == ["/video/**"])
        #expect(try patterns("GET /users/*") == [])
        #expect(try patterns("GET /users/me") == ["/users/me"])
        #expect(try patterns("GET /users/*/likes") == ["/users/*/likes"])
        #expect(try patterns("GET /healthz") == ["exempt"])
        // One of the requests may have the path of the 2024 rule.
        #expect(try patterns("GET /*/report") == nil)
        #expect(try patterns("GET /*/other") == [])
        // `/jobs/PENDING` is the path of a rule, but `/jobs/4711` is not.
        #expect(try patterns("GET /jobs/^") == nil)
        #expect(try patterns("GET /jobs/*") == [])
        #expect(try patterns("GET /jobs/^/*") == nil)
        #expect(try patterns("GET /jobs/finished/*") == ["/Jobs/FINISHED/*"])
        #expect(try patterns("GET /^") == nil)
        #expect(try patterns("GET /other/^") == [])
    }
}
