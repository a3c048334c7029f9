import GateTestSupport
import Testing

/// The reports of `versiongate sunset` on documents and traffic, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct SunsetTests {
    private static let rules = """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "2.0"
            storeUrl: https://apps.apple.com/app/id1234567890

        """

    /// Sends each request, such as `GET /v1/orders`, from three devices with an old version.
    private static func count(_ requests: [String], at scene: Scene) throws {
        var visitors: [CensusVisitor] = []
        for request in requests {
            let parts = request.split(separator: " ").map(String.init)
            visitors += (0..<3).map { device in
                CensusVisitor(
                    version: "3.0",
                    device: "device-\(device)",
                    method: parts[0],
                    path: parts[1]
                )
            }
        }
        try scene.count(visitors)
    }

    private static func play(
        _ requests: [String],
        flags: [GateFlag] = [],
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let usual: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"),
        ]
        try await Scene.play(in: folder, flags: usual + flags) { scene in
            try Self.count(requests, at: scene)
            try await body(scene)
        }
    }

    /// Returns the report on documents: each operation or path with its calls.
    private static func lines(
        _ documents: [(name: String, text: String)],
        of scene: Scene,
        _ arguments: [String] = []
    ) throws -> [String] {
        for document in documents {
            try scene.folder.writeInPlace(document.text, to: document.name)
        }
        let named = arguments.contains("--openapi") ? [] : documents.prefix(1)
        let flags = named.flatMap { ["--openapi", scene.folder.path(of: $0.name)] }
        let report = try scene.report("sunset", ["--below", "4.0"] + flags + arguments)
        return report.list("operations").map { line in
            let path = "\(line.text("method") ?? "(any)") \(line.text("path") ?? "")"
            let calls =
                switch line.text("calls") {
                case "none": "-"
                case "unknown": "?"
                case "possible": "<=\(line.number("requests") ?? 0)"
                default: "\(line.number("requests") ?? 0)"
                }
            return line.fields["isInDocument"] as? Bool == true ? "\(path) \(calls)" : "(\(path))"
        }
    }

    private static func document(_ lines: String) -> [(name: String, text: String)] {
        [("api.yaml", "openapi: 3.1.0\n\(lines)\n")]
    }

    /// Cases from a user's report that every operation was listed as not called.
    @Test func `operations are found for each kind of server URL, and with capitals in the path`()
        async throws
    {
        let requests = [
            "/sell/v1/profiles", "/v1/orders", "/v1/orders/17", "/v2/droplets", "/v1/jobs/PENDING",
            "/v1/INVENTORY/summary",
        ]
        try await Self.play(requests.map { "GET \($0)" }) { scene in
            for (text, called) in Self.cases {
                let lines = try Self.lines(Self.document(text), of: scene)
                #expect(lines.filter { !$0.hasPrefix("(") }.sorted() == called.sorted(), "\(text)")
            }
        }
    }

    private static let cases: [(String, [String])] = [
        (
            """
            servers: [{ url: 'https://api.example.com{basePath}', variables: { basePath: { default: /sell/v1 } } }]
            paths: { /profiles: { get: {} } }
            """, ["GET /sell/v1/profiles 3"]
        ),
        (
            """
            servers: [{ url: //api.example.com/v1 }]
            paths: { /orders: { get: {} } }
            """, ["GET /v1/orders 3"]
        ),
        (
            """
            servers:
              - url: '{scheme}://api.example.com/{version}'
                variables: { scheme: { default: https }, version: { default: v1, enum: [v1] } }
            paths: { /orders: { get: {} }, /droplets: { get: {} } }
            """, ["GET /v1/orders 3", "GET /v1/droplets -"]
        ),
        (
            """
            servers: [{ url: https://sandbox.example.com/v0 }, { url: https://api.example.com/v1 }]
            paths:
              /orders: { get: {} }
              '/orders/{id}': { servers: [{ url: https://api.example.com/v1 }], get: {} }
            """, ["GET /v1/orders 3", "GET /v1/orders/{id} 3"]
        ),
        (
            """
            servers: [{ url: https://api.example.com/v1 }]
            paths: { '/jobs/{status}': { get: {} }, /INVENTORY/summary: { get: {} } }
            """, ["GET /v1/INVENTORY/summary 3", "GET /v1/jobs/{status} 3"]
        ),
        (
            """
            servers: [{ url: 'https://api.example.com/v1?x=1' }]
            paths: { /orders: { get: {} } }
            """, ["GET /v1/orders 3"]
        ),
        (
            """
            servers: [{ url: v1 }]
            paths: { /orders: { get: {} } }
            """, ["GET /v1/orders 3"]
        ),
        (
            """
            servers: [{ url: 'https://{region}.example.com:{port}/{stage}' }]
            paths: { /orders: { get: {} }, /other: { get: {} } }
            """, ["GET /{stage}/orders 3", "GET /{stage}/other -"]
        ),
        (
            """
            servers: [{ url: 'https://user:pass@[2001:db8::1]:8443/v1/#top' }]
            paths: { /orders/: { get: {} }, /orders/17/: { get: {} } }
            """, ["GET /v1/orders/ 3", "GET /v1/orders/17/ 3"]
        ),
        (
            """
            servers: [{ url: /v1, variables: {} }, { url: /v2 }]
            paths: { '/orders/{+path}': { get: {} }, /droplets: { get: {} }, /jobs: { get: {} } }
            """, ["GET /v2/droplets 3", "GET /v1/jobs -", "GET /v1/orders/{+path} 6"]
        ),
        (
            """
            servers: [{ url: 'https://api.example.com/{version}', variables: { version: { default: v7 } } }]
            paths: { /orders: { get: {} }, /never: { get: {} } }
            """, ["GET /v7/orders <=3", "GET /v7/never -"]
        ),
        (
            "paths: { /V1/ORDERS: { get: {} }, '/v1/Orders/{id}': { get: {} } }",
            ["GET /V1/ORDERS 3", "GET /v1/Orders/{id} 3"]
        ),
    ]
    /// Requests that, in addition to `GET /v1/orders`, make it uncertain whether an operation is called, and the
    /// report's remark.
    private static let gaps: [(request: String, remark: String)] = [
        ("GET /v1//orders", "requests have no shape"), ("GET /v1/a%2Fb", "requests have no shape"),
        ("GET /v1/orders;a=b", "requests have no shape"),
        ("PURGE /v1/orders", "requests have no shape"),
        ("GET /v1/" + String(repeating: "x/", count: 12), "requests have no shape"),
        ("GET /v1/" + String(repeating: "x", count: 200), "requests have no shape"),
    ]

    @Test(arguments: Self.gaps.indices)
    func `if a shape is missing, no operation is reported as not called`(number: Int)
        async throws
    {
        let gap = Self.gaps[number]
        let document = Self.document(
            "servers: [{ url: /v1 }]\npaths: { /orders: { get: {} }, /never: { get: {} } }"
        )
        try await Self.play(["GET /v1/orders"]) { scene in
            let before = try Self.lines(document, of: scene)
            #expect(before == ["GET /v1/orders 3", "GET /v1/never -"])
            try Self.count([gap.request], at: scene)
            let after = try Self.lines(document, of: scene)
            #expect(after.filter { !$0.hasPrefix("(") } == ["GET /v1/orders 3", "GET /v1/never ?"])
            let words = try ToolProcess.versiongate(
                "sunset",
                "--below",
                "4.0",
                "--openapi",
                scene.folder.path(of: "api.yaml"),
                "--state",
                scene.stateFolder
            )
            #expect(words.output.contains("\nGET /v1/never   ?\n"), "\(words.output)")
            #expect(words.output.contains("?: 3 \(gap.remark)"), "\(words.output)")
        }
    }

    @Test func `clients that exceed the cell limit may be old versions`() async throws {
        try await Self.play(["GET /v1/orders"], flags: [.censusMaxCells(10)]) { scene in
            try scene.count((1...20).map { CensusVisitor(version: "3.\($0)", path: "/v1/never") })
            let lines = try Self.lines(
                Self.document("paths: { /v1/orders: { get: {} }, /v1/other: { get: {} } }"),
                of: scene
            )
            #expect(lines.contains("GET /v1/other ?"), "\(lines)")
        }
    }

    @Test
    func `a document whose base path differs from that of the requests is reported with the fix`()
        async throws
    {
        let document = Self.document(
            "servers: [{ url: /v1 }]\npaths: { /orders: { get: {} }, '/orders/{id}': { get: {}, put: {} } }"
        )
        try await Self.play(["GET /api/v1/orders", "GET /api/v1/orders/17"]) { scene in
            let lines = try Self.lines(document, of: scene)
            #expect(lines.filter { $0.hasSuffix(" ?") }.count == 3)
            let file = scene.folder.path(of: "api.yaml")
            let words = try ToolProcess.versiongate(
                "sunset",
                "--below",
                "4.0",
                "--openapi",
                file,
                "--state",
                scene.stateFolder
            )
            #expect(
                words.output.contains("?: no request matches \(file); seen: GET /api/v1/orders")
            )
            #expect(words.output.contains("pass '--base /api/v1'"), "\(words.output)")
            #expect(
                try Self.lines(document, of: scene, ["--base", "/api/v1"]) == [
                    "GET /api/v1/orders 3", "GET /api/v1/orders/{id} 3",
                    "PUT /api/v1/orders/{id} -",
                ]
            )
            let both = ["--base", "/v1", "--base", "/api/v1/"]
            #expect(try Self.lines(document, of: scene, both).first == "GET /api/v1/orders 3")
            let wrong = try ToolProcess.versiongate("sunset", "--below", "4.0", "--base", "/api")
            #expect(wrong.status == 1 && wrong.errors.contains("no effect without --openapi"))
        }
    }

    @Test func `several documents, each in several files, are supported`() async throws {
        let documents = [
            ("api.yaml", "openapi: 3.0.3\nservers: [{ url: /v1 }]\npaths: { $ref: paths.json }\n"),
            (
                "paths.json",
                #"{ "/orders": { "$ref": "orders.yaml#/item" }, "/far": { "$ref": "https://h/far.yaml" } }"#
            ),
            ("orders.yaml", "item: { get: {}, delete: {} }\n"),
            (
                "other.yaml",
                "swagger: '2.0'\nbasePath: /v2\npaths: { '/droplets/{id}': { get: {} } }\n"
            ),
        ]
        try await Self.play(["GET /v1/orders", "GET /v2/droplets/17"]) { scene in
            let flags = ["api.yaml", "other.yaml"].flatMap {
                ["--openapi", scene.folder.path(of: $0)]
            }
            #expect(
                try Self.lines(documents, of: scene, flags) == [
                    "GET /v1/orders 3", "GET /v2/droplets/{id} 3", "(any) /v1/far ?",
                    "DELETE /v1/orders -",
                ]
            )
            let words = try ToolProcess.versiongate(
                ["sunset", "--below", "4.0", "--state", scene.stateFolder] + flags
            )
            let reason = "paths.json:1:65: 'https://h/far.yaml' is a network URL"
            #expect(words.output.contains(reason), "\(words.output)")
            try scene.folder.writeInPlace("paths: { /a: { $ref: no.yaml } }", to: "api.yaml")
            let wrong = try ToolProcess.versiongate(
                ["sunset", "--below", "4.0", "--state", scene.stateFolder] + flags
            )
            #expect(
                wrong.status == 1 && wrong.errors.contains("api.yaml:1:22: the reference to")
            )
        }
    }

    @Test func `without a document, the shapes of paths are listed`() async throws {
        let requests = [
            "GET /orders/17", "GET /orders/18", "POST /orders", "GET /jobs/PENDING", "GET //",
        ]
        try await Self.play(requests, flags: [.adminListen()]) { scene in
            let answer = try scene.askAdmin("GET", "/api/v1/advice/sunset?below=4.0")
            let reports = [
                try JSONReport(answer.text), try scene.report("sunset", "--below", "4.0"),
            ]
            for report in reports {
                let shapes = report.list("shapes").map { line in
                    "\(line.text("method") ?? "") \(line.text("path") ?? "") "
                        + "\(line.number("requests") ?? 0) \(line.number("devicesAtMost") ?? 0)"
                }
                #expect(shapes == ["GET /orders/* 6 3", "GET /jobs/* 3 3", "POST /orders 3 3"])
                #expect(report.list("shapes").allSatisfy { $0.text("lastSeen") != nil })
                #expect(report.number("moreShapes") == 0)
                // The report by rule path is unchanged.
                #expect(report.list("paths").map { $0.number("requests") } == [15])
            }
            let words = try ToolProcess.versiongate(
                "sunset",
                "--below",
                "4.0",
                "--state",
                scene.stateFolder
            )
            let names = words.output.split(separator: "\n").dropFirst(2).map { line in
                line.split(separator: "  ").prefix(2).joined(separator: ": ")
            }
            #expect(
                names.map { $0.replacing(/\s+/, with: " ") } == [
                    "GET /orders/*: 6", "GET /jobs/*: 3", "POST /orders: 3", "(other): 3",
                ]
            )
        }
    }
}
