import GateTestSupport
import Testing

/// Many changes at a source while requests flow; `Benchmarks/updates.py` does it for longer.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: ToolProcess.isInstalled("wrk"), "needs wrk")
)
struct FeedLoadTests {
    private static let changes = 300

    private static func value(_ number: Int) -> String {
        #"{"minVersion":"1.0.\#(number)","storeUrl":"https://a.example/app"}"#
    }

    @Test func `three hundred changes in a row come into force, and fail no request`() async throws
    {
        let database = try RealtimeDatabase()
        database.put(Self.value(0))
        let rules = """
            feeds:
            - id: floor
              source: firebaseDatabase
              database: \(database.server.url("/"))
              redirectsTo: localhost
              path: \(database.path)
              rule: { match: { platform: ios } }
            """
        try await Scene.play(
            rules: rules,
            flags: [.adminListen()],
            backend: { _ in [.answer(body: "ok")] }
        ) { scene in
            try await scene.waitForFeed("the first value") { $0.state == "fresh" }
            let load = Task(executorPreference: BlockingExecutor.shared) {
                let headers = ["X-App-Platform: ios", "X-App-Version: 9.0.0"]
                return try ToolProcess.run(
                    "wrk",
                    ["-t1", "-c16", "-d6", "--timeout", "20s"]
                        + headers.flatMap { ["-H", $0] } + [scene.url("/")]
                )
            }
            for number in 1...Self.changes { database.put(Self.value(number)) }
            let old = Request.text(fields: Request.identity(version: "0.9.0"))
            while try scene.ask(old).problem().minimumVersion != "1.0.\(Self.changes)" {
                try await Task.sleep(for: .milliseconds(20))
            }
            let output = try await load.value.output
            #expect(output.contains("requests in"))
            // wrk prints these lines only if there is something to count.
            #expect(!output.contains("Socket errors"))
            #expect(!output.contains("Non-2xx or 3xx responses"))
            let taken = scene.gate.logLines.filter { $0.message == "feed taken" }
            #expect(taken.count == Self.changes + 1)
            #expect(database.listeners == 1)
            let status = try scene.feed()
            #expect((status.state, status.error, status.failures) == ("fresh", nil, 0))
        }
    }
}
