import Foundation
import GateTestSupport
import Testing

/// Rules that are written in place, in several steps, and take effect once the writer is done.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct WriterTests {
    enum Writer: CaseIterable {
        /// One descriptor, open from the first part to the last.
        case keepsOpen
        /// A script with `>>`.
        case closesAndAppends
    }

    /// How long a file that no process has open must be unchanged before it counts as complete.
    private static let settling = Duration.milliseconds(500)

    /// Rules in several parts.
    ///
    /// After each part the file is valid, but only the last part denies the outdated builds.
    private static let pieces: [String] = {
        let others = (1...15).map { number in
            """
              - id: other-\(number)
                match: { app: com.example.other\(number), platform: ios }
                minimum: "9.0.0"
                storeUrl: \(RulesText.storeURL)

            """
        }
        let floor = """
              - id: ios
                match: { app: com.example.shop, platform: ios }
                minimum: "5.0.0"
                storeUrl: \(RulesText.storeURL)

            """
        return ["rules:\n" + others[0]] + others.dropFirst() + [floor]
    }()

    @Test(arguments: Writer.allCases)
    func `no request is evaluated with an incomplete file`(_ writer: Writer) async throws {
        try await Scene.play { scene in
            let logged = scene.gate.logLines.count
            var floors: Set<String?> = []
            try scene.folder.writeInPlace("", to: "rules.yaml")
            let url = scene.folder.file("rules.yaml")
            var file = try FileHandle(forWritingTo: url)
            var lastWrite = ContinuousClock.now
            var longestPause = Duration.zero
            for piece in Self.pieces {
                if writer == .closesAndAppends {
                    file = try FileHandle(forWritingTo: url)
                    try file.seekToEnd()
                }
                try file.write(contentsOf: Data(piece.utf8))
                if writer == .closesAndAppends { try file.close() }
                longestPause = max(longestPause, .now - lastWrite)
                lastWrite = .now
                // All parts together take more than three seconds, during which requests are sent.
                let next = Deadline.after(.milliseconds(200))
                while !next.hasPassed { floors.insert(try self.floor(in: scene)) }
            }
            if writer == .keepsOpen { try file.close() }
            let end = Deadline.usual
            while !floors.contains("5.0.0"), !end.hasPassed {
                floors.insert(try self.floor(in: scene))
            }
            guard writer == .keepsOpen || longestPause < Self.settling else {
                Issue.record(
                    "not checked: the machine delayed the writer for \(longestPause)",
                    severity: .warning
                )
                return
            }
            #expect(floors == ["3.5.0", "5.0.0"])
            // The log matches the active rules.
            try scene.gate.logLine("the load", skipping: logged) { $0.message == "rules loaded" }
            let lines = scene.gate.logLines.dropFirst(logged)
            let loads = lines.filter { $0.message == "rules loaded" }
            #expect(loads.map { $0.metadata["reason"] } == ["fileChanged"])
            #expect(!lines.contains { $0.level == "error" })
        }
    }

    /// Returns the floor in the denial of an outdated build; `nil` if the build is allowed, although it should always
    /// be denied.
    private func floor(in scene: Scene) throws -> String? {
        let answer = try scene.ask(Request.text(fields: Request.identity(version: "1")))
        return answer.status == 426 ? try answer.problem().minimumVersion : nil
    }

    @Test
    func `an undo that is written in place takes effect within a second`() async throws {
        try await Scene.play { scene in
            let seen = scene.gate.logLines.count
            try scene.folder.writeInPlace("rules: []\n", to: "rules.yaml")
            let second = Deadline.after(.seconds(1) * GateExecutable.slowdown)
            try scene.gate.logLine("the undo", skipping: seen, by: second) {
                $0.message == "rules loaded"
            }
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 200)
        }
    }

    @Test
    func `SIGHUP reads a file at once, even if it is still open for writing`() async throws {
        try await Scene.play { scene in
            let path = scene.folder.path(of: "rules.yaml")
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            let text = Data(RulesText.shop(minimum: "5.0.0").utf8)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: text)
            let seen = scene.gate.logLines.count
            scene.gate.send(signal: SIGHUP)
            let loaded = try scene.gate.logLine("the reload", skipping: seen) {
                $0.message == "rules loaded"
            }
            #expect(loaded.metadata["reason"] == "signal")
            try file.close()
        }
    }

    @Test
    func `a file that SIGHUP read too early is reloaded when the writer is done`() async throws {
        try await Scene.play { scene in
            // The contents are the same, so only the file's times show that it was written.
            let path = scene.folder.path(of: "rules.yaml")
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data("rules: []\n".utf8))
            let seen = scene.gate.logLines.count
            scene.gate.send(signal: SIGHUP)
            try scene.gate.logLine("the reload", skipping: seen) { $0.message == "rules loaded" }
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 200)
            let middle = scene.gate.logLines.count
            try file.truncate(atOffset: 0)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(RulesText.shop.utf8))
            try file.close()
            try scene.gate.logLine("the file", skipping: middle) { $0.message == "rules loaded" }
            #expect(try self.floor(in: scene) == "3.5.0")
        }
    }
}
