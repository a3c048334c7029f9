import Testing

@testable import GatePolicy

@Suite struct UserAgentPatternTests {
    typealias Fields = [UserAgentField: String]

    static let matches: [(String, String, Fields?)] = [
        (#"^Shop/(?<version>[\d.]+)"#, "Shop/3.4.0 (iPhone)", [.version: "3.4.0"]),
        (#"^Shop/(?<version>[\d.]+)"#, "xShop/3.4.0", nil),
        (#"Shop/(?<version>[\d.]+)"#, "Mozilla/5.0 Shop/3.4.0", [.version: "3.4.0"]),
        (
            #"^(?<app>[\w.]+)/(?<version>\S+) \((?<platform>iOS|Android) (?<osVersion>[^;)]+)"#,
            "com.example.shop/3.4.0-rc.1 (Android 14; Pixel)",
            [
                .app: "com.example.shop", .version: "3.4.0-rc.1", .platform: "Android",
                .osVersion: "14",
            ]
        ),
        (#"Shop (?<version>[\d.]+)(?: build (?<build>\d+))?$"#, "Shop 1.2", [.version: "1.2"]),
        (
            #"Shop (?<version>[\d.]+)(?: build (?<build>\d+))?$"#, "Shop 1.2 build 7",
            [.version: "1.2", .build: "7"]
        ),
        (#"(?i)shop/(?P<version>\d+)"#, "SHOP/12", [.version: "12"]),
        (#"shop/(?<version>\d+)"#, "SHOP/12", nil),
        (#"(?<version>\d+?)"#, "123", [.version: "1"]),
        (#"(?<version>\d{2})"#, "123", [.version: "12"]),
        (#"^(?<version>\d{2,})$"#, "1", nil),
        (#"^(?<version>\d{1,2})$"#, "12", [.version: "12"]),
        (#"^(?<version>\d{0,2}?)$"#, "12", [.version: "12"]),
        (#"a|(?<version>b)|c"#, "b", [.version: "b"]),
        (#"a|(?<version>b)|c"#, "c", [:]),
        (#"(?<version>a|ab)(?:c|bcd)"#, "abcd", [.version: "a"]),
        (#"\bv(?<version>\d+)\b"#, "xv1 v2 v3", [.version: "2"]),
        (#"(?<version>[^a-z]+)"#, "ab12", [.version: "12"]),
        (#"(?i)(?<version>[^a]+)"#, "aAb", [.version: "b"]),
        (#"(?<version>[]a-]+)"#, "x-]a", [.version: "-]a"]),
        (#"(?<version>[\d\-.]+)"#, "x1-2.3y", [.version: "1-2.3"]),
        (#"(?<version>\W\D)"#, "a-b", [.version: "-b"]),
        (#"(?<version>.)"#, "", nil),
        (#"(?<version>)"#, "", [.version: ""]),
        (#"(?<version>(?:a*)*)b"#, "aab", [.version: "aa"]),
        (#"x(?:|y)(?<version>1)"#, "x1", [.version: "1"]),
        (#"\((?<version>1)\)\[\.\/\\"#, #"(1)[./\"#, [.version: "1"]),
    ]

    @Test(arguments: matches)
    func `a pattern returns the values of its named groups`(
        pattern: String,
        userAgent: String,
        fields: Fields?
    ) throws {
        #expect(try UserAgentPattern(parsing: pattern).match(userAgent) == fields)
    }

    static let errors: [(String, PatternError)] = [
        ("", .empty),
        ("Shop", .noVersion),
        ("(?<app>x)", .noVersion),
        ("(?<version>x", .unfinished),
        ("(?<version", .unfinished),
        ("(?<version>x))", .unexpected(")")),
        ("[a", .unfinished),
        ("x\\", .unfinished),
        ("x{2", .unfinished),
        ("*x", .unexpected("*")),
        ("x**", .unexpected("*")),
        ("x}", .unexpected("}")),
        ("(?<name>x)", .unknownGroup("name")),
        ("(?<version>x)|(?<version>y)", .duplicateGroup("version")),
        ("(?=x)", .unsupported("(?=")),
        ("(?<=x)", .unfinished),
        ("(?<=x>)", .unsupported("(?<=")),
        (#"(a)\1"#, .unsupported(#"\1"#)),
        (#"\p{L}"#, .unsupported(#"\p"#)),
        ("x{a}", .unsupported("{a}")),
        ("x{,2}", .unsupported("{,2}")),
        ("x{1,2,3}", .unsupported("{1,2,3}")),
        ("x{3,2}", .reversedRange("3,2")),
        ("[z-a]", .reversedRange("z-a")),
        (#"[a-\d]"#, .unexpected("\\")),
        ("x{101}", .tooComplex),
        ("x{99999999999999999999999}", .tooComplex),
        ("(?<version>(x{100}){100})", .tooComplex),
        ("é(?<version>x)", .nonASCII),
        (String(repeating: "x", count: 513), .tooComplex),
    ]

    @Test(arguments: errors)
    func `an invalid pattern is rejected with a reason`(
        pattern: String,
        error: PatternError
    ) {
        #expect(throws: error) { try UserAgentPattern(parsing: pattern) }
        #expect(!error.description.isEmpty)
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "(?:a+)+(?<version>b)", "(?:a|a)*(?<version>b)", "(?:a*)*(?:a*)*(?<version>b)",
            "(?:(?:a?){20}){20}(?<version>b)", "(?<version>.*.*.*.*.*=)",
        ]
    )
    func `no input makes a pattern slow`(pattern: String) throws {
        let pattern = try UserAgentPattern(parsing: pattern)
        #expect(pattern.match(String(repeating: "a", count: 512)) == nil)
    }

    @Test func `nested repetitions of nothing terminate`() throws {
        let nested = String(repeating: "(", count: 60) + String(repeating: "){100}", count: 60)
        #expect(try UserAgentPattern(parsing: nested + "(?<version>1)").match("1") != nil)
    }

    @Test func `a User-Agent that is too long is ignored instead of truncated`() throws {
        let pattern = try UserAgentPattern(parsing: #"Shop/(?<version>\d+)"#)
        let padding = String(repeating: " ", count: 505)
        #expect(pattern.match(padding + "Shop/12") == [.version: "12"])
        #expect(pattern.match(padding + "Shop/123") == nil)
    }
}
