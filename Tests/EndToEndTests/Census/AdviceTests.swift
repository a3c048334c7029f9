import GateTestSupport
import Testing

/// The real executable's advice on floors: the output of its commands and its API for known traffic.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdviceTests {
    private static let link = "storeUrl: https://apps.apple.com/app/id1234567890"
    private static let rules = """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "2.0"
            \(Self.link)
          - id: old-api
            match: { platform: ios, path: /v1/** }
            minimum: "1.0"
            \(Self.link)
          - id: nobody
            match: { platform: android }
            minimum: "1.0"
            \(Self.link)
          - id: watched
            mode: observe
            match: { platform: ios }
            minimum: "3.0"
            \(Self.link)

        """

    /// Requests of several versions.
    ///
    /// 1.0: 10 devices, denied. 2.0: 5 devices, which also call an old path. 3.0: 435 devices.
    /// 3.1, 3.1.1 and 3.2: 60 devices each, with 2, 30 and 2 requests per device.
    private static let visitors: [CensusVisitor] = {
        var visitors: [CensusVisitor] = []
        for (version, devices, times) in [
            ("1.0", 0..<10, 1), ("2.0", 10..<15, 1), ("3.0", 20..<455, 1),
            ("3.1", 460..<520, 2), ("3.1.1", 520..<580, 30), ("3.2", 580..<640, 2),
        ] {
            for device in devices {
                visitors += (0..<times).map { _ in
                    CensusVisitor(version: version, device: "device-\(device)")
                }
            }
        }
        visitors += (10..<13).map {
            CensusVisitor(version: "2.0", device: "device-\($0)", path: "/v1/orders")
        }
        return visitors
    }()

    private func play(_ body: (Scene) async throws -> Void) async throws {
        try await self.play(backend: { _ in [.echo] }) { scene in
            try scene.count(Self.visitors)
            try await body(scene)
        }
    }

    private func play(
        backend script: @escaping ScriptedBackend.Script,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let flags: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"), .adminListen(), try .censusKey(in: folder),
        ]
        try await Scene.play(in: folder, flags: flags, backend: script, body)
    }

    /// Returns the same report from the API and from the command.
    private static func reports(
        _ scene: Scene,
        _ command: [String],
        _ target: String
    ) throws -> [JSONReport] {
        let answer = try scene.askAdmin("GET", target)
        #expect(answer.status == 200, "\(answer.text)")
        let result = try ToolProcess.versiongate(
            command + ["--state", scene.stateFolder, "--json"]
        )
        #expect(result.status == 0, "\(result.errors)")
        return [try JSONReport(answer.text), try JSONReport(result.output)]
    }

    @Test func `the suggested floor stays within the limit, and its impact matches`()
        async throws
    {
        try await self.play { scene in
            let command = [
                "floor", "suggest", "--platform", "iOS", "--at-most", "2%", "--days", "1",
            ]
            let target = "/api/v1/advice/floor?atMost=2%25&days=1&platform=ios"
            for report in try Self.reports(scene, command, target) {
                let part = try #require(report.list("floors").first)
                #expect(report.list("floors").count == 1 && part.text("counts") == "devices")
                let floor = try #require(part.part("floor"))
                // The devices with 1.0 are already denied.
                #expect(floor.text("minimum") == "3.0")
                #expect(floor.number("requests") == 8 && floor.number("devices") == 5)
                let next = part.list("next").map {
                    "\($0.text("minimum") ?? "") \($0.text("undated") ?? "")"
                }
                #expect(next == ["3.1 few-days", "3.1.1 few-days", "3.2 few-days"])
            }
            let impact = try scene.askAdmin(
                Request.text(
                    "POST",
                    "/api/v1/impact?since=1d&rule=ios&minimum=3.0",
                    host: "localhost"
                )
            )
            let amount = try JSONReport(impact.text).part("denied")?.part("amount")
            #expect(amount?.number("devices") == 5 && amount?.number("requests") == 8)
            let words = try ToolProcess.versiongate(
                ["floor", "suggest", "--at-most", "2%", "--state", scene.stateFolder]
            )
            #expect(words.output.contains("  minimum: \"3.0\"  # 5 devices ("))
            let wrong = try ToolProcess.versiongate(
                ["floor", "suggest", "--at-most", "2", "--state", scene.stateFolder]
            )
            #expect(wrong.status != 0 && wrong.errors.contains("expected a share such as '1%'"))
        }
    }

    @Test func `paths that old versions call and builds with too many requests are reported`()
        async throws
    {
        try await self.play { scene in
            let command = ["sunset", "--below", "3.0"]
            for report in try Self.reports(
                scene,
                command,
                "/api/v1/advice/sunset?below=3.0"
            ) {
                #expect(report.number("requests") == 18 && report.number("devices") == 15)
                let paths = report.list("paths")
                #expect(paths.map { $0.text("pattern") } == [nil, "/v1/**"])
                #expect(paths.map { $0.number("requests") } == [15, 3])
                #expect(paths.map { $0.number("devices") } == [15, 3])
                #expect(paths.last?.fields["versions"] as? [String] == ["2.0"])
                #expect(paths.last?.text("lastSeen") != nil)
            }
            let words = try ToolProcess.versiongate(command + ["--state", scene.stateFolder])
            #expect(words.output.contains("\n/v1/**"))
            let none = try ToolProcess.versiongate(
                ["sunset", "--below", "0.1", "--state", scene.stateFolder]
            )
            #expect(none.output.hasSuffix("versions below 0.1: no requests\n"))
            for report in try Self.reports(
                scene,
                ["blocked", "suggest"],
                "/api/v1/advice/builds"
            ) {
                #expect(report.list("builds").map { $0.text("line") } == ["blocked: [\"3.1.1\"]"])
            }
        }
    }

    /// Five versions with 60 devices each.
    ///
    /// The backend fails for one version, also over HTTP/2.
    @Test func `the only build whose requests the backend fails is reported`() async throws {
        let script: ScriptedBackend.Script = { request in
            let fails = request.fields["X-App-Version"] == ["3.2"]
            return [.answer(fails ? "500 Internal Server Error" : "200 OK")]
        }
        try await self.play(backend: script) { scene in
            let skipped = scene.gate.logLines.count
            let client = try RawHTTP2Client(port: scene.gate.port)
            for (stream, version) in [(1, "3.2"), (3, "3.2"), (5, "3.3")] as [(UInt32, String)] {
                let fields = [
                    ("x-app-platform", "ios"), ("x-app-version", version),
                    ("x-device-id", "device-\(stream)"),
                ]
                try client.request(stream, "GET", "/", fields)
                #expect(try client.response(stream).status == (version == "3.2" ? 500 : 200))
            }
            // The last requests do not fail, so all failures have been counted once the last request is.
            let versions = ["3.2", "2.0", "3.0", "3.1", "3.3"]
            let visitors = versions.flatMap { (version: String) in
                (0..<60).map { CensusVisitor(version: version, device: "\(version)-\($0)") }
            }
            try scene.send(visitors)
            try scene.awaitCensus(of: visitors.count + 3, skipping: skipped)
            let target = "/api/v1/advice/builds"
            for report in try Self.reports(scene, ["blocked", "suggest"], target) {
                let builds = report.list("builds")
                #expect(builds.map { $0.text("line") } == ["blocked: [\"3.2\"]"])
                let fails = try #require(builds.first?.part("fails"))
                #expect(builds.first?.part("asks") == nil)
                #expect(fails.number("serverErrors") == 62 && fails.number("requests") == 62)
                #expect(fails.number("share") == 1 && fails.number("usual") == 0)
            }
            let words = try ToolProcess.versiongate([
                "blocked", "suggest", "--state", scene.stateFolder,
            ])
            #expect(
                words.output.contains(
                    "- ios: 100% of 62 requests got a 5xx response (usual: 0%)\n"
                        + "  blocked: [\"3.2\"]\n"
                )
            )
            let census = try scene.report("census")
            #expect(census.number("serverErrors") == 62)
            let failing = census.list("clients").filter { $0.number("serverErrors") != 0 }
            #expect(failing.map { $0.text("version") } == ["3.2"])
            let table = try ToolProcess.versiongate("census", "--state", scene.stateFolder)
            #expect(table.output.split(separator: "\n")[1].hasSuffix("  devices  5xx"))
        }
    }

    @Test
    func `operations of an API document are reported with their calls by old versions`()
        async throws
    {
        try await self.play { scene in
            try scene.folder.writeInPlace(
                """
                openapi: 3.1.0
                servers: [{ url: "https://api.example.com/v1/" }]
                paths:
                  /orders: { get: {}, post: {} }
                  /orders/{id}: { get: {}, parameters: [] }
                  /orders/latest: { get: {} }

                """,
                to: "api.yaml"
            )
            var more = (10..<15).map {
                CensusVisitor(
                    version: "2.0",
                    device: "device-\($0)",
                    path: "/v1/orders/77\($0)?a=b"
                )
            }
            more.append(
                CensusVisitor(version: "2.0", device: "device-10", path: "/v1/orders/latest")
            )
            more.append(
                CensusVisitor(version: "3.2", device: "device-600", path: "/v1/orders/latest")
            )
            try scene.count(more)
            let document = scene.folder.path(of: "api.yaml")
            let arguments = [
                "sunset", "--below", "3.0", "--openapi", document, "--state", scene.stateFolder,
            ]
            let result = try ToolProcess.versiongate(arguments + ["--json"])
            #expect(result.status == 0, "\(result.errors)")
            let found = try JSONReport(result.output).list("operations").map { line in
                [
                    line.text("method"), line.text("path"), line.number("requests").map { "\($0)" },
                    line.text("lastSeen") == nil ? "never" : "seen",
                ].map { $0 ?? "-" }.joined(separator: " ")
            }
            #expect(
                found == [
                    "GET / 15 seen", "GET /v1/orders/{id} 5 seen", "GET /v1/orders 3 seen",
                    "GET /v1/orders/latest 1 seen", "POST /v1/orders 0 never",
                ]
            )
            let words = try ToolProcess.versiongate(arguments)
            #expect(words.output.contains("\nPOST /v1/orders "))
            try scene.folder.writeInPlace("a: b", to: "no.yaml")
            let wrong = try ToolProcess.versiongate(
                ["sunset", "--below", "3.0", "--openapi", scene.folder.path(of: "no.yaml")]
            )
            #expect(wrong.status == 1 && wrong.errors.contains("no.yaml:1:1: expected an OpenAPI"))
        }
    }

    @Test func `each rule has the time of its last decision`() async throws {
        try await self.play { scene in
            let answer = try scene.askAdmin("GET", "/api/v1/rules")
            let rules = try JSONReport(answer.text).list("rules")
            let known = rules.map { $0.part("lastMatch")?.text("at") != nil }
            #expect(known == [true, false, false, false])
            let result = try ToolProcess.versiongate([
                "census", "rules", "--state", scene.stateFolder,
            ])
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 5 && lines[0].hasPrefix("rule     last decided"))
            #expect(lines[1].hasPrefix("ios      20"))
            #expect(lines[3].hasPrefix("nobody   never in the stored data"))
            #expect(lines[4].hasPrefix("watched  unknown: observe mode"))
        }
    }

    /// Returns the devices that the rule `ios` denied and those that came back, as reported by the API and by the
    /// command.
    private static func returns(_ scene: Scene) throws -> [String] {
        let answer = try scene.askAdmin("GET", "/api/v1/rules")
        let told = try JSONReport(answer.text).list("rules").first?.part("returns")
        let rule = try scene.report("census", "rules").list("rules").first
        return [
            (told?.number("refused"), told?.number("returned")),
            (rule?.number("refusedDevices"), rule?.number("returnedDevices")),
        ].map { "\($0.0 ?? 0) \($0.1 ?? 0)" }
    }

    @Test
    func `denied devices that come back updated are counted until a purge`()
        async throws
    {
        try await self.play { scene in
            #expect(try Self.returns(scene) == ["10 0", "10 0"])
            // Four devices update, one of them twice. One comes back unchanged, and one with an
            // older version.
            let back = [
                (0, "2.0"), (1, "3.0"), (2, "3.2"), (3, "2.0"), (3, "3.0"), (4, "1.0"), (5, "0.9"),
            ]
            try scene.count(back.map { CensusVisitor(version: $0.1, device: "device-\($0.0)") })
            #expect(try Self.returns(scene) == ["10 4", "10 4"])
            let purge = try ToolProcess.versiongate([
                "census", "purge", "--state", scene.stateFolder,
            ])
            #expect(purge.status == 0, "\(purge.errors)")
            try scene.count([CensusVisitor(version: "3.0", device: "device-100")])
            #expect(try Self.returns(scene) == ["0 0", "0 0"])
        }
    }
}
