import GateTestSupport
import Testing

/// Memory is asked for where a connection begins, and hardly on the way of a request.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AllocationTests {
    private static let rounds = 20

    // A debug build asks where a release build does not: there it is none, which `make bench`
    // counts. What asks beside the requests, as the clock does, can only make a round worse: half of one
    // more is for that, and less than a request could ask for.
    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: [("3.5.0", 200, 37.5), ("3.4.9", 426, 30.5)]
    )
    func `a request in steady state asks for memory no oftener than it did`(
        _ version: String,
        _ status: Int,
        _ limit: Double
    ) async throws {
        let request = """
            GET /a HTTP/1.1\r
            Host: a\r
            X-App-Id: com.example.shop\r
            X-App-Platform: ios\r
            X-App-Version: \(version)\r
            \r\n
            """
        let best = try await self.allocations(atMost: limit, status, ofEach: 200) { _ in request }
        #expect(best <= limit)
    }

    /// How often the gate asks for memory in a request, on average over a round of them: in the best
    /// of some rounds, or in the first one that keeps to the limit.
    private func allocations(
        atMost limit: Double,
        _ status: Int,
        ofEach requests: Int,
        _ text: @escaping @Sendable (Int) -> String
    ) async throws -> Double {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let count = try AllocationCount(into: folder.file("allocations"))
        let script: ScriptedBackend.Script = { _ in [.answer(body: "ok")] }
        var best = Double.infinity
        try await Scene.play(
            in: folder,
            // To fetch the census is no part of a request, and comes with the time that a round takes.
            flags: [.censusInterval(seconds: 3_600)],
            surroundings: count.surroundings,
            backend: script
        ) { scene in
            let client = try scene.connect()
            var number = 0
            func ask() throws {
                for _ in 0..<requests {
                    number += 1
                    try client.send(text(number))
                    try #require(try client.response().status == status)
                }
            }
            for _ in 0..<5 { try ask() }
            for _ in 0..<Self.rounds where best > limit {
                let before = try count.current()
                try ask()
                best = min(best, Double(try count.current() - before) / Double(requests))
            }
        }
        return best
    }

    /// A request that is meant to be dear, and how often it may ask for memory.
    struct DearRequest: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Double
        let status: Int
        /// The text of the request with this number.
        let text: @Sendable (Int) -> String

        init(
            _ name: String,
            _ limit: Double,
            status: Int = 200,
            _ target: String = "/a",
            fields: @escaping @Sendable (Int) -> String
        ) {
            self.testDescription = name
            self.limit = limit
            self.status = status
            self.text = { number in
                "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields(number))\r\n"
            }
        }
    }

    private static func versions(_ number: Int) -> String {
        let versions = (0..<8).map {
            "1.0.0-" + String(repeating: "a.", count: 24) + "\(number + $0)"
        }
        return "X-App-Version: \(versions.joined(separator: ","))\r\n"
    }

    private static func unreadable(_ number: Int) -> String {
        let value = String(repeating: "é\(number)", count: 40)
        let names = [
            "App-Id", "App-Platform", "App-Version", "OS-Version", "App-Channel", "App-Build",
        ]
        return names.map { "X-\($0): \(value)\r\n" }.joined()
    }

    private static let dearRequests = [
        DearRequest("a version that was never seen", 25) { "X-App-Version: 4.2.0+\($0)\r\n" },
        DearRequest("a denied one", 150, status: 426) {
            "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: 3.2.0+\($0)\r\n"
        },
        DearRequest("languages that were never seen", 27) {
            "X-App-Version: 4.2.0\r\nAccept-Language: ja,en;q=0.\($0)\r\n"
        },
        DearRequest("eight versions", 260, fields: Self.versions),
        DearRequest("a list of versions", 100) { number in
            let list = (0..<250).map { "\(number).\($0)" }.joined(separator: ",")
            return "X-App-Version: \(list)\r\n"
        },
        DearRequest("letters beyond ASCII in six fields", 310, fields: Self.unreadable),
        DearRequest("100 fields", 125) { number in
            (0..<95).map { "X-Field-\($0): \(number)\(String(repeating: "v", count: 250))\r\n" }
                .joined()
        },
        // A debug build asks nine times for each triplet, a release build for none.
        DearRequest("an encoded path", 3_000, "/" + String(repeating: "%61", count: 300)) { _ in ""
        },
        DearRequest(
            "a status question of 700 parameters",
            300,
            status: 400,
            "/.versiongate/status?" + String(repeating: "path=%2Fa&", count: 700)
        ) { _ in "" },
    ]

    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: dearRequests
    )
    func `a request that is meant to be dear asks for memory no oftener than this`(
        _ request: DearRequest
    ) async throws {
        let best = try await self.allocations(
            atMost: request.limit,
            request.status,
            ofEach: 20,
            request.text
        )
        #expect(best <= request.limit)
    }
}
