import Foundation
import GateTestSupport
import Glibc
import Testing

/// Undo through the API and the command, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UndoTests {
    private static let night = "Authorization: Bearer 0123456789abcdef\r\n"

    private static func rules(_ minimum: String) -> String {
        """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "\(minimum)"
            storeUrl: \(RulesText.storeURL)

        """
    }

    private static func revision(_ scene: Scene) throws -> String {
        let rules = try JSONReport(Self.ask(scene, "GET", "/api/v1/rules").text)
        return try #require(rules.text("revision"))
    }

    private static func ask(
        _ scene: Scene,
        _ method: String,
        _ target: String,
        fields: String = Self.night,
        body: String? = nil
    ) throws -> RawResponse {
        try scene.askAdmin(method, target, fields: fields, body: body)
    }

    private static func undo(
        _ scene: Scene,
        to target: String,
        seen: String,
        fields: String = Self.night
    ) throws -> RawResponse {
        try Self.ask(
            scene,
            "POST",
            "/api/v1/undo",
            fields: fields + "If-Match: \"\(seen)\"\r\n",
            body: "{\"to\":\"\(target)\"}"
        )
    }

    private static func status(_ scene: Scene, _ version: String) throws -> Int {
        let fields = "X-App-Platform: ios\r\nX-App-Version: \(version)\r\n"
        return try scene.ask(Request.text(fields: fields)).status
    }

    private func play(
        tokens: Bool = true,
        _ body: (Scene, [GateFlag], TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules("2.0"), to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\nmai fedcba9876543210\n", to: "tokens")
        var flags: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .adminListen(), .logLevel("debug"),
            .publishRules(path: folder.path(of: "published/rules.json")),
        ]
        try folder.makeFolder("published")
        if tokens { flags.append(.adminTokenFile(path: folder.path(of: "tokens"))) }
        try await Scene.play(in: folder, flags: flags) { scene in
            try await body(scene, flags, folder)
        }
    }

    @Test func `modules get the active rules, after an undo and a restart, too`() async throws {
        try await self.play { scene, flags, folder in
            func published() throws -> JSONReport {
                try JSONReport(
                    String(contentsOf: folder.file("published/rules.json"), encoding: .utf8)
                )
            }
            let first = try Self.revision(scene)
            #expect(try published().text("revision") == first)
            try scene.reload(Self.rules("9.0"))
            let second = try Self.revision(scene)
            #expect(try published().text("revision") == second)
            // The change counts as applied once the file has it.
            #expect(try Self.undo(scene, to: first, seen: second).status == 200)
            let files = try published().fields["files"] as? [[String: String]]
            #expect(files?.map { $0["text"] } == [Self.rules("2.0")])
            #expect(try published().text("revision") == first)
            try folder.delete("published/rules.json")
            let next = try scene.restarted(flags: flags)
            defer { next.gate.end() }
            #expect(try published().text("revision") == first)
            // The gate itself does not need the file.
            try folder.delete("published/rules.json")
            try folder.delete("published")
            try next.reload(Self.rules("4.0"))
            #expect(try Self.status(next, "3.0") == 426)
            let message = "the rules cannot be published: modules keep the previous rules"
            #expect(next.gate.logLines.contains { $0.message == message })
            let port = try #require(next.gate.adminPort)
            let tokens = ["--admin-token-file", folder.path(of: "tokens")]
            let undo = try ToolProcess.versiongate(["undo", "--admin", "\(port)"] + tokens)
            #expect(undo.status == 1)
            #expect(undo.output.contains("revision \(first) is active\n"))
            #expect(undo.errors.contains("the module in Envoy keeps the previous rules"))
            #expect(try Self.status(next, "3.0") == 200)
        }
    }

    @Test func `a gate that cannot start does not publish its rules`() async throws {
        try await self.play { scene, _, folder in
            let file = folder.file("published/rules.json")
            let before = try Data(contentsOf: file)
            try folder.writeInPlace(Self.rules("9.0"), to: "other.yaml")
            let result = try ToolProcess.versiongate([
                "serve", "--listen", "127.0.0.1:\(scene.gate.port)", "--upstream",
                "http://127.0.0.1:\(scene.backend.port)", "--rules", folder.path(of: "other.yaml"),
                "--state-dir", folder.path(of: "other"), "--publish-rules", file.path,
            ])
            #expect(result.status == 1)
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test func `one request restores the previous rules, and is recorded`() async throws {
        try await self.play { scene, _, _ in
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("9.0"))
            let second = try Self.revision(scene)
            #expect(try Self.status(scene, "3.0") == 426)
            let preview = try Self.ask(scene, "GET", "/api/v1/undo")
            #expect(preview.fields["ETag"] == ["\"\(second)\""])
            let told = try JSONReport(preview.text)
            #expect(told.text("to") == first)
            let words = told.fields["changes"] as? [String]
            #expect(words == ["rule 'ios':", "  minimum: \"9.0\" -> \"2.0\""])
            let answer = try Self.undo(scene, to: first, seen: second)
            #expect(answer.status == 200, "\(answer.text)")
            let done = try JSONReport(answer.text)
            #expect(done.text("revision") == first)
            #expect(done.fields["isPinned"] as? Bool == true)
            #expect(done.fields["isKept"] as? Bool == true)
            #expect(try Self.status(scene, "3.0") == 200)
            let path = scene.folder.path(of: "rules.yaml")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text == Self.rules("9.0"))
            let rules = try JSONReport(Self.ask(scene, "GET", "/api/v1/rules").text)
            #expect(rules.part("undo")?.text("name") == "night")
            let records = try JSONReport(Self.ask(scene, "GET", "/api/v1/audit").text)
                .list("records")
            let newest = try #require(records.first)
            #expect(newest.part("source")?.text("kind") == "undo")
            #expect(newest.part("source")?.text("name") == "night")
            #expect(newest.text("before") == second && newest.text("after") == first)
            let flags = records.map { $0.fields["canBePutBack"] as? Bool }
            #expect(flags == [false, true, false])
        }
    }

    @Test func `an undo with an outdated revision is rejected, and gets the current one`()
        async throws
    {
        try await self.play { scene, _, _ in
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("3.0"))
            let second = try Self.revision(scene)
            try scene.reload(Self.rules("4.0"))
            let third = try Self.revision(scene)
            let late = try Self.undo(scene, to: first, seen: second)
            #expect(late.status == 409)
            #expect(late.fields["ETag"] == ["\"\(third)\""])
            #expect(late.text.contains("revision \(third) is active"))
            #expect(try Self.revision(scene) == third)
            #expect(try Self.undo(scene, to: second, seen: third).status == 200)
            #expect(try Self.undo(scene, to: first, seen: third).status == 409)
            #expect(try Self.revision(scene) == second)
            let nowhere = try Self.undo(scene, to: "0123456789ab", seen: second)
            #expect(nowhere.status == 404)
        }
    }

    @Test func `foreign pages, forms and clients without a token cannot undo`() async throws {
        try await self.play { scene, _, _ in
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("3.0"))
            let second = try Self.revision(scene)
            let body = "{\"to\":\"\(first)\"}"
            let tag = "If-Match: \"\(second)\"\r\n"
            let cases: [(host: String, fields: String, status: Int)] = [
                ("localhost", tag, 401),
                ("localhost", tag + "Authorization: Bearer 0123456789abcdeX\r\n", 401),
                ("evil.example", tag + Self.night, 421),
                ("localhost", tag + Self.night + "Origin: http://evil.example\r\n", 403),
                ("localhost", tag + Self.night + "Origin: null\r\n", 403),
                ("localhost", Self.night, 428), ("localhost", Self.night + "If-Match: *\r\n", 428),
                ("localhost", Self.night + "If-Match: \(second)\r\n", 428),
                ("localhost", Self.night + tag + tag, 428),
            ]
            for (host, fields, status) in cases {
                let answer = try scene.askAdmin(
                    Request.text("POST", "/api/v1/undo", host: host, fields: fields, body: body)
                )
                #expect(answer.status == status, "\(fields)")
            }
            for body in ["", "{}", "to=\(first)", "{\"to\":1}"] {
                let answer = try Self.ask(
                    scene,
                    "POST",
                    "/api/v1/undo",
                    fields: Self.night + tag,
                    body: body
                )
                #expect(answer.status == 400, "\(body)")
            }
            #expect(try Self.revision(scene) == second)
        }
        // Without a token, any client that can connect may undo and reload.
        try await self.play(tokens: false) { scene, _, _ in
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("3.0"))
            let second = try Self.revision(scene)
            let pinned = "versiongate_undo_in_force"
            #expect(try scene.metrics()[pinned] == 0)
            #expect(try Self.undo(scene, to: first, seen: second, fields: "").status == 200)
            #expect(try scene.metrics()[pinned] == 1)
            try scene.reload(Self.rules("4.0"))
            #expect(try scene.metrics()[pinned] == 0)
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `an undo outlives the process, until the file changes`(signal: Int32) async throws {
        try await self.play { host, flags, folder in
            // The first gate must end before another one uses its folder.
            #expect(host.gate.end() == .status(0))
            func start() throws -> Scene {
                let gate = try GateProcess(
                    upstreamPort: host.backend.port,
                    rules: folder.file("rules.yaml"),
                    flags: flags + [.drainTimeout(seconds: 1)]
                )
                return Scene(gate: gate, backend: host.backend, folder: folder)
            }
            var scene = try start()
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("9.0"))
            let second = try Self.revision(scene)
            #expect(try Self.undo(scene, to: first, seen: second).status == 200)
            // The signal arrives right after the response to the undo.
            scene.gate.send(signal: signal)
            _ = try scene.gate.waitForExit()
            scene = try start()
            do {
                #expect(try Self.revision(scene) == first)
                #expect(try Self.status(scene, "3.0") == 200)
                try scene.gate.logLine("the difference from the file") { line in
                    line.message.hasPrefix("an undo is active")
                }
                // Writing the same contents again does not end the undo, and the reload command reports the undo.
                try scene.folder.replace("rules.yaml", with: Self.rules("9.0"))
                let port = try #require(scene.gate.adminPort)
                let tokens = ["--admin-token-file", folder.path(of: "tokens")]
                let reload = try ToolProcess.versiongate(
                    ["reload", "--wait", "--admin", "\(port)"] + tokens
                )
                #expect(reload.status == 1)
                #expect(
                    reload.errors.contains("revision \(first) is active because of an undo at ")
                )
                #expect(try Self.status(scene, "3.0") == 200)
                try scene.reload(Self.rules("8.0"))
                #expect(try Self.status(scene, "3.0") == 426)
                let rules = try JSONReport(Self.ask(scene, "GET", "/api/v1/rules").text)
                #expect(rules.part("undo") == nil)
                // Rules that were recorded before the restart can be restored as well.
                let third = try Self.revision(scene)
                #expect(try Self.undo(scene, to: second, seen: third).status == 200)
                #expect(try Self.revision(scene) == second)
            }
        }
    }

    @Test func `the command undoes a change, and undoes the undo`() async throws {
        try await self.play { scene, _, folder in
            let first = try Self.revision(scene)
            try scene.reload(Self.rules("9.0"))
            let second = try Self.revision(scene)
            let port = try #require(scene.gate.adminPort)
            let place = ["--admin", "\(port)", "--admin-token-file", folder.path(of: "tokens")]
            func undo(_ arguments: String...) throws -> ToolProcess.Result {
                try ToolProcess.versiongate(["undo"] + place + arguments)
            }
            let dry = try undo("--dry-run")
            #expect(dry.status == 0, "\(dry.errors)")
            #expect(dry.output.contains("  minimum: \"9.0\" -> \"2.0\"\n"))
            let end = "revision \(first) would be activated instead of \(second)\n"
            #expect(dry.output.hasSuffix(end))
            #expect(try Self.revision(scene) == second)
            let back = try undo()
            #expect(back.status == 0, "\(back.errors)")
            #expect(back.output.contains("revision \(first) is active\n"))
            #expect(back.output.hasSuffix("the undo stays active until they change\n"))
            #expect(try Self.revision(scene) == first)
            let again = try undo(second)
            #expect(again.output.hasSuffix("the files contain this revision\n"), "\(again.errors)")
            #expect(try Self.revision(scene) == second)
            let nowhere = try undo("0123456789ab")
            #expect(nowhere.status == 1 && nowhere.errors.contains("not stored"))
            let without = try ToolProcess.versiongate("undo", "--admin", "\(port)")
            #expect(without.status == 1 && without.errors.contains("--admin-token-file"))
        }
    }
}
