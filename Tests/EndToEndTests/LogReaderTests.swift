import GateTestSupport
import Glibc
import Testing

/// A log reader that stops reading does not block the gate.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LogReaderTests {
    /// The log flags of each case.
    ///
    /// The first two cases log no requests.
    private static let logs: [[GateFlag]] = [
        [.logFormat("text")], [.logFormat("json")],
        [.logFormat("text"), .accessLog], [.logFormat("json"), .accessLog],
        [.logFormat("json"), .accessLog, .accessLogFormat("common")],
    ]

    private static func isOfAccess(_ flags: [GateFlag]) -> Bool { flags.contains(.accessLog) }

    /// Sends more requests than the log can buffer lines for.
    private func askOften(_ scene: Scene) throws {
        let path = "/" + String(repeating: "p", count: 1000)
        let client = try scene.connect()
        for _ in 0..<30 {
            let passing = Request.text("GET", path, fields: Request.current)
            let refused = Request.text("GET", path, fields: Request.outdated)
            try client.send(passing + String(repeating: refused, count: 49))
            #expect(try client.response().status == 200)
            for _ in 0..<49 { #expect(try client.response().status == 426) }
        }
    }

    @Test
    func `counts are numbers in the JSON log`() async throws {
        try await Scene.play(flags: [.logFormat("json")]) { scene in
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 426)
            #expect(scene.gate.end() == .status(0))
            let end = try scene.gate.logLine("the end") { $0.message == "stopped" }
            for count in [#""requests":1,"#, #""required":1,"#, #""malformed":0,"#] {
                #expect(end.text.contains(count), "\(end.text)")
            }
        }
    }

    /// The reader of these tests must not miss a request to stop that follows the one to continue.
    @Test
    func `reading can be stopped again at any time`() async throws {
        try await Scene.play(flags: [.logFormat("json")]) { scene in
            for _ in 0..<50 {
                try scene.gate.stopReadingLog()
                scene.gate.resumeReadingLog()
            }
            #expect(scene.gate.end() == .status(0))
        }
    }

    private func waitForFloor(_ minimum: String, in scene: Scene) throws {
        let deadline = Deadline.usual
        while true {
            let answer = try scene.ask(Request.text(fields: Request.outdated))
            if try answer.problem().minimumVersion == minimum { return }
            try #require(!deadline.hasPassed, "the reload has no effect")
        }
    }

    @Test(arguments: Self.logs)
    func `a stopped log reader blocks no request, no reload and no shutdown`(
        _ flags: [GateFlag]
    ) async throws {
        try await Scene.play(flags: flags + [.adminListen()]) { scene in
            try scene.gate.stopReadingLog()
            defer { scene.gate.resumeReadingLog() }
            try self.askOften(scene)
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "5.0.0"))
            scene.gate.send(signal: SIGHUP)
            try self.waitForFloor("5.0.0", in: scene)
            let dropped = try FeedsPage(of: scene.gate).log.droppedLines
            #expect((dropped > 0) == Self.isOfAccess(flags))
            scene.gate.send(signal: SIGTERM)
            // Requests have one second to end, and writing the log has one more.
            #expect(try scene.gate.waitForExit(by: .after(.seconds(6))) == .status(0))
        }
    }

    @Test(arguments: Self.logs.filter(Self.isOfAccess))
    func `a log reader that resumes is told the number of dropped lines`(_ flags: [GateFlag])
        async throws
    {
        try await Scene.play(flags: flags + [.adminListen()]) { scene in
            let seen = scene.gate.logLines.count
            try scene.gate.stopReadingLog()
            try self.askOften(scene)
            scene.gate.resumeReadingLog()
            let notice = try scene.gate.logLine("the dropped lines", skipping: seen) {
                self.told(in: $0) != nil
            }
            let dropped = try FeedsPage(of: scene.gate).log.droppedLines
            #expect(dropped > 0 && self.told(in: notice) == dropped)
            _ = try scene.ask(Request.text("GET", "/after", fields: Request.outdated))
            try scene.gate.logLine("another request") { $0.text.contains("/after") }
            #expect(try FeedsPage(of: scene.gate).log.droppedLines == dropped)
            let lines = scene.gate.logLines.dropFirst(seen).map(\.text).filter { !$0.isEmpty }
            let requests = lines.filter { $0.contains("/pppp") }
            #expect(requests.count + dropped == 1500)
            for line in requests { #expect(line.hasSuffix("}") || line.hasSuffix("\"")) }
        }
    }

    /// Returns the number of dropped lines that a line reports; `nil` if it reports none.
    private func told(in line: LogLine) -> Int? {
        guard line.text.contains("log lines were dropped") else { return nil }
        return line.metadata["dropped"].flatMap { Int($0) }
            ?? line.text.split(separator: " ").compactMap { Int($0) }.first
    }

    @Test
    func `a backend that sends malformed responses does not flood the log`() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        try await Scene.play(backend: { _ in [.send("nonsense\r\n\r\n"), .close] }) { scene in
            for _ in 0..<100 {
                #expect(try scene.ask(Request.text(fields: Request.current)).status == 502)
            }
            let message = "malformed response from the backend"
            try scene.gate.logLine("the fault") { $0.message == message }
            let count = scene.gate.logLines.count { $0.message == message }
            #expect(Duration.seconds(count) < start.duration(to: clock.now) + .seconds(2))
        }
    }
}
