import GateTestSupport
import Testing

/// The predicted impact of a change, and the actual one.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ImpactTests {
    private static let link = "storeUrl: https://apps.apple.com/app/id1234567890"

    private static func rules(_ settings: String = "", minimum: String, more: String = "") -> String
    {
        """
        \(settings)
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "\(minimum)"
            \(link)
          - id: pay
            match: { platform: ios, path: /pay/** }
            minimum: "1.0"
            \(link)
        \(more)
        """
    }

    /// Runs a gate that writes its census at once.
    private func play(_ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(minimum: "2.0"), to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [
                .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
                .logLevel("debug"), .adminListen(), try .censusKey(in: folder),
            ],
            body
        )
    }

    private static func hour(devices: Int, versions: [String]) -> [CensusVisitor] {
        (0..<devices).flatMap { device in
            let version = versions[device % versions.count]
            return [
                CensusVisitor(version: version, device: "device-\(device)"),
                CensusVisitor(version: version, device: "device-\(device)", path: "/pay/now"),
            ]
        }
    }

    @Test func `the impact of a change matches its prediction`() async throws {
        try await self.play { scene in
            var visitors = Self.hour(devices: 100, versions: ["2.0", "2.5", "3.0", "3.1"])
            visitors += (0..<20).map { _ in CensusVisitor() }
            try scene.count(visitors)
            let new = Self.rules(
                "guard: off\nunidentified: { missing: reject, storeUrl: https://example.com }",
                minimum: "2.4",
                more: """
                      - id: some
                        match: { platform: ios, path: /pay/** }
                        minimum: "3.1"
                        rollout: 50
                        \(Self.link)
                    """
            )
            try scene.folder.writeInPlace(new, to: "new.yaml")
            let report = try scene.report("impact", "--rules", scene.folder.path(of: "new.yaml"))
            let denied = try #require(report.part("denied"))
            let predicted = try #require(denied.part("amount")?.fields["requests"] as? Double)
            // 2.0 on both paths, the requests without a version, and half of the devices with 2.5
            // and 3.0 on one path.
            #expect(abs(predicted - (50 + 20 + 25)) < 0.5)
            try scene.folder.replace("rules.yaml", with: new)
            #expect(try scene.askToReload().status == 200)
            let actual = try scene.send(visitors)
            let share = abs(Double(actual) - predicted) / Double(visitors.count)
            // A rollout selects devices by their hashes: about half of the 50 devices.
            #expect(share < 0.05, "predicted \(predicted), and \(actual) were refused")
            let words = try ToolProcess.versiongate(
                "impact",
                "--rules",
                scene.folder.path(of: "new.yaml"),
                "--current",
                scene.folder.path(of: "new.yaml"),
                "--state",
                scene.stateFolder
            )
            #expect(words.output.contains("newly denied: none"))
        }
    }

    /// Returns an hour of requests: each device requests the start page and one other page.
    private static func recordedHour(devices: Int) -> [CensusVisitor] {
        var generator = SeededGenerator(seed: 16)
        return (0..<devices).flatMap { device -> [CensusVisitor] in
            let version: String? =
                switch Int.random(in: 0..<100, using: &generator) {
                case 0..<4: nil
                case 4..<14: "2.0"
                case 14..<34: "2.5"
                case 34..<64: "3.0"
                default: "3.1"
                }
            let paths = ["/", "/pay/now", "/video/\(device)"]
            let other = paths[Int.random(in: 0..<3, using: &generator)]
            // Some clients without a version send no device either.
            let name = version == nil && device % 2 == 0 ? nil : "device-\(device)"
            return ["/", other].map { CensusVisitor(version: version, device: name, path: $0) }
        }
    }

    private static let replayed: (plain: String, withNewPath: String) = {
        let settings = """
            guard: off
            breaker: off
            unidentified: { missing: reject, storeUrl: https://example.com }
            releases:
              - { platform: ios, version: "3.1" }
              - { platform: ios, version: "3.2", releasedAt: 2099-01-01T00:00:00Z }
            """
        let more = """
              - id: some
                match: { platform: ios, path: /pay/** }
                minimum: "3.1"
                rollout: 30
                \(Self.link)
              - id: held
                match: { platform: ios }
                minimum: "1.0"
                \(Self.link)
                next: { minimum: "3.2", holdUntilInStore: true }
            """
        let video = """

              - id: video
                match: { platform: ios, path: /video/** }
                minimum: "2.6"
                \(Self.link)
            """
        // This test is not about lockouts, so the rules accept them.
        func rules(_ more: String) -> String {
            Self.rules(settings, minimum: "2.4", more: more)
                .replacing(Self.link, with: "\(Self.link)\n    accept: [lockout]")
        }
        return (rules(more), rules(more + video))
    }()

    @Test func `the impact on a recorded hour matches the prediction within half a point`()
        async throws
    {
        try await self.play { scene in
            let visitors = Self.recordedHour(devices: 4_000)
            let total = Double(visitors.count)
            try scene.count(visitors)
            var words: [String] = []
            for (name, rules) in [
                ("plain", Self.replayed.plain), ("path", Self.replayed.withNewPath),
            ] {
                try scene.folder.writeInPlace(rules, to: "\(name).yaml")
            }
            func side(_ name: String) throws -> (least: Double, most: Double) {
                let denied = try #require(
                    try scene.report("impact", "--rules", scene.folder.path(of: "\(name).yaml"))
                        .part("denied")
                )
                func requests(_ key: String) throws -> Double {
                    try #require(denied.part(key)?.fields["requests"] as? Double)
                }
                return (try requests("amount") / total, try requests("possible") / total)
            }
            // Both predictions are made before the first change.
            let (plain, path) = (try side("plain"), try side("path"))
            for (name, rules, predicted) in [
                ("plain", Self.replayed.plain, plain), ("path", Self.replayed.withNewPath, path),
            ] {
                try scene.folder.replace("rules.yaml", with: rules)
                let answer = try scene.askToReload()
                try #require(answer.status == 200, "\(answer.text)")
                let actual = Double(try scene.send(visitors)) / total
                words.append(
                    "\(name): predicted \(predicted.least * 100)% to \(predicted.most * 100)%, "
                        + "refused \(actual * 100)% of \(visitors.count) requests"
                )
                #expect(actual >= predicted.least - 0.005, "\(words)")
                #expect(actual <= predicted.most + 0.005, "\(words)")
            }
            // Both predictions are exact numbers, whether or not the change adds a path.
            #expect(plain.least == plain.most)
            #expect(path.least == path.most)
            print(words.joined(separator: "\n"))
            Attachment.record(words.joined(separator: "\n"), named: "impact.txt")
        }
    }

    @Test
    func `the guard rejects a change that affects too many clients, until the file accepts it`()
        async throws
    {
        try await self.play { scene in
            try scene.count(Self.hour(devices: 300, versions: ["2.0", "2.5", "3.0"]))
            try scene.folder.replace("rules.yaml", with: Self.rules(minimum: "2.4"))
            let refused = try scene.askToReload()
            #expect(refused.status == 409)
            #expect(refused.text.contains("[guard]"))
            #expect(refused.text.contains("accept: [guard]"))
            let old = CensusVisitor(version: "2.0")
            #expect(try scene.send([old]) == 0)
            let accepted = Self.rules(minimum: "2.4").replacing(
                "minimum: \"2.4\"",
                with: "minimum: \"2.4\"\n    accept: [guard]"
            )
            try scene.folder.replace("rules.yaml", with: accepted)
            #expect(try scene.askToReload().status == 200)
            #expect(try scene.send([old]) == 1)
            // The guard does not check an undo.
            try scene.folder.replace("rules.yaml", with: Self.rules(minimum: "2.0"))
            #expect(try scene.askToReload().status == 200)
            #expect(try scene.send([old]) == 0)
        }
    }

    @Test func `a guard that is off or has a higher limit allows the change`() async throws {
        try await self.play { scene in
            try scene.count(Self.hour(devices: 300, versions: ["2.0", "2.5", "3.0"]))
            for (setting, minimum) in [("guard: 40", "2.4"), ("guard: off", "3.0")] {
                let rules = Self.rules(setting, minimum: minimum)
                try scene.folder.replace("rules.yaml", with: rules)
                #expect(try scene.askToReload().status == 200)
            }
        }
    }

    @Test func `the guard only warns if few devices are counted`() async throws {
        try await self.play { scene in
            try scene.count(Self.hour(devices: 60, versions: ["2.0", "2.5", "3.0"]))
            try scene.folder.replace("rules.yaml", with: Self.rules(minimum: "2.4"))
            #expect(try scene.askToReload().status == 200)
            try scene.gate.logLine("a warning") { line in
                line.level == "warning" && line.metadata["finding"] == "guard"
            }
        }
    }
}
