import Testing

@testable import GatePolicy

@Suite struct RequestPatternTests {
    @Test(arguments: [
        "/", "/a", "/a/", "/a/*/c", "/**", "/a/**", "/*", "/caf%C3%A9", "/café", "/.well-known/x",
    ])
    func `a path is kept as written`(path: String) throws {
        #expect(try RequestPattern(path: path, methods: nil).path == path)
    }

    @Test func `methods are upper case and without duplicates`() throws {
        let pattern = try RequestPattern(path: nil, methods: ["post", "GET", "POST"])
        #expect(pattern.methods == ["GET", "POST"])
        #expect(try RequestPattern(path: nil, methods: ["GET", "POST"]) == pattern)
    }

    static let errors: [(String?, [String]?, RequestPatternError)] = [
        (nil, nil, .empty),
        ("", nil, .relativePath),
        ("a", nil, .relativePath),
        ("*", nil, .relativePath),
        ("/a?b", nil, .query),
        ("/**/a", nil, .doubleStarInside),
        ("/a/**/", nil, .doubleStarInside),
        ("/a*", nil, .partialWildcard("a*")),
        ("/***", nil, .partialWildcard("***")),
        ("/a//b", nil, .ambiguousPath),
        ("/a/../b", nil, .ambiguousPath),
        ("/a;b", nil, .ambiguousPath),
        ("/a%2Fb", nil, .ambiguousPath),
        ("/a\\b", nil, .ambiguousPath),
        ("/a#b", nil, .ambiguousPath),
        ("/a%", nil, .ambiguousPath),
        ("/" + String(repeating: "a", count: 1024), nil, .tooLong),
        (String(repeating: "/a", count: 65), nil, .tooLong),
        (nil, [""], .invalidMethod("")),
        (nil, ["GET POST"], .invalidMethod("GET POST")),
        (nil, ["É"], .invalidMethod("É")),
        (
            nil, [String(repeating: "A", count: 33)],
            .invalidMethod(String(repeating: "A", count: 33))
        ),
    ]

    @Test(arguments: errors)
    func `an invalid pattern is rejected with a reason`(
        path: String?,
        methods: [String]?,
        error: RequestPatternError
    ) {
        #expect(throws: error) { try RequestPattern(path: path, methods: methods) }
        #expect(!error.description.isEmpty)
    }

    @Test func `two patterns overlap if and only if a request matches both`() throws {
        let paths = [
            "/", "/a", "/A", "/a/", "/a/b", "/a/**", "/a/b/**", "/*", "/*/b", "/*/b/**", "/**",
            "/b",
            "/b/*", "/%41", "/a%20b", "/A%20B/**", "/*/*", "/a/*/c",
        ]
        let methods: [[String]?] = [nil, ["GET"], ["get", "POST"], ["PUT"]]
        let patterns = try methods.flatMap { methods in
            try paths.map { try RequestPattern(path: $0, methods: methods) }
        }
        let pathless = try methods.compactMap(\.self).map {
            try RequestPattern(path: nil, methods: $0)
        }
        let fillers = ComparedRequest.Fillers(besides: patterns)
        for one in patterns + pathless {
            for other in patterns + pathless {
                let both = ComparedRequest(one, other, fillers)
                #expect(one.meets(other) == (both != nil), "\(one) and \(other)")
            }
        }
    }
}
