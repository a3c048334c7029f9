import Foundation
import GateControl
import GatePolicy
import GateTestSupport
import Glibc
import Testing

/// Passes, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct PassTests {
    private static let secret = "a secret that only testers have"
    private static let field = "X-VersionGate-Pass"
    private static let rules = """
        unidentified: { missing: reject, unreadable: reject, storeUrl: https://a.example/app }
        rules:
          - id: shop
            match: { platform: ios }
            minimum: "3.5.0"
            storeUrl: https://apps.apple.com/app/id1234567890
          - id: orders
            match: { path: /orders/** }
            maintenance: true

        """
    /// The state of a WebSocket's backend.
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private struct Stage {
        let folder: TemporaryFolder
        let flags: [GateFlag]

        init(isKept: Bool = true, secret: Bool = true, more: [GateFlag] = []) throws {
            self.folder = try TemporaryFolder()
            try self.folder.writeInPlace(PassTests.rules, to: "rules.yaml")
            try self.folder.writeInPlace("\(PassTests.secret)\n", to: "secret")
            let state = self.folder.path(of: "state")
            let secretFile = self.folder.path(of: "secret")
            self.flags =
                (isKept ? [.stateDir(path: state)] : [])
                + (secret ? [.previewSecretFile(path: secretFile)] : [])
                + [.adminListen(), .threads(2), .censusInterval(seconds: 0.1)] + more
        }

        func play(
            backend: @escaping ScriptedBackend.Script = { _ in [.echo] },
            _ body: (Scene) async throws -> Void
        ) async throws {
            defer { self.folder.remove() }
            try await Scene.play(in: self.folder, flags: self.flags, backend: backend, body)
        }
    }

    /// Returns the field that the command prints, and the ID in its message.
    private static func signed(_ scene: Scene, _ arguments: String...) throws -> (
        field: String, id: String
    ) {
        let result = try ToolProcess.versiongate(
            ["pass", "--secret-file", scene.folder.path(of: "secret")] + arguments
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("\(Self.field): ") && result.output.hasSuffix("\n"))
        let message = try #require(
            result.errors.wholeMatch(of: /pass ([0-9a-f]{16}), valid until (.*Z)\n/)
        )
        #expect(result.output.hasPrefix("\(Self.field): \(message.1)."))
        return (String(result.output.dropLast()), String(message.1))
    }

    /// Returns a single-use pass from after the second in which the gate started.
    private static func once(_ scene: Scene, lifetime: String = "1h") throws -> String {
        try Deadline.usual.poll("a pass from after the start") {
            let field = try Self.signed(scene, "--for", lifetime, "--once").field
            let status = try scene.ask(Self.request(field, target: "/.versiongate/status"))
            return status.text.contains("\"decision\":\"allow\"") ? field : nil
        }
    }

    private static func request(
        _ fields: String...,
        target: String = "/v2",
        version: String = "3.4.9"
    ) -> String {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return Request.text("GET", target, fields: Request.identity(version: version) + lines)
    }

    /// Returns the outcomes of passes that have occurred.
    private static func outcomes(_ scene: Scene) throws -> [String: Double] {
        var outcomes: [String: Double] = [:]
        for (labels, count) in try scene.metrics().samples(of: "versiongate_passes_total")
        where count > 0 {
            outcomes[String(labels.dropFirst("{outcome=\"".count).dropLast("\"}".count))] = count
        }
        return outcomes
    }

    @Test func `a client with a pass is served although the rules deny it`() async throws {
        let stage = try Stage(more: [.accessLog, .accessLogFormat("json"), .logLevel("debug")])
        try await stage.play { scene in
            let (field, id) = try Self.signed(scene, "--for", "48h")
            let client = try scene.connect()
            // The requests alternate, so a cached decision for both would be detected.
            for _ in 0..<3 {
                try client.send(Self.request())
                #expect(try client.response().status == 426)
                try client.send(Self.request(field))
                let served = try client.response()
                #expect(served.status == 200 && served.fields["X-VersionGate"].isEmpty)
            }
            // Clients without a version, and maintenance.
            let unknown = Request.text(fields: "X-App-Platform: ios\r\n")
            #expect(try scene.ask(unknown).status == 426)
            let known = Request.text(fields: "X-App-Platform: ios\r\n\(field)\r\n")
            #expect(try scene.ask(known).status == 200)
            #expect(try scene.ask(Self.request(target: "/orders/1", version: "9")).status == 503)
            #expect(
                try scene.ask(Self.request(field, target: "/orders/1", version: "9")).status == 200
            )
            // The status endpoint and HTTP/2.
            let status = try scene.ask(Self.request(field, target: "/.versiongate/status"))
            #expect(status.text == #"{"decision":"allow","currentVersion":"3.4.9"}"#)
            #expect(status.fields["Vary"].joined().contains("x-versiongate-pass"))
            let multiplexed = try scene.connectHTTP2()
            let value = String(field.dropFirst(Self.field.count + 2))
            let old = [
                ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                ("x-app-version", "3.4.9"),
            ]
            let fields = [old, old + [("x-versiongate-pass", value)], old]
            for (number, fields) in fields.enumerated() {
                let stream = UInt32(number * 2 + 1)
                try multiplexed.request(stream, "GET", "/v2", fields)
                #expect(try multiplexed.response(stream).status == (number == 1 ? 200 : 426))
            }
            // A client that the rules allow is not affected.
            #expect(try scene.ask(Self.request(field, version: "3.5.0")).status == 200)
            let decisions = scene.backend.record.requests.flatMap {
                $0.fields["x-versiongate-decision"]
            }
            #expect(decisions == Array(repeating: "passed", count: 6) + ["allow"])
            for request in scene.backend.record.requests {
                #expect(request.fields["x-versiongate-pass"].isEmpty)
            }
            #expect(try Self.outcomes(scene) == ["passed": 6])
            let requests = try scene.metrics().samples(of: "versiongate_requests_total")
            let passed = requests.filter { $0.key.contains("decision=\"passed\"") }
            #expect(passed.values.reduce(0, +) == 6)
            #expect(Set(passed.keys.map { $0.contains("rule=\"shop\"") }) == [true, false])
            #expect(passed.keys.contains { $0.contains("rule=\"orders\"") })
            #expect(passed.keys.contains { $0.contains("rule=\"unidentified\"") })
            let line = try scene.gate.logLine("the passed request") {
                $0.text.contains("\"passed\"")
            }
            #expect(
                line.text.contains("\"decision\":\"passed\",\"rule\":\"shop\",\"pass\":\"\(id)\"")
            )
            #expect(!scene.gate.logText.contains(value))
        }
    }

    /// A request with a pass that must not apply.
    private struct Attack {
        let name: String
        let request: String
        let outcome: String?
    }

    @Test func `an attack is denied and counted under its reason`() async throws {
        try await Stage().play { scene in
            let seal = try PassSeal(secrets: Self.secret)
            let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
            func pass(
                issued: Int64 = 0,
                until: Int64 = 3600,
                app: String? = nil,
                build: BuildNumber? = nil,
                device: String? = nil,
                by seal: PassSeal = seal
            ) -> String {
                let id = Pass.ID.random()
                let pass = Pass(
                    id: id,
                    issued: now.advanced(by: issued),
                    until: now.advanced(by: until),
                    app: app,
                    build: build,
                    deviceDigest: device.map { seal.digest(ofDevice: $0, for: id) }
                )
                return "\(Self.field): \(seal.field(for: pass))"
            }
            let good = pass()
            let value = String(good.dropFirst(Self.field.count + 2))
            let parts = value.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init
            )
            func changed(_ index: Int, _ text: String) -> String {
                var parts = parts
                parts[index] = text
                return "\(Self.field): \(parts.joined(separator: "."))"
            }
            let later = String(now.secondsSinceEpoch + 7200)
            let preview = try ToolProcess.versiongate(
                ["preview", "--secret-file", scene.folder.path(of: "secret")]
            )
            let other = try PassSeal(secrets: "another secret of testers")
            let shown = String(preview.output.dropLast()).replacing("Preview", with: "Pass")
            let revoked = pass()
            let revokedID = revoked.dropFirst(Self.field.count + 2).prefix(16)
            try scene.reload(Self.rules + "revokedPasses: [\(revokedID)]\n")
            let once = try Self.once(scene)
            #expect(try scene.ask(Self.request(once)).status == 200)
            let device = pass(device: "8C5B7A1E")
            let app = pass(app: "com.example.shop")
            let build = pass(build: 93)
            let attacks = [
                Attack(
                    name: "other ID",
                    request: Self.request(changed(0, "a" + parts[0].dropFirst(2) + "0")),
                    outcome: "invalid"
                ),
                Attack(
                    name: "other start",
                    request: Self.request(changed(1, "1700000000")),
                    outcome: "invalid"
                ),
                Attack(
                    name: "other end",
                    request: Self.request(changed(2, later)),
                    outcome: "invalid"
                ),
                Attack(
                    name: "other claims",
                    request: Self.request(changed(3, "b25jZQ")),
                    outcome: "invalid"
                ),
                Attack(
                    name: "other MAC",
                    request: Self.request(changed(4, String(parts[4].reversed()))),
                    outcome: "invalid"
                ),
                Attack(
                    name: "cut",
                    request: Self.request(String(good.dropLast())),
                    outcome: "invalid"
                ),
                Attack(name: "lengthened", request: Self.request(good + "A"), outcome: "invalid"),
                Attack(
                    name: "other secret",
                    request: Self.request(pass(by: other)),
                    outcome: "invalid"
                ),
                Attack(name: "a preview", request: Self.request(shown), outcome: "invalid"),
                Attack(
                    name: "leading zero",
                    request: Self.request(changed(1, "0" + parts[1])),
                    outcome: "invalid"
                ),
                Attack(name: "padding", request: Self.request(good + "="), outcome: "invalid"),
                Attack(name: "empty", request: Self.request("\(Self.field):"), outcome: "invalid"),
                Attack(
                    name: "expired",
                    request: Self.request(pass(issued: -60, until: -1)),
                    outcome: "expired"
                ),
                Attack(
                    name: "issued in the future",
                    request: Self.request(pass(issued: 600)),
                    outcome: "not_yet_valid"
                ),
                Attack(
                    name: "other device",
                    request: Self.request(device, "X-Device-Id: 8C5B7A1F"),
                    outcome: "other_client"
                ),
                Attack(name: "no device", request: Self.request(device), outcome: "other_client"),
                Attack(
                    name: "two devices",
                    request: Self.request(device, "X-Device-Id: 8C5B7A1E, 1"),
                    outcome: "other_client"
                ),
                Attack(
                    name: "other app",
                    request: Self.request(pass(app: "com.example.other")),
                    outcome: "other_client"
                ),
                Attack(
                    name: "two apps",
                    request: Self.request(app, "X-App-Id: com.example.other"),
                    outcome: "other_client"
                ),
                Attack(
                    name: "other build",
                    request: Self.request(build, "X-App-Build: 94"),
                    outcome: "other_client"
                ),
                Attack(
                    name: "unparsable build",
                    request: Self.request(build, "X-App-Build: 93x"),
                    outcome: "other_client"
                ),
                Attack(name: "two lines", request: Self.request(good, good), outcome: "repeated"),
                Attack(
                    name: "two values",
                    request: Self.request("\(good), \(value)"),
                    outcome: "repeated"
                ),
                Attack(name: "revoked", request: Self.request(revoked), outcome: "revoked"),
                Attack(name: "used", request: Self.request(once), outcome: "used"),
                Attack(
                    name: "in the query",
                    request: Self.request(target: "/v2?\(Self.field)=\(value)"),
                    outcome: nil
                ),
                Attack(
                    name: "another name",
                    request: Self.request("X_VersionGate_Pass: \(value)"),
                    outcome: nil
                ),
                Attack(
                    name: "a pass as a preview",
                    request: Self.request("X-VersionGate-Preview: \(value)"),
                    outcome: nil
                ),
            ]
            var expected = try Self.outcomes(scene)
            for attack in attacks {
                let response = try scene.ask(attack.request)
                #expect(response.status == 426, "\(attack.name)")
                if let outcome = attack.outcome { expected[outcome, default: 0] += 1 }
                #expect(try Self.outcomes(scene) == expected, "\(attack.name)")
            }
            #expect(Set(expected.keys) == Set(["passed"] + Pass.Refusal.allCases.map(\.rawValue)))
            // The passes apply to the clients that they are for.
            for request in [
                Self.request(good), Self.request(device, "X-Device-Id: 8C5B7A1E"),
                Self.request(app),
                Self.request(build, "X-App-Build: 93.0"),
            ] { #expect(try scene.ask(request).status == 200, "\(request)") }
            #expect(
                scene.backend.record.requests.allSatisfy { $0.fields["x-versiongate-pass"].isEmpty }
            )
        }
    }

    @Test func `a replay of a single-use pass is refused after a restart`() async throws {
        let stage = try Stage()
        try await stage.play { scene in
            let used = try Self.once(scene)
            let unused = try Self.signed(scene, "--for", "1h", "--once").field
            #expect(try scene.ask(Self.request(used)).status == 200)
            let next = try scene.restarted(flags: stage.flags)
            defer { next.gate.end() }
            #expect(try next.ask(Self.request(used)).status == 426)
            #expect(try next.ask(Self.request(unused)).status == 200)
            #expect(try next.ask(Self.request(unused)).status == 426)
            #expect(try Self.outcomes(next) == ["passed": 1, "used": 2])
        }
    }

    @Test func `without a state folder, a single-use pass from before the start is refused`()
        async throws
    {
        let stage = try Stage(isKept: false)
        try await stage.play { scene in
            let used = try Self.once(scene)
            #expect(try scene.ask(Self.request(used)).status == 200)
            let unused = try Self.signed(scene, "--for", "1h", "--once").field
            let other = try Self.signed(scene, "--for", "1h").field
            let next = try scene.restarted(flags: stage.flags)
            defer { next.gate.end() }
            for pass in [used, unused] { #expect(try next.ask(Self.request(pass)).status == 426) }
            #expect(try next.ask(Self.request(other)).status == 200)
            #expect(try Self.outcomes(next) == ["passed": 1, "used": 2])
        }
    }

    @Test func `without a secret there are no passes, and the field is removed`() async throws {
        try await Stage(secret: false).play { scene in
            let field = try Self.signed(scene, "--for", "1h").field
            #expect(try scene.ask(Self.request(field)).status == 426)
            let status = try scene.ask(Self.request(field, target: "/.versiongate/status"))
            #expect(status.text.contains("\"decision\":\"require\""))
            #expect(try scene.ask(Self.request(field, version: "3.5.0")).status == 200)
            #expect(try Self.outcomes(scene) == [:])
            let record = try #require(scene.backend.record.requests.last)
            #expect(record.fields["x-versiongate-pass"].isEmpty)
        }
    }

    private static func openWebSocket(_ scene: Scene, _ field: String) throws -> RawClient {
        let client = try scene.connect()
        let upgrade =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        try client.send(Self.request(field, upgrade, target: "/chat"))
        #expect(try client.head()?.status == 101)
        return client
    }

    private static func expectClosed(_ client: RawClient) throws {
        // FIN and close, 18 bytes: code 1008 and the reason.
        #expect(try client.bytes(4) == [0x88, 18, 0x03, 0xF0])
        #expect(try client.bytes(16) == Array("upgrade required".utf8))
        #expect(try client.rest().bytes == [])
    }

    @Test(arguments: [false, true])
    func `a WebSocket and an event stream end when their pass expires`(
        _ isSingleUse: Bool
    ) async throws {
        try await Stage().play(backend: { _ in [.send(Self.switching), .mirror] }) { scene in
            let field =
                isSingleUse
                ? try Self.once(scene, lifetime: "5s") : try Self.signed(scene, "--for", "5s").field
            let client = try Self.openWebSocket(scene, field)
            let listener = try scene.connect()
            let lasting = try Self.signed(scene, "--for", "5s").field
            try listener.send(Self.request(lasting, target: "/.versiongate/events"))
            // A reload does not end it.
            try scene.reload(Self.rules.replacing("3.5.0", with: "3.6.0"))
            try client.send([0x81, 2, 0x68, 0x69])
            #expect(try client.bytes(4) == [0x81, 2, 0x68, 0x69])
            try Self.expectClosed(client)
            for decision in ["allow", "require"] {
                var heard = ""
                while !heard.hasSuffix("\"decision\":\"\(decision)\"") {
                    heard += String(decoding: try listener.bytes(1), as: UTF8.self)
                }
            }
        }
    }

    @Test func `a reload revokes a pass, and an undo restores it`() async throws {
        try await Stage().play(backend: { request in
            request.target == "/chat" ? [.send(Self.switching), .mirror] : [.echo]
        }) { scene in
            let (field, id) = try Self.signed(scene, "--for", "1h")
            let client = try Self.openWebSocket(scene, field)
            #expect(try scene.ask(Self.request(field)).status == 200)
            try scene.reload(Self.rules + "revokedPasses:\n  - \(id)\n")
            try Self.expectClosed(client)
            #expect(try scene.ask(Self.request(field)).status == 426)
            let port = try #require(scene.gate.adminPort)
            let undo = try ToolProcess.versiongate(["undo", "--admin", "\(port)"])
            #expect(undo.status == 0, "\(undo.errors)")
            #expect(try scene.ask(Self.request(field)).status == 200)
            #expect(try Self.outcomes(scene) == ["passed": 3, "revoked": 1])
        }
    }

    @Test func `gateways get the decision of the pass over HTTP`() async throws {
        try await Stage(more: [.decideListen()]).play { scene in
            let field = try Self.once(scene)
            let port = try #require(scene.gate.decidePort)
            func ask(_ path: String) throws -> RawResponse {
                let client = try RawClient(port: port)
                let described =
                    "X-Original-Method: GET\r\nX-Original-Uri: /v2\r\n"
                    + "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /v2"
                try client.send(Self.request(field, described, target: path))
                return try client.response(toHead: false)
            }
            let allowed = try ask("/decide/nginx")
            #expect(allowed.status == 200)
            #expect(allowed.fields["X-VersionGate-Decision"] == ["passed"])
            #expect(try ask("/decide/nginx").status == 403)
            #expect(try ask("/decide/denial").status == 426)
            #expect(try Self.outcomes(scene) == ["passed": 1, "used": 1])
        }
    }

    @Test(.enabled(if: GRPCPython.isInstalled, "grpcio is not installed"))
    func `Envoy gets the decision of the pass over gRPC`() async throws {
        try await Stage(more: [.decideListen()]).play { scene in
            let (field, _) = try Self.signed(scene, "--for", "1h")
            let value = String(field.dropFirst(Self.field.count + 2))
            let port = try #require(scene.gate.decidePort)
            let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "Programs/envoy-pass.py").path
            let result = try GRPCPython.run(program, "\(port)", value)
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output == """
                    none: denied 426 require
                    pass: allowed passed, removes the field
                    raw: allowed passed, removes the field
                    raw twice: denied 426 require
                    joined: denied 426 require

                    """
            )
            #expect(try Self.outcomes(scene) == ["passed": 2, "repeated": 2])
        }
    }

    @Test func `the pass command names invalid arguments`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace("short", to: "short")
        try folder.writeInPlace(Self.secret, to: "secret")
        let secret = ["--for", "1h", "--secret-file", folder.path(of: "secret")]
        for (arguments, message) in [
            ([], "--for"), (["--for", "1h"], "--secret-file is required"),
            (["--for", "1h", "--secret-file", folder.path(of: "nowhere")], "cannot be read"),
            (
                ["--for", "1h", "--secret-file", folder.path(of: "short")],
                "expected lines of at least 16 characters"
            ),
            (["--for", "31d"] + secret.dropFirst(2), "from 1s to 30d"),
            (["--for", "0s"] + secret.dropFirst(2), "from 1s to 30d"),
            (secret + ["--build", "93x"], "--build '93x'"),
            (secret + ["--device", ""], "--device ''"),
            (secret + ["--app", "a,b"], "--app 'a,b'"),
        ] as [([String], String)] {
            let result = try ToolProcess.versiongate(["pass"] + arguments)
            #expect(result.status != 0)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }
}
