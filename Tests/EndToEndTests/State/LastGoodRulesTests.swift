import GateTestSupport
import Glibc
import Testing

/// A gate that was killed starts with its last good rules, regardless of the state of its file and its sources.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LastGoodRulesTests {
    private static let old = Request.text(fields: "X-App-Platform: ios\r\nX-App-Version: 3.4.9\r\n")
    private static let current = Request.text(
        fields: "X-App-Platform: ios\r\nX-App-Version: 4.2.0\r\n"
    )

    private func expectFloor(_ scene: Scene) throws {
        #expect(try scene.ask(Self.old).status == 426)
        #expect(try scene.ask(Self.current).status == 200)
    }

    private func killed(_ scene: Scene, flags: [GateFlag], rules: String) throws -> Scene {
        scene.gate.send(signal: SIGKILL)
        #expect(try scene.gate.waitForExit() == .signal(SIGKILL))
        try scene.folder.replace("rules.yaml", with: rules)
        let next = try GateProcess(
            upstreamPort: scene.backend.port,
            rules: scene.folder.file("rules.yaml"),
            flags: flags
        )
        return Scene(gate: next, backend: scene.backend, folder: scene.folder)
    }

    /// Runs a gate with a state folder.
    ///
    /// Killing it does not count as a crash.
    private func play(
        rules: String,
        _ body: (Scene, [GateFlag]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(rules, to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "state")), .adminListen()]
        let backend = try ScriptedBackend { _ in [.echo] }
        let gate = try GateProcess(
            upstreamPort: backend.port,
            rules: folder.file("rules.yaml"),
            flags: flags
        )
        defer { gate.end() }
        try await body(Scene(gate: gate, backend: backend, folder: folder), flags)
    }

    @Test(arguments: [
        "", "rules:\n  - { id: ios, minimun: '1' }\n",
        AccidentRules.file(#"id: ios, match: { platform: ios }, blocked: [">=1", "<1"]"#),
        AccidentRules.changed(
            AccidentRules.shop,
            #"minimum: "3.5.0""#,
            #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z"#
        ),
    ])
    func `after a kill, the gate starts with the last good rules if its file is unusable`(
        _ broken: String
    ) async throws {
        try await self.play(rules: AccidentRules.shop) { scene, flags in
            try self.expectFloor(scene)
            let next = try self.killed(scene, flags: flags, rules: broken)
            defer { next.gate.end() }
            try self.expectFloor(next)
            #expect(
                next.gate.logLines.contains { $0.message.hasPrefix("starting with the last good") }
            )
            let page = try FeedsPage(of: next.gate)
            #expect(!page.rules.lastReloadSuccessful)
            #expect(page.rules.errors?.isEmpty == false)
            // A corrected file takes effect.
            try next.folder.replace("rules.yaml", with: AccidentRules.known)
            try await next.waitForPage("the file in force") { $0.rules.lastReloadSuccessful }
            try self.expectFloor(next)
        }
    }

    @Test func `after a kill, the gate knows the last values of a broken file and a dead source`()
        async throws
    {
        let source = try RealtimeDatabase()
        source.put(#"{"minVersion":"3.5.0"}"#)
        let rules = """
            feeds:
            - id: floor
              source: firebaseDatabase
              database: \(source.server.url("/"))
              path: /app/version
              redirectsTo: localhost
              rule: { match: { platform: ios }, storeUrl: "https://a.example" }
            rules: []

            """
        try await self.play(rules: rules) { scene, flags in
            try scene.waitForAnswer("the floor of the source", to: Self.old) { $0.status == 426 }
            try source.server.stop()
            let next = try self.killed(scene, flags: flags, rules: "rules: [\n")
            defer { next.gate.end() }
            try self.expectFloor(next)
        }
    }

    @Test func `a strict start fails without valid rules, as does a first start`() async throws {
        try await self.play(rules: AccidentRules.shop) { scene, flags in
            scene.gate.end()
            try scene.folder.replace("rules.yaml", with: "")
            #expect(throws: HarnessError.self) {
                try GateProcess(
                    upstreamPort: scene.backend.port,
                    rules: scene.folder.file("rules.yaml"),
                    flags: flags + [.strictStart]
                )
            }
            let locked = AccidentRules.file(#"id: a, match: { platform: ios }, blocked: ">=0""#)
            try scene.folder.replace("rules.yaml", with: locked)
            let error = #expect(throws: HarnessError.self) {
                try GateProcess(
                    upstreamPort: scene.backend.port,
                    rules: scene.folder.file("rules.yaml")
                )
            }
            #expect(error?.description.contains("lockout") == true)
        }
    }

    @Test func `an unusable state folder does not stop the gate from starting`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace("", to: "occupied")
        try folder.writeInPlace(AccidentRules.shop, to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "occupied/x")), .adminListen()]
        try await Scene.play(in: folder, flags: flags) { scene in
            try self.expectFloor(scene)
            let message = "nothing can be stored in --state-dir"
            #expect(scene.gate.logLines.contains { $0.message == message })
            let page = try FeedsPage(of: scene.gate)
            #expect(page.state?.problem != nil)
            try scene.folder.replace("rules.yaml", with: AccidentRules.known)
            try await scene.waitForPage("the next rules") {
                $0.rules.revision != page.rules.revision
            }
        }
    }
}
