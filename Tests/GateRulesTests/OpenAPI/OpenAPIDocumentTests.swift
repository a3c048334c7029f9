import GateCensus
import GateTestSupport
import Testing

@testable import GateRules

/// The operations of documents in one or several files.
@Suite struct OpenAPIDocumentTests {
    /// Parses the first of the files.
    private static func read(
        _ files: [(name: String, text: String)],
        bases: [String]? = nil
    ) throws -> [APIOperation] {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        for file in files {
            if let name = file.name.split(separator: "/").dropLast().first.map(String.init) {
                try? folder.makeFolder(name)
            }
            try folder.write(file.text, to: file.name)
        }
        let first = try #require(files.first)
        return try OpenAPIDocument(path: folder.path(of: first.name), bases: bases).operations
    }

    private static func texts(_ operations: [APIOperation]) -> [String] {
        operations.map { operation in
            operation.addresses.map { operation.text(at: $0.path) }.joined(separator: " | ")
        }.sorted()
    }

    private static let head = "openapi: 3.1.0\n"

    @Test(arguments: [
        ("paths: { /a: { get: {}, POST: {} } }", ["GET /a", "POST /a"]),
        ("servers: []\npaths: { /a: { get: {} } }", ["GET /a"]),
        ("servers: [{}]\npaths: { /a: { get: {} } }", ["GET /a"]),
        (
            "servers: [{ url: /v1 }, { url: /v2/ }]\npaths: { /a: { get: {} } }",
            ["GET /v1/a | GET /v2/a"]
        ),
        (
            "servers: [{ url: /v1 }]\npaths: { /a: { servers: [{ url: /v2 }], get: {} }, /b: { get: {} } }",
            ["GET /v1/b", "GET /v2/a"]
        ),
        (
            "paths: { /a: { servers: [{ url: /v2 }], get: { servers: [{ url: /v3 }] }, put: {} } }",
            ["GET /v3/a", "PUT /v2/a"]
        ),
        (
            "servers: [{ url: 'https://h/{v}', variables: { v: { default: 2, enum: [1, 2] } } }]\n"
                + "paths: { /a: { get: {} } }", ["GET /2/a | GET /1/a"]
        ),
        (
            "paths: { /a: { query: {}, additionalOperations: { COPY: {}, LINK: {} } } }",
            ["COPY /a", "LINK /a", "QUERY /a"]
        ),
        (
            "paths: { /a: { summary: x, parameters: [], x-y: { get: {} }, purge: {} } }",
            ["PURGE /a"]
        ),
        ("paths: { x-group: { get: {} }, X-Y: 1, /a: { get: {} } }", ["GET /a"]),
        ("paths: { /a: { get: {} }, /b: null, /c: {} }", ["GET /a"]),
        ("paths: { orders: { get: {} } }", ["GET /orders"]),
        ("webhooks: { new: { post: {} } }\npaths: { /a: { get: {} } }", ["GET /a"]),
        (
            "paths: { /a: { get: { callbacks: { done: { '{$request.body#/url}': { post: {} } } } } } }",
            ["GET /a"]
        ),
        ("basePath: /old\npaths: { /a: { get: {} } }\nservers: [{ url: /v1 }]", ["GET /v1/a"]),
        (
            "paths: { /a: { trace: {}, head: {}, options: {}, patch: {}, delete: {} } }",
            ["DELETE /a", "HEAD /a", "OPTIONS /a", "PATCH /a", "TRACE /a"]
        ),
        (
            "paths: { /a: { $ref: '#/components/pathItems/a' }, /b: { $ref: '#/paths/~1a', put: {} } }\n"
                + "components: { pathItems: { a: { get: {} } } }", ["GET /a", "GET /b", "PUT /b"]
        ),
        (
            "paths: { /a: { get: { $ref: '#/components/x-operations/a' } } }\n"
                + "components: { x-operations: { a: { servers: [{ url: /v9 }] } } }", ["GET /v9/a"]
        ),
        ("paths: { /a: &a { get: {} }, /b: *a }", ["GET /a", "GET /b"]),
        (
            "servers: [{ $ref: '#/components/servers/one' }]\ncomponents: { servers: { one: { url: /v1 } } }\n"
                + "paths: { /a: { get: {} } }", ["GET /v1/a"]
        ),
    ])
    func `the operations of a document are found`(text: String, operations: [String]) throws {
        let found = try Self.read([("api.yaml", Self.head + text)])
        #expect(Self.texts(found) == operations)
        #expect(found.allSatisfy { $0.unread == nil })
    }

    @Test(arguments: [
        ("basePath: /v1", "GET /v1/a"), ("basePath: /v1/", "GET /v1/a"),
        ("basePath: v1", "GET /v1/a"),
        ("basePath: /", "GET /a"), ("host: h", "GET /a"),
        ("basePath: /v1\nservers: [{ url: /v2 }]", "GET /v1/a"),
        (
            "x-ms-parameterized-host: { hostTemplate: 'https://{zone}.example.com/api/v1.0' }",
            "GET /api/v1.0/a"
        ),
    ])
    func `a Swagger document has a base path`(line: String, operation: String) throws {
        let text = "swagger: '2.0'\n\(line)\npaths: { /a: { get: {} } }"
        #expect(Self.texts(try Self.read([("api.yaml", text)])) == [operation])
    }

    @Test func `configured base paths replace those of the servers`() throws {
        let text =
            Self.head + "servers: [{ url: /v1 }]\n"
            + "paths: { /a: { servers: [{ url: v2 }], get: {} } }"
        #expect(
            Self.texts(try Self.read([("api.yaml", text)], bases: ["", "/api/v1"]))
                == ["GET /a | GET /api/v1/a"]
        )
        let written = ["/api/v1/", "api/v1", "https://h/api/v1", "/", "", "/api/../v1"]
        #expect(
            written.map { OpenAPIDocument.base(of: $0) }
                == ["/api/v1", "/api/v1", "/api/v1", "", "", "/v1"]
        )
    }

    @Test(
        arguments: [
            // A reference for one path, for all paths, and for both.
            (
                "paths: { /a: { $ref: paths/a.yaml } }",
                [("paths/a.yaml", "{ get: {}, put: {} }")], ["GET /a", "PUT /a"]
            ),
            (
                "paths: { $ref: './paths.json' }",
                [
                    (
                        "paths.json",
                        "{ \"/a\": { \"get\": {} }, \"/b\": { \"$ref\": \"items/b.yaml#/item\" } }"
                    ),
                    ("items/b.yaml", "item: { $ref: '../c.yaml#/components/pathItems/c' }"),
                    ("c.yaml", "components: { pathItems: { c: { delete: {} } } }"),
                ],
                ["DELETE /b", "GET /a"]
            ),
            (
                "paths: { $ref: paths.yaml, /b: { get: {} } }",
                [("paths.yaml", "/a: { get: {} }")], ["GET /a", "GET /b"]
            ),
            (
                "paths: { /a: { $ref: 'other.yaml#/paths/~1x~1%7Bid%7D' } }",
                [
                    (
                        "other.yaml",
                        "openapi: 3.0.0\nservers: [{ url: /other }]\npaths: { '/x/{id}': { get: {} } }"
                    )
                ],
                ["GET /v1/a"]
            ),
            (
                "paths: { /a: { get: { $ref: 'get%20a.yaml' } } }",
                [("get a.yaml", "servers: [{ url: /v2 }]")], ["GET /v2/a"]
            ),
            // The pointer continues through a reference.
            (
                "paths: { /a: { $ref: 'x.yaml#/all/~1a' } }",
                [("x.yaml", "all: { $ref: y.yaml }"), ("y.yaml", "/a: { get: {} }")], ["GET /v1/a"]
            ),
            (
                "paths: { /a: { $ref: 'x.yaml#/items/1' } }",
                [("x.yaml", "items: [{ get: {} }, { put: {} }]")], ["PUT /v1/a"]
            ),
        ] as [(String, [(String, String)], [String])]
    )
    func `a document can be split into several files`(
        text: String,
        files: [(String, String)],
        operations: [String]
    ) throws {
        let servers = operations[0].contains("/v") ? "servers: [{ url: /v1 }]\n" : ""
        let found = try Self.read([("api.yaml", Self.head + servers + text)] + files)
        #expect(Self.texts(found) == operations)
    }

    @Test(arguments: [
        ("a: b", ":1:1: expected an OpenAPI document with 'paths'"),
        ("openapi: 3.1.0\npaths: {}", ":2:8: the document has no operation under 'paths'"),
        ("openapi: 3.1.0\npaths: []", ":2:8: expected an OpenAPI document with 'paths'"),
        ("paths: { /a: [] }", ":1:14: expected the operations of '/a', found a list"),
        (
            "paths: { /a: { $ref: missing.yaml } }",
            "missing.yaml' cannot be followed: there is no such file"
        ),
        ("paths: { /a: { $ref: '.' } }", "this is a folder"),
        (
            "paths: { /a: { $ref: '#/components/a' } }",
            ":1:22: the reference '#/components/a' cannot be resolved: "
        ),
        ("paths: { /a: { $ref: '#a' } }", "must be a JSON pointer"),
        ("paths: { /a: { $ref: '#/paths/~1a' } }", "leads back to itself"),
        (
            "paths: { /a: { $ref: '#/paths/~1b' }, /b: { $ref: '#/paths/~1a' } }",
            "leads back to itself"
        ),
        ("paths: { $ref: 'https://h/paths.yaml' }", "is a network URL, which is not fetched"),
        ("servers: { $ref: '//h/s.yaml' }\npaths: { /a: { get: {} } }", "is a network URL"),
    ])
    func `an invalid document is rejected with its location`(text: String, message: String) throws {
        do {
            let found = try Self.read([("api.yaml", text)])
            Issue.record("read: \(Self.texts(found))")
        } catch let error as RulesFileError {
            #expect("\(error)".contains(message), "\(error)")
            #expect(error.file.hasSuffix("api.yaml"))
        }
    }

    @Test func `operations at a network URL are listed as not read`() throws {
        let text =
            Self.head + """
                paths:
                  /a: { $ref: 'https://h/a.yaml', put: {} }
                  /b: { get: { $ref: '//h/b.yaml' } }
                """
        let found = try Self.read([("api.yaml", text)])
        #expect(Self.texts(found) == ["(any) /a", "GET /b", "PUT /a"])
        let reasons = found.compactMap(\.unread)
        #expect(reasons.count == 2)
        #expect(reasons[0].contains("api.yaml:3:15: 'https://h/a.yaml' is a network URL"))
    }

    @Test func `the length of a chain of references is limited`() throws {
        var items = (0..<80).map { "a\($0): { $ref: '#/x/a\($0 + 1)' }" }
        items.append("a80: { get: {} }")
        let text =
            Self.head
            + "paths: { /a: { $ref: '#/x/a20' } }\nx: { \(items.joined(separator: ", ")) }"
        #expect(Self.texts(try Self.read([("api.yaml", text)])) == ["GET /a"])
        let longer = text.replacing("#/x/a20", with: "#/x/a0")
        #expect(throws: RulesFileError.self) { try Self.read([("api.yaml", longer)]) }
    }

    @Test func `a file is read once, regardless of the spelling of its path`() throws {
        var files = OpenAPIFiles()
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("openapi: 3.1.0", to: "api.yaml")
        let first = try files.root(of: folder.path(of: "api.yaml"))
        try folder.write("openapi: 3.0.0", to: "api.yaml")
        let second = try files.root(of: folder.path(of: "x/../api.yaml"))
        #expect(first["openapi"]?.scalar == second["openapi"]?.scalar)
    }

    @Test(arguments: [
        (#"{"a":"\ud83d\ude00"}"#, #"{"a":"\U0001f600"}"#),
        (#"{"a":"\\ud83d\\ude00"}"#, #"{"a":"\\ud83d\\ude00"}"#),
        (#"{"a":"\u00e9\/"}"#, #"{"a":"\u00e9\/"}"#), (#"a: \ud83d\ude00"#, #"a: \ud83d\ude00"#),
        (#"{"a":"\ud83d"}"#, #"{"a":"\ud83d"}"#),
        (#"{"a":"\ud83d\u0041"}"#, #"{"a":"\ud83d\u0041"}"#),
    ])
    func `surrogate pairs in escapes are converted for YAML`(text: String, written: String) {
        let bytes = JSONEscapes.withoutSurrogates(Array(text.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == written)
    }
}
