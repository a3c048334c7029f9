import GateTestSupport
import Testing

/// A build floor waits for Google Play, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "python3"))
struct GooglePlayStoryTests {
    private static func rules(_ play: FeedServer, _ folder: TemporaryFolder) -> String {
        """
        feeds:
          - id: play
            source: googlePlay
            package: com.example.shop
            serviceAccount: { file: '\(folder.path(of: "account.json"))' }
            app: com.example.shop
            url: '\(play.url("/"))'
            every: 1s
        rules:
          - id: android
            match: { app: com.example.shop, platform: android }
            minimumBuild: 3030
            holdUntilInStore: true
            storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
        """
    }

    private static func request(build: Int) -> String {
        Request.text(
            fields: "X-App-Id: com.example.shop\r\nX-App-Platform: android\r\n"
                + "X-App-Version: 3.0\r\nX-App-Build: \(build)\r\n"
        )
    }

    private func publish(_ play: FeedServer, _ releases: String) throws {
        try play.changeState(#"{"apps":{"com.example.shop":{"production":[\#(releases)]}}}"#)
    }

    @Test func `a floor takes effect once its rollout is complete, and outlives the source`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let play = try FeedServer(
            "google-play",
            identity: FeedServer.Identity(
                certificate: certificates.path("server.pem"),
                key: certificates.path("server.key")
            )
        )
        let google = try GoogleTestAccount(tokenURL: play.url("/token"))
        try folder.writeInPlace(google.json, to: "account.json")
        try play.setState(google.state())
        let before = #"{"name":"3.2.0","versionCodes":["3020"],"status":"completed"}"#
        func new(_ status: String) -> String {
            #"{"name":"3.3.0","versionCodes":["3030"],"status":"\#(status)"}"#
        }
        try self.publish(play, before)
        try folder.writeInPlace(Self.rules(play, folder), to: "rules.yaml")
        let flags: [GateFlag] = [
            .feedCA(path: certificates.path("ca.pem")),
            .stateDir(path: folder.path(of: "state")),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            let old = Self.request(build: 3020)
            #expect(try scene.ask(old).status == 200)
            let seen = scene.gate.logLines.count
            try self.publish(play, "\(new("inProgress")),\(before)")
            try scene.gate.logLine("the rollout", skipping: seen) { $0.message == "feed applied" }
            #expect(try scene.ask(old).status == 200)

            try self.publish(play, new("completed"))
            try scene.waitForAnswer("the end of the rollout", to: old) { $0.status == 426 }
            #expect(try scene.ask(Self.request(build: 3030)).status == 200)

            for kind in ["html", "bad-json", "403", "503"] {
                let seen = scene.gate.logLines.count
                try play.setFaults(FeedFault(kind))
                try scene.gate.logLine(kind, skipping: seen) {
                    $0.message == "feed failed; its last value stays active"
                }
                #expect(try scene.ask(old).status == 426)
                try play.ask("DELETE", "/fault")
                try scene.gate.logLine("the recovery from \(kind)", skipping: seen) {
                    $0.message == "feed recovered"
                }
            }
            play.stop()
            try scene.gate.logLine("the end of the source") {
                $0.metadata["error"] == "the connection was refused, or the host is unreachable"
            }
            #expect(try scene.ask(old).status == 426)

            let again = try scene.restarted(flags: flags)
            #expect(try again.ask(old).status == 426)
            #expect(!(scene.gate.logText + again.gate.logText).contains("PRIVATE KEY"))
        }
    }
}
