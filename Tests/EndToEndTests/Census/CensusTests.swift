import Foundation
import GateTestSupport
import Testing

/// The census of the real executable, and its files.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct CensusTests {
    private static let rules = """
        exempt: [{ path: /healthz }]
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "3.5.0"
            storeUrl: https://apps.apple.com/app/id1234567890

        """

    private func play(
        in folder: TemporaryFolder? = nil,
        _ flags: GateFlag...,
        body: (Scene) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [.stateDir(path: folder.path(of: "state"))] + flags,
            body
        )
    }

    /// Returns `times` requests of each device.
    private static func visitors(
        _ platform: String,
        _ version: String?,
        devices: Range<Int>,
        times: Int = 1
    ) -> [CensusVisitor] {
        devices.flatMap { device in
            Array(
                repeating: CensusVisitor(
                    platform: platform,
                    version: version,
                    device: "device-\(device)"
                ),
                count: times
            )
        }
    }

    /// Starts another gate with a scene's rules, backend and state folder.
    private static func gate(of scene: Scene, _ flags: GateFlag...) throws -> Scene {
        let gate = try GateProcess(
            upstreamPort: scene.backend.port,
            rules: scene.folder.file("rules.yaml"),
            flags: [.stateDir(path: scene.stateFolder)] + flags
        )
        return Scene(gate: gate, backend: scene.backend, folder: scene.folder)
    }

    private struct Kind: Hashable {
        var platform: String?
        var version: String?
        var decision: String?
        var rule: String?
    }

    private static func requests(_ report: JSONReport) -> [Kind: Int] {
        Dictionary(
            report.list("clients").map { entry in
                let kind = Kind(
                    platform: entry.text("platform"),
                    version: entry.text("version"),
                    decision: entry.text("decision"),
                    rule: entry.text("rule")
                )
                return (kind, entry.number("requests") ?? 0)
            },
            uniquingKeysWith: +
        )
    }

    @Test func `known traffic on two event loops is counted exactly`() async throws {
        let folder = try TemporaryFolder()
        try await self.play(in: folder, .threads(2), .censusKey(in: folder)) { scene in
            let mix =
                Self.visitors("ios", "3.4.9", devices: 0..<30, times: 2)
                + Self.visitors("ios", "4.0.0", devices: 20..<120)
                + Self.visitors("android", "4.0.0", devices: 200..<250)
                + [
                    CensusVisitor(platform: "ios"),
                    CensusVisitor(version: "4.0.0", path: "/healthz"),
                ]
            // Connections are spread over the event loops.
            for start in 0..<8 {
                try scene.send(stride(from: start, to: mix.count, by: 8).map { mix[$0] })
            }
            #expect(scene.gate.end() == .status(0))
            let report = try scene.report("census")
            #expect(
                Self.requests(report) == [
                    Kind(platform: "ios", version: "3.4.9", decision: "require", rule: "ios"): 60,
                    Kind(platform: "ios", version: "4.0.0", decision: "allow", rule: "none"): 101,
                    Kind(platform: "android", version: "4.0.0", decision: "allow", rule: "none"):
                        50,
                    Kind(platform: "ios", version: nil, decision: "allow", rule: "none"): 1,
                ]
            )
            #expect(report.number("requests") == 212)
            #expect(report.number("identifiedRequests") == 210)
            // 0..<120 and 200..<250 are 170 devices, which the sketch estimates as 171 with this
            // key.
            #expect(report.number("devices") == 171)
            let table = try ToolProcess.versiongate("census", "--state", scene.stateFolder)
            #expect(table.status == 0)
            #expect(table.output.contains("212 requests"))
        }
    }

    @Test func `the counting of devices can be switched off`() async throws {
        try await self.play(.censusDevices(false)) { scene in
            try scene.send(Self.visitors("ios", "3.4.9", devices: 0..<30, times: 2))
            #expect(scene.gate.end() == .status(0))
            let report = try scene.report("census")
            #expect(report.number("requests") == 60)
            #expect(report.number("identifiedRequests") == 0)
            #expect(report.number("devices") == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: scene.stateFolder)
            #expect(files.contains("census.sqlite") && !files.contains("returns.sqlite"))
        }
    }

    @Test func `counts outlive a kill, and continue after it`() async throws {
        try await self.play { scene in
            // The scene treats a kill of its own gate as a crash.
            let killed = try Self.gate(of: scene, .censusInterval(seconds: 0.1), .logLevel("debug"))
            defer { _ = killed.gate.end() }
            try killed.send(Self.visitors("ios", "4.0.0", devices: 0..<20))
            try killed.send([CensusVisitor(version: "5.0.0")])
            var written = 0
            try killed.gate.logLine("all of it to be written") { line in
                guard line.message == "census written" else { return false }
                written += line.metadata["requests"].flatMap { Int($0) } ?? 0
                return written == 21
            }
            killed.gate.send(signal: 9)
            #expect(try killed.gate.waitForExit() == .signal(9))
            let kept = try scene.report("census")
            #expect(kept.number("requests") == 21)
            let again = try Self.gate(of: scene)
            defer { _ = again.gate.end() }
            // With the stored key, the gate recognizes the same devices.
            try again.send(Self.visitors("ios", "4.0.0", devices: 0..<20))
            #expect(again.gate.end() == .status(0))
            let whole = try scene.report("census")
            #expect(whole.number("requests") == 41)
            #expect(whole.number("devices") == kept.number("devices"))
        }
    }

    @Test func `without a census, nothing is counted or stored`() async throws {
        try await self.play(.census(false)) { scene in
            try scene.send(Self.visitors("ios", "4.0.0", devices: 0..<5))
            #expect(scene.gate.end() == .status(0))
            let result = try ToolProcess.versiongate("census", "--state", scene.stateFolder)
            #expect(result.status == 1)
            #expect(result.errors.contains("the file does not exist"))
        }
    }

    @Test func `a purge deletes all counts`() async throws {
        try await self.play { scene in
            try scene.send(Self.visitors("ios", "4.0.0", devices: 0..<5))
            #expect(scene.gate.end() == .status(0))
            #expect(try scene.report("census").number("requests") == 5)
            let purge = try ToolProcess.versiongate(
                "census",
                "purge",
                "--state",
                scene.stateFolder
            )
            #expect(purge.status == 0)
            #expect(try scene.report("census").number("requests") == 0)
        }
    }

    @Test func `the admin API serves the census of a gate without a state folder`() async throws {
        try await Scene.play(
            rules: Self.rules,
            flags: [.adminListen(), .censusInterval(seconds: 0.1), .logLevel("debug")]
        ) { scene in
            try scene.send(Self.visitors("ios", "4.0.0", devices: 0..<5))
            var written = 0
            try scene.gate.logLine("all of it to be written") { line in
                guard line.message == "census written" else { return false }
                written += line.metadata["requests"].flatMap { Int($0) } ?? 0
                return written == 5
            }
            func ask(_ target: String) throws -> RawResponse {
                try scene.askAdmin("GET", target)
            }
            let answer = try ask("/api/v1/census?since=1h")
            #expect(answer.status == 200)
            #expect(try JSONReport(answer.text).number("requests") == 5)
            #expect(try ask("/api/v1/census?since=yesterday").status == 400)
        }
    }

    @Test func `a damaged file is reported, and the gate serves and counts in memory`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        try folder.makeFolder("state")
        try folder.writeInPlace("no database, and never was", to: "state/census.sqlite")
        try await Scene.play(
            in: folder,
            flags: [.stateDir(path: folder.path(of: "state")), .adminListen()]
        ) { scene in
            let line = try scene.gate.logLine("the problem") {
                $0.message == "the census cannot be stored"
            }
            #expect(line.metadata["error"]?.contains("damaged") == true)
            try scene.send(Self.visitors("ios", "4.0.0", devices: 0..<5))
            #expect(try scene.metrics()["versiongate_census_kept"] == 0)
        }
    }

    @Test func `made-up versions are limited, and the rest is counted together`() async throws {
        try await self.play(.censusMaxCells(10), .censusInterval(seconds: 0.1), .adminListen()) {
            scene in
            try scene.send((0..<300).map { CensusVisitor(version: "9.\($0).0") })
            #expect(scene.gate.end() == .status(0))
            let report = try scene.report("census")
            #expect(report.number("requests") == 300)
            let others = report.list("clients").filter { $0.fields["isOther"] != nil }
            #expect(others.count == 1)
            // A minute may have ended meanwhile, and each minute has its own cells.
            #expect((others.first?.number("requests") ?? 0) >= 280)
        }
    }
}
