import GateTestSupport
import Testing

/// Switches in Remote Config: a build floor is turned off and on, raised and lowered, and the app is closed for a
/// while.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl")
)
struct SwitchStoryTests {
    private static func template(
        floor: String = "41200",
        enforced: String = "true",
        closed: String = "false"
    ) -> String {
        """
        {"parameters":{
        "min_supported_version_code":{"defaultValue":{"value":"\(floor)"},"valueType":"NUMBER"},
        "latest_version_code":{"defaultValue":{"value":"41300"},"valueType":"NUMBER"},
        "maintenance_message":{"defaultValue":{"value":"{\\"en\\":\\"We are moving house.\\"}"}}},
        "parameterGroups":{"switches":{"parameters":{
        "force_update":{"defaultValue":{"value":"\(enforced)"},"valueType":"BOOLEAN"},
        "maintenance_mode":{"defaultValue":{"value":"\(closed)"},"valueType":"BOOLEAN"}}}}}
        """
    }

    private static func request(build: Int) -> String {
        Request.text(
            fields: "X-App-Id: com.example.shop\r\nX-App-Platform: android\r\n"
                + "X-App-Version: 4.1.0\r\nX-App-Build: \(build)\r\n"
        )
    }

    private func play(
        _ body: (Scene, (_ floor: String, _ enforced: String, _ closed: String) -> Void) throws ->
            Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let account = try GoogleAccount(in: folder)
        let config = try RemoteConfig(account: account)
        config.publish(Self.template())
        let rules = try Example.text(
            "feed-switches.yaml",
            replacing: [
                "    project: my-shop\n":
                    "    project: my-shop\n    url: \(config.server.url(""))\n",
                "/run/secrets/firebase.json": account.path,
                "every: 60s": "every: 1s",
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        let flags = [GateFlag.stateDir(path: folder.path(of: "state"))]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            try body(scene) { floor, enforced, closed in
                config.publish(Self.template(floor: floor, enforced: enforced, closed: closed))
            }
        }
    }

    private func wait(_ scene: Scene, build: Int, status: Int) throws {
        try scene.waitForAnswer("\(status) for \(build)", to: Self.request(build: build)) {
            $0.status == status
        }
    }

    @Test func `the switch alone allows old builds, and a floor is raised and lowered`()
        async throws
    {
        try await self.play { scene, publish in
            try self.wait(scene, build: 41199, status: 426)
            #expect(try scene.ask(Self.request(build: 41200)).status == 200)
            for _ in 1...2 {
                publish("41200", "false", "false")
                try self.wait(scene, build: 41199, status: 200)
                publish("41200", "true", "false")
                try self.wait(scene, build: 41199, status: 426)
                #expect(try scene.ask(Self.request(build: 41200)).status == 200)
            }
            publish("41250", "true", "false")
            try self.wait(scene, build: 41249, status: 426)
            #expect(try scene.ask(Self.request(build: 41250)).status == 200)
            // These mistakes change nothing: an invalid build, an invalid switch, and a floor above the release.
            for (floor, enforced) in [("soon", "true"), ("41250", "maybe"), ("41400", "true")] {
                let seen = scene.gate.logLines.count
                publish(floor, enforced, "false")
                try scene.gate.logLine("the mistake", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                #expect(try scene.ask(Self.request(build: 41249)).status == 426)
                #expect(try scene.ask(Self.request(build: 41300)).status == 200)
            }
            publish("41200", "true", "false")
            try self.wait(scene, build: 41249, status: 200)
            #expect(try scene.ask(Self.request(build: 41199)).status == 426)
            publish("", "true", "false")
            try self.wait(scene, build: 1, status: 200)
        }
    }

    @Test func `the switch closes the app for every build, and opens it again at once`()
        async throws
    {
        try await self.play { scene, publish in
            for _ in 1...2 {
                publish("41200", "true", "true")
                try self.wait(scene, build: 41300, status: 503)
                let denial = try scene.ask(Self.request(build: 41300))
                #expect(try denial.problem().message == "We are moving house.")
                #expect(denial.fields["Retry-After"].isEmpty)
                #expect(try scene.ask(Self.request(build: 1)).status == 503)
                publish("41200", "true", "false")
                try self.wait(scene, build: 41300, status: 200)
                #expect(try scene.ask(Self.request(build: 1)).status == 426)
            }
            // An invalid switch leaves the app closed.
            publish("41200", "true", "true")
            try self.wait(scene, build: 41300, status: 503)
            let seen = scene.gate.logLines.count
            publish("41200", "true", "perhaps")
            try scene.gate.logLine("the mistake", skipping: seen) {
                $0.message.hasSuffix("its last value stays active")
            }
            #expect(try scene.ask(Self.request(build: 41300)).status == 503)
            publish("41200", "true", "")
            try self.wait(scene, build: 41300, status: 200)
        }
    }

    @Test func `switches in the children of a database apply separately and at once`()
        async throws
    {
        let database = try RealtimeDatabase()
        database.put(
            #"{"ios":{"min":"2.0.0"},"force":true,"closed":false,"back":{"en":"Soon","ja":"メンテ中"}}"#
        )
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = """
            feeds:
            - id: app
              source: firebaseDatabase
              database: \(database.server.url("/"))
              redirectsTo: localhost
              path: \(database.path)
              fields: { minVersion: ios.min, enforce: force, maintenance: closed, maintenanceMessage: back }
              rule: { match: { platform: ios }, storeUrl: "https://a.example" }

            """
        try folder.writeInPlace(rules, to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "state")), .adminListen()]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            func put(_ path: String, _ value: String) {
                database.send("put", #"{"path":"/\#(path)","data":\#(value)}"#)
            }
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            put("force", "false")
            try scene.wait(untilVersion: "1.9.0", isDenied: false)
            put("force", "true")
            try scene.wait(untilVersion: "1.9.0", isDenied: true)

            let japanese = Request.text(
                fields: Request.identity(version: "2.0.0") + "Accept-Language: ja\r\n"
            )
            put("closed", "true")
            let denial = try scene.waitForAnswer("closed", to: japanese) { $0.status == 503 }
            #expect(try denial.problem().message == "メンテ中")
            // A deleted or invalid value leaves the app closed.
            for slip in ["null", "\"soon\"", "2"] {
                let seen = scene.gate.logLines.count
                put("closed", slip)
                try scene.gate.logLine("the mistake \(slip)", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                #expect(try scene.ask(japanese).status == 503)
            }
            put("closed", "false")
            try scene.waitForAnswer("open", to: japanese) { $0.status == 200 }
            // A field without a mapping is reported.
            put("maintenance_mode", "true")
            let told = try await scene.waitForFeed("the note") { $0.notes?.isEmpty == false }
            #expect(
                told.notes?.first?.hasPrefix("'maintenance_mode' is not read") == true
            )
            #expect(try scene.ask(japanese).status == 200)
        }
    }
}
