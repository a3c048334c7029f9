import GateTestSupport
import Testing

/// Memory is asked for where a connection begins, and hardly on the way of a request.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AllocationTests {
    private static let requests = 200
    private static let rounds = 20

    // A debug build asks where a release build does not: there it is none, which `make bench`
    // counts. What asks beside the requests, as the clock does, can only make a round worse.
    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: [("3.5.0", 200, 23.5), ("3.4.9", 426, 9.5)]
    )
    func `a request in steady state asks for memory no oftener than it did`(
        _ version: String,
        _ status: Int,
        _ limit: Double
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let count = try AllocationCount(into: folder.file("allocations"))
        let script: ScriptedBackend.Script = { _ in [.answer(body: "ok")] }
        let request = """
            GET /a HTTP/1.1\r
            Host: a\r
            X-App-Id: com.example.shop\r
            X-App-Platform: ios\r
            X-App-Version: \(version)\r
            \r\n
            """
        try await Scene.play(in: folder, surroundings: count.surroundings, backend: script) {
            scene in
            let client = try scene.connect()
            func ask() throws {
                for _ in 0..<Self.requests {
                    try client.send(request)
                    try #require(try client.response().status == status)
                }
            }
            for _ in 0..<5 { try ask() }
            var best = Double.infinity
            for _ in 0..<Self.rounds where best > limit {
                let before = try count.current()
                try ask()
                best = min(best, Double(try count.current() - before) / Double(Self.requests))
            }
            #expect(best <= limit)
        }
    }
}
