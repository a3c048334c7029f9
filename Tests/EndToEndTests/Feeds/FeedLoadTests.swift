import GateTestSupport
import Testing

/// Many changes at a source while requests are served.
///
/// `Benchmarks/updates.py` runs longer.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FeedLoadTests {
    /// The number of changes; they are a few milliseconds apart, as from a busy source.
    private static let changes = 300
    private static let newest = "9.0.0"
    /// The minimum time between two rule sets from a feed, in seconds.
    private static let interval = 0.2

    private static func value(_ minimum: String) -> String {
        #"{"minVersion":"\#(minimum)","storeUrl":"https://a.example/app"}"#
    }

    private static func rules(_ database: RealtimeDatabase) -> String {
        """
        feeds:
        - id: floor
          source: firebaseDatabase
          database: \(database.server.url("/"))
          redirectsTo: localhost
          path: \(database.path)
          rule: { match: { platform: ios } }
        tests:
        - name: the newest app goes on
          request: { platform: ios, version: \(Self.newest) }
          expect: { decision: allow }
        """
    }

    /// Runs a gate that follows a database with an initial minimum of 1.0.0.
    private func play(
        _ body: (Scene, RealtimeDatabase) async throws -> Void
    ) async throws {
        let database = try RealtimeDatabase()
        database.put(Self.value("1.0.0"))
        try await Scene.play(
            rules: Self.rules(database),
            flags: [.adminListen()],
            backend: { _ in [.answer(body: "ok")] }
        ) { scene in
            try await scene.waitForFeed("the first value") { $0.state == "fresh" }
            try await body(scene, database)
        }
    }

    /// Returns the minimum in the denial of an outdated app.
    private func minimum(_ scene: Scene) throws -> String? {
        let old = Request.text(fields: Request.identity(version: "0.9.0"))
        return try scene.ask(old).problem().minimumVersion
    }

    /// Returns the minimums in the denials of an outdated app, in order, until the last one.
    private func minimums(_ scene: Scene, until last: String) async throws -> [String?] {
        var seen: [String?] = []
        let deadline = Deadline.after(.seconds(60) * GateExecutable.slowdown)
        return try deadline.poll("the minimum \(last)") {
            seen.append(try self.minimum(scene))
            return seen.last == last ? seen : nil
        }
    }

    /// Returns the maximum number of rule sets that may have become active since the start.
    private func bound(since start: ContinuousClock.Instant) -> Int {
        Int(start.duration(to: .now) / .seconds(1) / Self.interval) + 2
    }

    private func count(_ message: String, in scene: Scene) -> Int {
        scene.gate.logLines.count { $0.message == message }
    }

    @Test(.needs("wrk"))
    func `a series of changes takes effect and fails no request`() async throws {
        try await self.play { scene, database in
            let start = ContinuousClock.now
            let load = Task(executorPreference: BlockingExecutor.shared) {
                let headers = ["X-App-Platform: ios", "X-App-Version: \(Self.newest)"]
                return try ToolProcess.run(
                    "wrk",
                    ["-t1", "-c16", "-d2", "--timeout", "20s"]
                        + headers.flatMap { ["-H", $0] } + [scene.url("/")]
                )
            }
            for number in 1...Self.changes {
                database.put(Self.value("1.0.\(number)"))
                try await Task.sleep(for: .milliseconds(5))
            }
            _ = try await self.minimums(scene, until: "1.0.\(Self.changes)")
            let output = try await load.value.output
            #expect(output.contains("requests in"))
            // wrk prints these lines only for counts above zero.
            #expect(!output.contains("Socket errors"))
            #expect(!output.contains("Non-2xx or 3xx responses"))
            #expect(2...self.bound(since: start) ~= self.count("feed applied", in: scene))
            #expect(database.listeners == 1)
            let status = try scene.feed()
            #expect((status.state, status.error, status.failures) == ("fresh", nil, 0))
        }
    }

    @Test func `every active value was at the source, and the last one applies within a second`()
        async throws
    {
        try await self.play { scene, database in
            let last = "1.0.\(Self.changes)"
            let start = ContinuousClock.now
            async let seen = self.minimums(scene, until: last)
            for number in 1...Self.changes {
                database.put(Self.value("1.0.\(number)"))
                try await Task.sleep(for: .milliseconds(3))
            }
            let sent = ContinuousClock.now
            let minimums = try await seen
            // The fastest of several changes counts, because parallel tests can only slow them down.
            var fastest = sent.duration(to: .now)
            for number in 1...2 where fastest >= .seconds(1) * GateExecutable.slowdown {
                let start = ContinuousClock.now
                database.put(Self.value("1.1.\(number)"))
                _ = try await self.minimums(scene, until: "1.1.\(number)")
                fastest = min(fastest, start.duration(to: .now))
            }
            #expect(fastest < .seconds(1) * GateExecutable.slowdown)
            let numbers = try minimums.map { minimum in
                let parts = try #require(minimum).split(separator: ".").map(String.init)
                #expect(parts.dropLast() == ["1", "0"])
                return try #require(parts.last.flatMap { Int($0) })
            }
            // The values are in the source's order.
            #expect(numbers == numbers.sorted())
            #expect(numbers.allSatisfy { 0...Self.changes ~= $0 })
            // The start adds two loads: one without the feed, and the first with it.
            let bound = self.bound(since: start) + 2
            #expect(Set(numbers).count > 2)
            #expect(self.count("rules loaded", in: scene) <= bound)
        }
    }

    @Test func `changes that lock out the newest app are rejected, and the status reports them`()
        async throws
    {
        try await self.play { scene, database in
            let before = try scene.feed()
            let start = ContinuousClock.now
            for number in 1...Self.changes {
                database.put(Self.value("99.0.\(number)"))
                if number.isMultiple(of: 10) {
                    #expect(try self.minimum(scene) == "1.0.0")
                }
            }
            let failing = try await scene.waitForFeed("the refusal") { $0.state == "failing" }
            #expect(failing.error?.contains("the newest app goes on") == true)
            #expect(failing.revision == before.revision)
            #expect(try self.minimum(scene) == "1.0.0")
            let seen = scene.gate.logLines.count
            database.put(Self.value("2.0.0"))
            _ = try await self.minimums(scene, until: "2.0.0")
            // The value is active shortly before the log reports it.
            try scene.gate.logLine("the new value", skipping: seen) { $0.message == "feed applied" }
            #expect(
                self.count("feed rejected; its last value stays active", in: scene)
                    <= self.bound(since: start)
            )
            #expect(self.count("feed applied", in: scene) == 2)
            let mended = try await scene.waitForFeed("the end") { $0.state == "fresh" }
            #expect(mended.error == nil)
        }
    }

    @Test func `a changed file does not wait for a busy source`() async throws {
        try await self.play { scene, database in
            let isOver = Watched(false)
            let seen = scene.gate.logLines.count
            async let last = {
                var number = 0
                while !isOver.current {
                    number += 1
                    database.put(Self.value("1.0.\(number)"))
                    try await Task.sleep(for: .milliseconds(3))
                }
                return "1.0.\(number)"
            }()
            try scene.gate.logLine("a source that continues", skipping: seen) {
                $0.message == "feed applied"
            }
            let more = "rules: [{ id: own, minimum: 5.0.0, storeUrl: 'https://b.example' }]\n"
            let start = ContinuousClock.now
            try scene.folder.replace("rules.yaml", with: more + Self.rules(database))
            _ = try await self.minimums(scene, until: "5.0.0")
            #expect(start.duration(to: .now) < .seconds(1) * GateExecutable.slowdown)
            isOver.update { $0 = true }
            let floor = try await last
            try scene.folder.replace("rules.yaml", with: Self.rules(database))
            _ = try await self.minimums(scene, until: floor)
        }
    }
}
