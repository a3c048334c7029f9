import Foundation
import GateTestSupport
import Testing

/// Remote Config with TLS, conditions, mistakes and outages, with the real executable.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("python3", "openssl")
)
struct RemoteConfigFeedTests {
    /// Firebase, and the account that reads it.
    private struct Console: Sendable {
        let server: FeedServer
        let google: GoogleTestAccount

        init(_ identity: FeedServer.Identity) throws {
            self.server = try FeedServer("firebase-remote-config", identity: identity)
            self.google = try GoogleTestAccount(tokenURL: self.server.url("/token"))
            try self.server.setState(
                self.google.state(#""project":"my-shop",\#(Self.template("1.0.0"))"#)
            )
        }

        func publish(_ minimum: String, latest: String = "4.2.0", ios: String? = nil) throws {
            try self.server.changeState("{\(Self.template(minimum, latest: latest, ios: ios))}")
        }

        private static func template(
            _ minimum: String,
            latest: String = "4.2.0",
            ios: String? = nil
        ) -> String {
            let value = ios.map { #","conditionalValues":{"iPhone":{"value":"\#($0)"}}"# } ?? ""
            return #"""
                "template":{"conditions":[{"name":"iPhone","expression":"device.os == 'ios'"}],\#
                "parameters":{"min_version":{"defaultValue":{"value":"\#(minimum)"}\#(value)}},\#
                "parameterGroups":{"store":{"parameters":{"lastest_version":{"defaultValue":\#
                {"value":"\#(latest)"}}}}}}
                """#
        }
    }

    /// Runs the shipped example with a Remote Config that uses TLS.
    private func play(
        replacing changes: [String: String] = [:],
        more: String = "",
        _ body: (Scene, Console) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try TestAuthority(in: folder)
        let identity = try authority.issue("firebase")
        let console = try Console(.init(certificate: identity.certificate, key: identity.key))
        try folder.writeInPlace(console.google.json, to: "account.json")
        let usual = [
            "    project: my-shop\n": "    project: my-shop\n    url: \(console.server.url("/"))\n",
            "/run/secrets/firebase.json": folder.path(of: "account.json"),
            "every: 60s": "every: 1s",
        ]
        let rules = try Example.text(
            "feed-remote-config.yaml",
            replacing: usual.merging(changes) { $1 }
        )
        try folder.writeInPlace(rules + more, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [
                .feedCA(path: authority.certificate), .stateDir(path: folder.path(of: "state")),
                .adminListen(),
            ]
        ) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            try await body(scene, console)
            for secret in ["ya29.", "PRIVATE KEY", "assertion="] {
                #expect(!scene.gate.logText.contains(secret))
            }
        }
    }

    @Test func `a platform gets the value of its condition`() async throws {
        try await self.play { scene, console in
            try console.publish("9.0.0", ios: "2.0.0")
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            #expect(try !scene.isDenied("2.0.0"))
        }
    }

    @Test func `a mistake in the console changes nothing, nor does a Firebase that is down`()
        async throws
    {
        try await self.play { scene, console in
            try console.publish("2.0.0")
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            for slip in ["2,0", "4.2.1", "9.9.9"] {
                let seen = scene.gate.logLines.count
                try console.publish(slip, latest: "9.9.9")
                try scene.gate.logLine("the mistake \(slip)", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                #expect(try scene.isDenied("1.9.0"))
                #expect(try !scene.isDenied("4.2.0"))
            }
            try console.publish("2.0.0")
            try scene.gate.logLine("the recovery") { $0.message == "feed recovered" }
            console.server.stop()
            try scene.gate.logLine("the end of Firebase") {
                $0.metadata["error"] == "the connection was refused, or the host is unreachable"
            }
            #expect(try scene.isDenied("1.9.0"))

            let state = GateFlag.stateDir(path: scene.folder.path(of: "state"))
            #expect(try scene.restarted(flags: [state]).isDenied("1.9.0"))
        }
    }

    @Test func `a floor that the store does not have yet waits for the store`() async throws {
        let store =
            "\nreleases:\n- { platform: ios, version: \"VERSION\", releasedAt: "
            + "2020-01-01T00:00:00Z }\n"
        func releases(_ version: String) -> String { store.replacing("VERSION", with: version) }
        try await self.play(
            replacing: ["      snooze: 24h": "      holdUntilInStore: true\n      snooze: 24h"],
            more: releases("1.9.0")
        ) { scene, console in
            let seen = scene.gate.logLines.count
            try console.publish("2.0.0")
            try scene.gate.logLine("the floor", skipping: seen) { $0.message == "feed applied" }
            #expect(try !scene.isDenied("1.9.0"))
            let rules = try String(contentsOf: scene.folder.file("rules.yaml"), encoding: .utf8)
            try scene.folder.replace(
                "rules.yaml",
                with: rules.replacing(releases("1.9.0"), with: releases("2.0.0"))
            )
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
        }
    }

    /// Returns a template with values that depend on a percentage, the app or the client, and with a parameter of an
    /// unknown kind.
    private static func drawn(_ value: String) -> String {
        #"""
        {"template":{"conditions":[{"name":"A tenth","expression":"percent <= 10"}],"parameters":{\#
        "min_version":{"defaultValue":{"value":"2.0.0"},"conditionalValues":{"A tenth":\#(value)}},\#
        "lastest_version":{"defaultValue":{"value":"4.2.0"}},\#
        "banner":{"defaultValue":{"oracleValue":{"oracleId":"o"}}}}}}
        """#
    }

    @Test(arguments: [
        #"{"useInAppDefault":true}"#, #"{"personalizationValue":{"personalizationId":"p"}}"#,
        #"{"value":"3.0.0"}"#, #"{"value":""}"#, #"{"oracleValue":{}}"#,
    ])
    func `a value for some clients lowers no floor, and is reported`(
        value: String
    ) async throws {
        try await self.play { scene, console in
            try console.publish("2.0.0")
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            let seen = scene.gate.logLines.count
            try console.server.changeState(Self.drawn(value))
            let note = "only Firebase can evaluate 'A tenth': the lowest version applies"
            try scene.gate.logLine("the condition", skipping: seen) { $0.message == note }
            #expect(try scene.isDenied("1.9.0"))
            #expect(try !scene.isDenied("2.0.0"))
            try await scene.waitForFeed("the note") { $0.notes == [note] && $0.state == "fresh" }
            let check = try ToolProcess.versiongate(
                "feed",
                "check",
                "--feed-ca",
                scene.folder.path(of: "ca.pem"),
                scene.folder.path(of: "rules.yaml")
            )
            #expect(check.status == 0, "\(check.errors)")
            #expect(check.output.contains("# \(note)\n"))
        }
    }

    @Test func `feed check prints the rules, and Google's error`() async throws {
        try await self.play { scene, console in
            try console.publish("2.0.0", latest: "3.0.0")
            func check() throws -> ToolProcess.Result {
                try ToolProcess.versiongate(
                    "feed",
                    "check",
                    "--feed-ca",
                    scene.folder.path(of: "ca.pem"),
                    scene.folder.path(of: "rules.yaml")
                )
            }
            let good = try check()
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output.contains("# feed 'ios': Remote Config https://localhost:"))
            #expect(good.output.contains(#""id": "ios""#))
            #expect(good.output.contains(#""minimum": "2.0.0""#))

            let other = try GoogleTestAccount(
                tokenURL: console.server.url("/token"),
                ownKey: true
            )
            try scene.folder.replace("account.json", with: other.json)
            let wrong = try check()
            #expect(wrong.status == 1)
            #expect(!wrong.output.contains("ok ("))
            #expect(wrong.output.contains("data from failed feeds ('ios'): no other errors"))
            #expect(wrong.errors.contains("invalid_grant, Invalid JWT Signature."))
            #expect(!(wrong.output + wrong.errors).contains("PRIVATE KEY"))
        }
    }
}
