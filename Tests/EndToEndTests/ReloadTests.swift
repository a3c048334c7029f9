import GateTestSupport
import Glibc
import Testing

/// Rules change under load: completely and at once, or not at all.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ReloadTests {
    @Test
    func `SIGHUP reloads the file`() async throws {
        try await Scene.play { scene in
            let loaded = try scene.reload(RulesText.shop(minimum: "5.0.0"))
            let problem = try scene.ask(Request.text(fields: Request.current)).problem()
            #expect(problem.minimumVersion == "5.0.0")
            #expect(problem.revision == loaded.metadata["revision"])
        }
    }

    @Test
    func `a file that is edited in place is reloaded automatically`() async throws {
        try await Scene.play { scene in
            try scene.folder.writeInPlace(RulesText.shop(minimum: "5.0.0"), to: "rules.yaml")
            try self.waitForFloor("5.0.0", in: scene)
            try scene.folder.writeInPlace(RulesText.shop(minimum: "3.0.0"), to: "rules.yaml")
            try self.waitForFloor("3.0.0", in: scene)
        }
    }

    @Test
    func `a file that is renamed over the old one is reloaded automatically`() async throws {
        try await Scene.play { scene in
            for minimum in ["5.0.0", "6.0.0", "2.0.0"] {
                try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: minimum))
                try self.waitForFloor(minimum, in: scene)
            }
        }
    }

    @Test
    func `a ConfigMap that Kubernetes swaps is reloaded automatically`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.publishAsConfigMap(RulesText.shop, as: "rules.yaml", revision: 0)
        try await Scene.play(in: folder) { scene in
            for (revision, minimum) in [(1, "5.0.0"), (2, "6.0.0"), (3, "2.0.0")] {
                let text = RulesText.shop(minimum: minimum)
                try folder.publishAsConfigMap(text, as: "rules.yaml", revision: revision)
                try self.waitForFloor(minimum, in: scene)
            }
        }
    }

    @Test
    func `a file that is deleted and created again is reloaded`() async throws {
        try await Scene.play { scene in
            try scene.folder.delete("rules.yaml")
            let denied = try scene.ask(Request.text(fields: Request.outdated)).problem()
            #expect(denied.minimumVersion == "3.5.0")
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "5.0.0"))
            try self.waitForFloor("5.0.0", in: scene)
        }
    }

    @Test
    func `an invalid file changes nothing, and the log names the location of the error`()
        async throws
    {
        try await Scene.play { scene in
            let before = try scene.ask(Request.text(fields: Request.outdated)).problem()
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 7))
            scene.gate.send(signal: SIGHUP)
            let error = try scene.gate.logLine("the fault") { $0.isError(inLine: 7) }
            #expect(error.message.contains("did you mean"))
            let after = try scene.ask(Request.text(fields: Request.outdated)).problem()
            #expect(after == before)
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "5.0.0"))
            try self.waitForFloor("5.0.0", in: scene)
        }
    }

    @Test
    func `the gate does not start with an invalid file`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.broken(line: 3), to: "rules.yaml")
        let error = #expect(throws: HarnessError.self) {
            try GateProcess(upstreamPort: 9, rules: folder.file("rules.yaml"))
        }
        #expect(error?.description.contains("rules.yaml:3:") == true)
    }

    @Test
    func `requests continue during 100 reloads, half of them with invalid rules`() async throws {
        try await Scene.play { scene in
            var floors: [String: String] = [:]
            let first = try scene.ask(Request.text(fields: Request.outdated)).problem()
            floors[first.revision ?? ""] = first.minimumVersion
            let hasEnded = Latch()
            let clients = (0..<2).map { _ in
                Task(executorPreference: BlockingExecutor.shared) {
                    try self.askUntil(hasEnded, in: scene)
                }
            }
            defer { hasEnded.open() }
            for round in 1...50 {
                try scene.folder.replace("rules.yaml", with: RulesText.broken(line: round))
                scene.gate.send(signal: SIGHUP)
                try scene.gate.logLine("fault \(round)") { $0.isError(inLine: round) }
                let minimum = "\(round + 4).0.0"
                let seen = scene.gate.logLines.count
                try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: minimum))
                scene.gate.send(signal: SIGHUP)
                let loaded = try scene.gate.logLine("reload \(round)", skipping: seen) {
                    $0.message == "rules loaded"
                }
                floors[loaded.metadata["revision"] ?? ""] = minimum
            }
            hasEnded.open()
            #expect(floors.count == 51)
            for client in clients {
                let denials = try await client.value
                #expect(Set(denials.map(\.revision)).count > 5)
                for denial in denials {
                    #expect(floors[denial.revision ?? ""] == denial.minimumVersion)
                    #expect(denial.message?.contains(denial.minimumVersion ?? "-") == true)
                }
            }
        }
    }

    /// Alternates between a denied request and a forwarded one on one connection.
    private func askUntil(_ hasEnded: Latch, in scene: Scene) throws -> [Problem] {
        let client = try scene.connect()
        var denials: [Problem] = []
        while !hasEnded.isOpen {
            try client.send(Request.text("GET", "/denied", fields: Request.outdated))
            denials.append(try client.response().problem())
            try client.send(Request.text("GET", "/passed"))
            let passed = try client.response()
            #expect(passed.status == 200)
        }
        return denials
    }

    /// Blocks until the gate denies requests with this floor.
    ///
    /// Checks again after each logged reload.
    private func waitForFloor(_ minimum: String, in scene: Scene) throws {
        let deadline = Deadline.usual
        while true {
            let seen = scene.gate.logLines.count
            let problem = try scene.ask(Request.text(fields: Request.identity(version: "1")))
                .problem()
            if problem.minimumVersion == minimum {
                return
            }
            try scene.gate.logLine("rules loaded", skipping: seen, by: deadline) {
                $0.message == "rules loaded"
            }
        }
    }
}

extension LogLine {
    /// Whether this line is an error that names a line of the rules file.
    fileprivate func isError(inLine line: Int) -> Bool {
        self.level == "error" && self.message.contains("rules.yaml:\(line):")
    }
}
