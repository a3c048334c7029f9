import GateTestSupport
import Testing

/// The effect of new rules on a running gate, as checked before the reload and as reported by it.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct CheckBeforeReloadTests {
    private typealias Rules = AccidentRules

    private static let plan = Rules.changed(
        Rules.shop,
        #"minimum: "3.5.0""#,
        #"minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z"#
    )

    @Test func `check --against reports what the gate would report`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (name, text) in [
            ("old", Rules.shop), ("plan", Self.plan), ("laxer", "rules: []\n"),
        ] {
            try folder.writeInPlace(text, to: "\(name).yaml")
        }
        func check(_ name: String) throws -> ToolProcess.Result {
            try ToolProcess.versiongate(
                "check",
                "--against",
                folder.path(of: "old.yaml"),
                folder.path(of: "\(name).yaml")
            )
        }
        #expect(try check("old").status == 0)
        let plan = try check("plan")
        #expect(plan.status == 1)
        #expect(plan.errors.contains("[plan-opens]"))
        #expect(
            plan.errors.contains(#"next: { minimum: "4.0.0", enforceFrom: 2027-01-10T00:00:00Z }"#)
        )
        let laxer = try check("laxer")
        #expect(laxer.status == 0)
        #expect(laxer.output.contains("the rule 'ios' was removed"))
    }

    @Test func `reload --wait exits with the result of the reload`() async throws {
        try await Scene.play(rules: Rules.shop, flags: [.adminListen()]) { scene in
            let port = "\(try #require(scene.gate.adminPort))"
            #expect(try ToolProcess.versiongate("reload", "--wait", "--admin", port).status == 0)
            try scene.folder.replace("rules.yaml", with: Self.plan)
            let refused = try ToolProcess.versiongate("reload", "--wait", "--admin", port)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("[plan-opens]"))
            try scene.folder.replace("rules.yaml", with: "rules: []\n")
            let laxer = try ToolProcess.versiongate("reload", "--wait", "--admin", port)
            #expect(laxer.status == 0)
            #expect(laxer.output.contains("[laxer]"))
        }
    }

    @Test func `a rejected file is logged once, whether the file watcher or an operator is first`()
        async throws
    {
        try await Scene.play(rules: Rules.shop, flags: [.adminListen()]) { scene in
            let port = "\(try #require(scene.gate.adminPort))"
            func refusals() -> Int {
                scene.gate.logLines.filter { $0.message.hasPrefix("rules not loaded") }.count
            }
            for round in 1...4 {
                try scene.folder.replace(
                    "rules.yaml",
                    with: Self.plan + "# \(round)\n"
                )
                for _ in 1...2 {
                    let refused = try ToolProcess.versiongate("reload", "--wait", "--admin", port)
                    #expect(refused.errors.contains("[plan-opens]"))
                }
            }
            // Once the watcher reports the next change, it has seen all previous ones.
            let seen = scene.gate.logLines.count
            try scene.folder.replace("rules.yaml", with: "rules: []\n")
            try scene.gate.logLine("the return", skipping: seen) { $0.message == "rules loaded" }
            #expect(refusals() == 4)
        }
    }

    @Test func `reload fails if no gate runs`() throws {
        let port = try FreePort.find()
        #expect(try ToolProcess.versiongate("reload", "--wait", "--admin", "\(port)").status == 1)
    }
}
