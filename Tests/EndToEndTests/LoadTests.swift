import GateTestSupport
import Glibc
import Testing

/// Short runs of load generators that check every response.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LoadTests {
    @Test(.needs("h2load"))
    func `h2load gets every response over HTTP/1.1`() async throws {
        try await Scene.play(backend: Self.greeting) { scene in
            let result = try ToolProcess.run(
                "h2load",
                ["--h1", "-n", "2000", "-c", "16", "-H", "X-App-Version: 3.5.0", scene.url("/")]
            )
            #expect(result.output.contains("2000 succeeded, 0 failed, 0 errored, 0 timeout"))
            #expect(result.output.contains("2000 2xx, 0 3xx, 0 4xx, 0 5xx"))
        }
    }

    @Test(.needs("wrk"))
    func `wrk sees no errors while the rules are reloaded, half of them invalid`() async throws {
        try await Scene.play(backend: Self.greeting) { scene in
            let load = Task(executorPreference: BlockingExecutor.shared) {
                try ToolProcess.run(
                    "wrk",
                    [
                        "-t1", "-c64", "-d4", "--timeout", "20s", "-H", "X-App-Version: 3.5.0",
                        scene.url("/"),
                    ]
                )
            }
            for round in 1...20 {
                let text =
                    round.isMultiple(of: 2)
                    ? RulesText.broken(line: round) : RulesText.shop(minimum: "3.\(round % 5).0")
                let seen = scene.gate.logLines.count
                try scene.folder.replace("rules.yaml", with: text)
                scene.gate.send(signal: SIGHUP)
                try scene.gate.logLine("reload \(round)", skipping: seen) {
                    $0.message == "rules loaded" || $0.level == "error"
                }
            }
            let output = try await load.value.output
            #expect(output.contains("requests in"))
            // wrk prints these lines only for counts above zero.
            #expect(!output.contains("Socket errors"))
            #expect(!output.contains("Non-2xx or 3xx responses"))
        }
    }

    private static let greeting: ScriptedBackend.Script = { _ in
        [.answer(body: "ok")]
    }
}
