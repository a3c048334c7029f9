import FoundationEssentials
import GateTestSupport
import Testing

/// A floor waits for the App Store while the release appears in three countries one by one.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AppStoreArticleTests {
    private static func daysAgo(_ days: Int) -> String {
        Date(timeIntervalSinceNow: Double(-days) * 86_400).formatted(.iso8601)
    }

    /// Waits until the gate has polled each country once more and processed the responses.
    private func waitForPolls(_ store: AppStoreLookup) throws {
        // The rest of the current round, a complete round, and the first request of the next.
        try store.server.waitForRequests(store.server.requests.count + 7)
    }

    private func flags(in folder: TemporaryFolder) -> [GateFlag] {
        [.stateDir(path: folder.path(of: "state")), .adminListen()]
    }

    /// Runs the shipped example with a store.
    ///
    /// `body` also gets the rules.
    private func play(_ body: (Scene, AppStoreLookup, String) async throws -> Void) async throws {
        let store = try AppStoreLookup()
        for country in ["jp", "kr", "us"] {
            store.release("4.2.0", in: country, since: Self.daysAgo(90))
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = try Example.text(
            "feed-app-store.yaml",
            replacing: [
                "    every: 15m\n": "    every: 1s\n    url: \(store.url)\n"
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(in: folder, flags: self.flags(in: folder)) {
            try await body($0, store, rules)
        }
    }

    @Test func `a floor raised before the release takes effect once all countries have it`()
        async throws
    {
        try await self.play { scene, store, rules in
            let old = Request.text(fields: Request.identity(version: "4.1.0"))
            func hint(_ version: String) throws {
                try scene.waitForAnswer("the hint \(version)", to: old) { answer in
                    answer.fields["X-VersionGate"].first?
                        .hasPrefix("recommend; latest=\"\(version)\"") == true
                }
            }
            // The floor is 4.3.0, and the store has 4.2.0: older clients get a hint for 4.2.0.
            try hint("4.2.0")
            #expect(try !scene.isDenied("4.2.0"))

            // Available in one of three countries, and later in two of them for less than two days.
            store.release("4.3.0", in: "jp", since: Self.daysAgo(5))
            try self.waitForPolls(store)
            #expect(try !scene.isDenied("4.2.0"))
            store.release("4.3.0", in: "kr", since: Self.daysAgo(5))
            store.release("4.3.0", in: "us", since: Self.daysAgo(1))
            try self.waitForPolls(store)
            #expect(try !scene.isDenied("4.2.0"))
            try hint("4.2.0")

            store.release("4.3.0", in: "us", since: Self.daysAgo(3))
            let denial = try scene.wait(untilVersion: "4.2.9", isDenied: true)
            #expect(try denial.problem().title == "업데이트 안내")
            #expect(try !scene.isDenied("4.3.0"))

            // An older, cached response does not undo a release.
            store.release("4.2.0", in: "us", since: Self.daysAgo(90))
            store.server.set(.forbidden)
            try scene.gate.logLine("the 403") {
                $0.metadata["error"] == "jp: the source responded with 403: too many requests"
            }
            #expect(try scene.isDenied("4.2.9"))

            let lowered = rules.replacing("minimum: \"4.3.0\"", with: "minimum: \"4.1.0\"")
            try scene.folder.replace("rules.yaml", with: lowered)
            try scene.wait(untilVersion: "4.2.9", isDenied: false)
        }
    }

    @Test func `a store that is down has no effect, even after a restart`() async throws {
        try await self.play { scene, store, _ in
            for country in ["jp", "kr", "us"] {
                store.release("4.3.0", in: country, since: Self.daysAgo(5))
            }
            try scene.wait(untilVersion: "4.2.9", isDenied: true)
            for fault in [SourceFault.webPage, .truncatedJSON, .unavailable] {
                try scene.waitForFeedFailure("\(fault)") { store.server.set(fault) }
                #expect(try scene.feed().state == "failing")
                #expect(try scene.isDenied("4.2.9"))
            }
            try store.server.stop()
            let again = try scene.restarted(flags: self.flags(in: scene.folder))
            #expect(try again.isDenied("4.2.9"))
            #expect(try !again.isDenied("4.3.0"))
        }
    }
}
