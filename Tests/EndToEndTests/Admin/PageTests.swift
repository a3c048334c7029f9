import Foundation
import GateTestSupport
import Testing

/// The admin page.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(20)))
struct PageTests {
    private static let rules = """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "2.0"
            storeUrl: https://apps.apple.com/app/id1234567890
          - id: counted
            match: { platform: ios }
            minimum: "2.5"
            mode: observe
            storeUrl: https://apps.apple.com/app/id1234567890
            next:
              - { minimum: "3.0", enforceFrom: 2999-01-01T00:00:00Z }

        """

    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Programs/drive_page.py").standardizedFileURL.path

    @Test func `the page runs only its own files, and cannot be framed`() async throws {
        try await Scene.play(rules: Self.rules, flags: [.adminListen()]) { scene in
            let page = try scene.askAdmin("GET", "/")
            #expect(page.status == 200)
            #expect(page.fields["Content-Type"] == ["text/html; charset=utf-8"])
            let policy = try #require(page.fields["Content-Security-Policy"].first)
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
            #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
            let paths = page.text.matches(of: /(?:href|src)="(\/[^"]+)"/).map { String($0.1) }
            #expect(paths.count == 6)
            for path in paths {
                let file = try scene.askAdmin("GET", path)
                #expect(file.status == 200, "\(path)")
            }
        }
    }

    @Test(.needs("chromium"))
    func `a browser shows the page, raises floors with its texts, and undoes one of two changes`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let flags: [GateFlag] = [
            .adminListen(), .censusInterval(seconds: 0.1), .logLevel("debug"),
            .stateDir(path: folder.path(of: "state")), try .censusKey(in: folder),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            var visitors: [CensusVisitor] = []
            for (version, count) in [("1.0", 5), ("2.0", 20), ("3.0", 30), ("3.1", 45)] {
                for device in 0..<count {
                    visitors.append(
                        CensusVisitor(version: version, device: "\(version)-\(device)")
                    )
                }
            }
            try scene.count(visitors)
            try Self.drive(
                scene,
                listed: "counted|No requests|ios|requests",
                "--rules",
                scene.folder.path(of: "rules.yaml"),
                "--gate",
                scene.url("/"),
                "--versiongate",
                GateExecutable.locate().path,
                "--state",
                scene.stateFolder
            )
        }
    }

    @Test(.needs("chromium"))
    func `the page is readable without a census and with an invalid file`() async throws {
        let flags: [GateFlag] = [.adminListen(), .census(false)]
        try await Scene.play(rules: Self.rules, flags: flags) { scene in
            try scene.folder.replace("rules.yaml", with: "rules: [{ id: ios, minimun: 1 }]")
            #expect(try scene.askToReload().status == 409)
            try Self.drive(
                scene,
                listed: "The census is off|The new rules were rejected|minimun"
            )
        }
    }

    @Test(.needs("chromium"))
    func `the page requests the token, on loopback too, and undo works with it`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\n", to: "tokens")
        let flags: [GateFlag] = [
            .adminListen(), .adminTokenFile(path: folder.path(of: "tokens")),
            .stateDir(path: folder.path(of: "state")),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.reload(Self.rules.replacing("\"2.0\"", with: "\"9.0\""))
            let old = Request.text(fields: Request.identity(version: "3.0.0"))
            #expect(try scene.ask(old).status == 426)
            try Self.drive(scene, listed: "Active rules", "--token", "0123456789abcdef")
            #expect(try scene.ask(old).status == 200)
            let fields = "Authorization: Bearer 0123456789abcdef\r\n"
            let audit = try scene.askAdmin("GET", "/api/v1/audit", fields: fields)
            let newest = try JSONReport(audit.text).list("records").first?.part("source")
            #expect(newest?.text("kind") == "undo")
            #expect(newest?.text("name") == "night")
        }
    }

    @Test(.needs("chromium"))
    func `the page shows routes, their requests, and the clients that a change moves`()
        async throws
    {
        func rules(_ boundary: String) -> String {
            """
            rules:
              - id: old-api
                match: { platform: ios }
                route: { to: legacy, versions: "<\(boundary)", otherwise: default }

            """
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(rules("4.0.0"), to: "rules.yaml")
        // The backend cannot be reached, so the default one gets all requests.
        let flags: [GateFlag] = [
            .adminListen(), .censusInterval(seconds: 0.1), .logLevel("debug"),
            .stateDir(path: folder.path(of: "state")), try .censusKey(in: folder),
            .upstreamNamed("legacy=http://127.0.0.1:9"),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            let visitors = (0..<50).map { device in
                CensusVisitor(version: device < 5 ? "3.0" : "4.0", device: "device-\(device)")
            }
            try scene.count(visitors)
            try scene.reload(rules("3.0"))
            try Self.drive(
                scene,
                listed: "<3.0 to legacy, otherwise default|legacy\\told-api\\t5\\t10.0%|"
                    + "default\\t–\\t45\\t90.0%|5 requests to another backend|unused-route",
                "--predicted",
                "would move 5 requests (10.0%), 5 devices (10.0%) from backend “default” to “legacy”"
            )
        }
    }

    private static func drive(_ scene: Scene, listed: String, _ more: String...) throws {
        let port = try #require(scene.gate.adminPort)
        let result = try ToolProcess.run(
            "python3",
            ["-B", Self.program, "http://127.0.0.1:\(port)", listed] + more,
            within: .seconds(600) * GateExecutable.slowdown
        )
        #expect(result.output == "")
        #expect(result.status == 0, "\(result.errors)")
    }
}
