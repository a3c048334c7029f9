import GateTestSupport
import Testing

/// The reports on routes, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RouteReportTests {
    private static func rules(_ boundary: String = "4.0.0", more: String = "") -> String {
        """
        rules:
        - id: old-api
          match: { platform: ios }
          route: { to: legacy, versions: "<\(boundary)", otherwise: default }
        \(more)
        """
    }

    /// Devices with 3.0, 3.5 and 4.0; those with 3.0 also request an old path.
    private static let visitors: [CensusVisitor] = {
        var visitors: [CensusVisitor] = []
        for (version, devices) in [("3.0", 0..<2), ("3.5", 2..<5), ("4.0", 5..<1_000)] {
            for device in devices {
                visitors.append(CensusVisitor(version: version, device: "device-\(device)"))
            }
        }
        visitors += (0..<2).map {
            CensusVisitor(version: "3.0", device: "device-\($0)", path: "/v1/orders")
        }
        return visitors
    }()

    /// Runs a gate with a backend `legacy` that cannot be reached, so that the default one gets all requests.
    private func play(_ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(), to: "rules.yaml")
        let flags: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"), .adminListen(), .upstreamNamed("legacy=http://127.0.0.1:9"),
            try .censusKey(in: folder),
        ]
        try await Scene.play(in: folder, flags: flags, backend: { _ in [.echo] }) { scene in
            try scene.count(Self.visitors)
            try await body(scene)
        }
    }

    private static func run(_ scene: Scene, _ arguments: String...) throws -> String {
        let result = try ToolProcess.versiongate(arguments + ["--state", scene.stateFolder])
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test func `sunset shows who uses a route, and the denial that replaces it`() async throws {
        try await self.play { scene in
            let text = try Self.run(scene, "sunset", "--route", "old-api")
            #expect(text.contains(", the route of 'old-api', at most 1%\n- ios: 5 of "))
            // The number of all devices is an estimate.
            #expect(text.contains(" devices (0.5%)\n"))
            #expect(text.contains("  3.0      4         2\n"))
            #expect(text.contains("within the limit: the route can be removed\n"))
            #expect(text.contains("\nGET /v1/orders"))
            let next = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("    next: { minimum: \"4.0.0\"") }
            )
            try scene.folder.writeInPlace(
                Self.rules(more: String(next.dropFirst(2))),
                to: "new.yaml"
            )
            let checked = try ToolProcess.versiongate("check", scene.folder.path(of: "new.yaml"))
            #expect(checked.status == 0, "\(checked.output)")
            let command = try scene.report("sunset", "--route", "old-api")
            let answer = try scene.askAdmin("GET", "/api/v1/advice/route?rule=old-api")
            #expect(answer.status == 200, "\(answer.text)")
            for report in [command, try JSONReport(answer.text)] {
                #expect(report.text("route") == "old-api" && report.number("requests") == 7)
                let routes = try #require(report.part("routes"))
                #expect(routes.fields["canGo"] as? Bool == true)
                #expect(routes.list("parts").first?.part("selected")?.number("devices") == 5)
                #expect(
                    routes.list("replacements").first?.text("next") == String(next.dropFirst(4))
                )
            }
            let backend = try scene.report("sunset", "--backend", "legacy", "--at-most", "0.1%")
            #expect(backend.text("backend") == "legacy")
            #expect(backend.part("routes")?.fields["canGo"] as? Bool == false)
            #expect(
                backend.part("routes")?.list("parts").first?.text("undated") == "few-days"
            )
        }
    }

    @Test(arguments: [
        (["--route", "none"], "the rules do not contain the route of 'none'"),
        (["--backend", "none"], "the rules do not contain routes to 'none'"),
        (
            ["--route", "old-api", "--below", "4.0"],
            "use exactly one of --below, --route and --backend"
        ),
        ([], "use exactly one of --below, --route and --backend"),
        (["--route", "old-api", "--at-most", "much"], "expected a share such as '1%'"),
    ])
    func `a wrong question is an error`(arguments: [String], message: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(), to: "rules.yaml")
        let rules = ["--rules", folder.path(of: "rules.yaml"), "--state", folder.path(of: "state")]
        let result = try ToolProcess.versiongate(["sunset"] + arguments + rules)
        #expect(result.status != 0 && result.errors.contains(message), "\(result.errors)")
    }

    @Test func `impact and diff show which clients go to another backend`() async throws {
        try await self.play { scene in
            try scene.folder.writeInPlace(Self.rules("3.5"), to: "new.yaml")
            let new = scene.folder.path(of: "new.yaml")
            let text = try Self.run(scene, "impact", "--rules", new)
            #expect(text.contains("\nnewly denied: none\n"))
            #expect(text.contains("sent to another backend: 3 requests (0.3%), 3 devices (0.3%)\n"))
            #expect(text.contains("  legacy -> default: 3 requests (0.3%), 3 devices (0.3%)\n"))
            #expect(text.contains("  -    ios       3.5      legacy -> default  3         3\n"))
            let command = try scene.report("impact", "--rules", new)
            let answer = try scene.askAdmin("POST", "/api/v1/impact", body: Self.rules("3.5"))
            for report in [command, try JSONReport(answer.text)] {
                let pair = try #require(report.part("moved")?.list("backends").first)
                #expect(pair.text("from") == "legacy" && pair.text("to") == "default")
                #expect(pair.part("amount")?.number("requests") == 3)
                #expect(report.part("moved")?.list("versions").first?.text("version") == "3.5")
            }
            let diff = try ToolProcess.versiongate("diff", scene.folder.path(of: "rules.yaml"), new)
            #expect(diff.output.hasPrefix("clients are sent to another backend\n"))
            #expect(
                diff.output.contains(
                    "=> now: >=3.5 <4.0.0: sent to backend default instead of legacy\n"
                )
            )
            // The reload is applied, and its record lists the route and the moved clients.
            try scene.folder.replace("rules.yaml", with: Self.rules("3.5"))
            #expect(try scene.askToReload().status == 200)
            let audit = try JSONReport(try scene.askAdmin("GET", "/api/v1/audit?limit=1").text)
            let record = try #require(audit.list("records").first)
            let changes = record.fields["changes"] as? [String] ?? []
            #expect(changes.first == "rule 'old-api':")
            #expect(changes.last?.contains("versions: \"<4.0.0\"") == true)
            #expect(record.part("predicted")?.part("moved")?.number("requests") == 3)
            #expect(record.part("predicted")?.part("denied")?.number("requests") == 0)
            // A route that no client uses is a note.
            try scene.folder.replace("rules.yaml", with: Self.rules("2.0"))
            #expect(try scene.askToReload().status == 200)
            let findings = try JSONReport(try scene.askAdmin("GET", "/api/v1/findings").text)
            #expect(findings.list("findings").map { $0.text("name") } == ["unused-route"])
            let rules = try JSONReport(try scene.askAdmin("GET", "/api/v1/rules").text)
            let route = try #require(rules.list("rules").first?.part("terms")?.part("route"))
            #expect(route.text("backend") == "legacy" && route.text("otherwise") == "default")
            #expect(route.fields["versions"] as? [String] == ["<2.0"])
        }
    }
}
