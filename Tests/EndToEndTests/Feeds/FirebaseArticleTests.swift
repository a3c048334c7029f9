import GateTestSupport
import Testing

/// A floor in the Realtime Database is raised and lowered in the console.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FirebaseArticleTests {
    /// Runs the shipped example with a database.
    private func play(_ body: (Scene, RealtimeDatabase) async throws -> Void) async throws {
        let database = try RealtimeDatabase()
        database.put(#"{"version":"3.1.0"}"#)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let url = database.server.url("/")
        let rules = try Example.text(
            "feed-firebase-database.yaml",
            replacing: [
                "    database: https://my-shop-default-rtdb.firebaseio.com\n":
                    "    database: \(url)\n    redirectsTo: localhost\n"
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [.stateDir(path: folder.path(of: "state")), .adminListen()]
        ) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            try await body(scene, database)
        }
    }

    private static func floor(_ minimum: String) -> String {
        #"{"version":"4.2.0","minVersion":"\#(minimum)","storeUrl":"https://a.example/app"}"#
    }

    @Test func `a floor from the console takes effect within a second, with Korean texts`()
        async throws
    {
        try await self.play { scene, database in
            #expect(try !scene.isDenied("1.9.0"))
            let korean = Request.text(
                fields: Request.identity(version: "1.9.0") + "Accept-Language: ko-KR\r\n"
            )
            // The fastest of several changes counts, because parallel tests can only slow them down.
            var fastest = Duration.seconds(60)
            for round in 1...3 {
                let start = ContinuousClock.now
                database.put(Self.floor("\(round + 1).0.0"))
                let denial = try scene.waitForAnswer("426", to: korean) { $0.status == 426 }
                fastest = min(fastest, start.duration(to: .now))
                let problem = try denial.problem()
                #expect(problem.title == "업데이트 안내")
                #expect(problem.message?.hasPrefix("\(round + 1).0.0 이상의 버전이") == true)
                #expect(problem.storeUrl == "https://a.example/app")
                database.put(Self.floor("1.0.0"))
                try scene.waitForAnswer("200", to: korean) { $0.status == 200 }
            }
            #expect(fastest < .seconds(1) * GateExecutable.slowdown)
            let hint = try scene.ask(korean).fields["X-VersionGate"].first
            #expect(hint?.hasPrefix("recommend; latest=\"4.2.0\"") == true)
        }
    }

    @Test func `parts of the value change separately, and mistakes change nothing`() async throws {
        try await self.play { scene, database in
            database.put(Self.floor("2.0.0"))
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            for slip in [
                ("put", #"{"path":"/minVersion","data":2.5}"#),
                ("put", #"{"path":"/minVersion","data":"soon"}"#),
                ("put", #"{"path":"/","data":null}"#),
                ("put", #"{"path":"/","data":{"minVersion":"9.9.9"}}"#),
            ] {
                let seen = scene.gate.logLines.count
                database.send(slip.0, slip.1)
                try scene.gate.logLine("\(slip)", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                // The stream continues with a keep-alive event.
                database.send("keep-alive", "null")
                let status = try scene.feed()
                #expect((status.kind, status.state) == ("firebaseDatabase", "failing"))
                #expect(status.error?.isEmpty == false)
                #expect(status.nextAt == nil)
                #expect(try scene.isDenied("1.9.0"))
                #expect(try !scene.isDenied("4.2.0"))
            }
            // A valid value on the same stream clears the error.
            database.send("put", #"{"path":"/","data":\#(Self.floor("1.0.0"))}"#)
            try scene.wait(untilVersion: "1.9.0", isDenied: false)
            #expect(database.listeners == 1)
            let mended = try await scene.waitForFeed("the recovery") { $0.state == "fresh" }
            #expect(mended.error == nil)
        }
    }

    @Test
    func `a stream that ends is reopened, and a database that is down has no effect`() async throws
    {
        try await self.play { scene, database in
            database.put(Self.floor("2.0.0"))
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            database.endStreams()
            try database.waitForListeners(1)
            database.put(Self.floor("3.0.0"))
            try scene.wait(untilVersion: "2.9.0", isDenied: true)
            database.server.set(.unavailable)
            database.endStreams()
            try scene.gate.logLine("the failure") { $0.message.hasPrefix("feed failed") }
            #expect(try scene.isDenied("2.9.0"))

            try database.server.stop()
            let state = GateFlag.stateDir(path: scene.folder.path(of: "state"))
            let again = try scene.restarted(flags: [state])
            #expect(try again.isDenied("2.9.0"))
            #expect(try !again.isDenied("3.0.0"))
        }
    }
}
