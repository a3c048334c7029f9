import Foundation
import GateTestSupport
import Glibc
import Testing

/// Routes to named backends, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct RouteTests {
    /// The rules: versions below `boundary` go to the backend `legacy`, those below 2.0 are denied.
    private static func rules(
        below boundary: String = "4.0.0",
        otherwise: String = "refuse",
        to backend: String = "legacy"
    ) -> String {
        """
        rules:
        - id: old-api
          match: { platform: ios }
          route: { to: \(backend), versions: "<\(boundary)", otherwise: \(otherwise) }
        - id: floor
          match: { platform: ios }
          minimum: "2.0.0"
          storeUrl: https://apps.apple.com/app/id1234567890
        """
    }

    /// A backend that sends its name.
    private static func backend(_ name: String, port: UInt16 = 0) throws -> ScriptedBackend {
        try ScriptedBackend(port: port) { request in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(name.utf8.count)\r\n\r\n"
            return [.readBody, .send(Array((head + name).utf8))]
        }
    }

    /// A gate with a default backend and one named `legacy`.
    private struct Stage {
        let scene: Scene
        let legacy: ScriptedBackend

        /// Returns the name of the backend that serves a client, or the status of the gate's response.
        func backend(of version: String, _ method: String = "GET", body: String? = nil) throws
            -> String
        {
            let fields = Request.identity(version: version)
            let response = try self.scene.ask(Request.text(method, fields: fields, body: body))
            return response.status == 200 ? response.text : "\(response.status)"
        }
    }

    private func play(
        rules: String = Self.rules(),
        flags: [GateFlag] = [],
        legacy: ScriptedBackend? = nil,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(rules, to: "rules.yaml")
        let current = try Self.backend("current")
        let legacy = try legacy ?? Self.backend("legacy")
        let named = GateFlag.upstreamNamed("legacy=http://127.0.0.1:\(legacy.port)")
        try await Scene.play(in: folder, flags: flags + [named], backends: [current]) { scene in
            try await body(Stage(scene: scene, legacy: legacy))
        }
    }

    @Test
    func `each version gets its backend, and a denied one gets none`() async throws {
        try await self.play(flags: [.accessLog, .adminListen()]) { stage in
            #expect(try stage.backend(of: "3.9.9") == "legacy")
            #expect(try stage.backend(of: "4.0.0") == "current")
            #expect(try stage.backend(of: "1.9") == "426")
            #expect(try stage.backend(of: "3.0", "POST", body: "x") == "legacy")
            let line = try stage.scene.gate.logLine("the route") { $0.text.contains("3.9.9") }
            #expect(line.text.contains("old-api:legacy"))
            let metrics = try stage.scene.metrics()
            let sample =
                "versiongate_routed_requests_total{rule=\"old-api\",backend=\"legacy\",mode=\"enforce\"}"
            #expect(metrics[sample] == 2)
            #expect(metrics["versiongate_route_fallbacks_total"] == 0)
        }
    }

    @Test
    func `the backend gets its name, and never a name from a client`() async throws {
        try await self.play { stage in
            let forged = "X-VersionGate-Route: forged\r\n"
            for version in ["3.0", "4.0"] {
                let fields = Request.identity(version: version) + forged
                let response = try stage.scene.ask(Request.text(fields: fields))
                #expect(response.status == 200)
            }
            let name = "X-VersionGate-Route"
            #expect(stage.legacy.record.requests.map { $0.fields[name] } == [["legacy"]])
            #expect(stage.scene.backend.record.requests.map { $0.fields[name] } == [[]])
        }
    }

    @Test
    func `an upload of 8 MB and HTTP/2 streams take the route`() async throws {
        try await self.play { stage in
            let body = String(repeating: "x", count: 8 << 20)
            #expect(try stage.backend(of: "3.0", "POST", body: body) == "legacy")
            let client = try stage.scene.connectHTTP2()
            for (stream, version, backend) in [(UInt32(1), "3.0", "legacy"), (3, "4.0", "current")]
            {
                let fields = [("x-app-platform", "ios"), ("x-app-version", version)]
                try client.request(stream, "GET", "/", fields)
                let response = try client.response(stream)
                #expect(String(decoding: response.body, as: UTF8.self) == backend)
            }
        }
    }

    @Test
    func `a backend that is down: refuse`() async throws {
        try await self.play { stage in
            #expect(try stage.backend(of: "3.0") == "legacy")
            stage.legacy.stopListening()
            try stage.legacy.endConnections()
            for _ in 0..<5 { #expect(try stage.backend(of: "3.0") == "502") }
            #expect(try stage.backend(of: "4.0") == "current")
            let back = try Self.backend("legacy again", port: stage.legacy.port)
            try stage.scene.gate.logLine("the exclusion") {
                $0.message == "a backend address is temporarily excluded"
            }
            #expect(try stage.backend(of: "3.0") == "legacy again")
            withExtendedLifetime(back) {}
        }
    }

    @Test
    func `a backend that is down: default`() async throws {
        let flags: [GateFlag] = [.adminListen(), .threads(1)]
        try await self.play(rules: Self.rules(otherwise: "default"), flags: flags) { stage in
            #expect(try stage.backend(of: "3.0") == "legacy")
            stage.legacy.stopListening()
            try stage.legacy.endConnections()
            for method in ["GET", "POST"] {
                for _ in 0..<5 {
                    #expect(try stage.backend(of: "3.0", method, body: "x") == "current")
                }
            }
            #expect(try stage.scene.metrics()["versiongate_route_fallbacks_total"] == 10)
            #expect(try stage.backend(of: "1.0") == "426")
            let back = try Self.backend("legacy again", port: stage.legacy.port)
            let deadline = Deadline.usual
            while back.record.exchanges.isEmpty, !deadline.hasPassed {
                _ = try stage.backend(of: "3.0")
            }
            #expect(try stage.backend(of: "3.0") == "legacy again")
            withExtendedLifetime(back) {}
        }
    }

    @Test
    func `a split that moves under load: no request at the wrong backend`() async throws {
        let count = Int(ProcessInfo.processInfo.environment["VERSIONGATE_SPLIT_REQUESTS"] ?? "")
        let burst = (count ?? 6_000) / 20 / 3
        try await self.play { stage in
            let hasEnded = Latch()
            // The versions that no boundary of this test separates.
            let steady = [("3.0", "legacy"), ("6.0", "current")].map { version, backend in
                Task(executorPreference: BlockingExecutor.shared) {
                    var wrong: [String] = []
                    let client = try stage.scene.connect()
                    let request = Request.text(fields: Request.identity(version: version))
                    while !hasEnded.isOpen {
                        try client.send(request)
                        let text = try client.response().text
                        if text != backend { wrong.append(text) }
                    }
                    return wrong
                }
            }
            defer { hasEnded.open() }
            var wrong = 0
            let client = try stage.scene.connect()
            for round in 0..<20 {
                let boundary = round.isMultiple(of: 2) ? "5.0.0" : "4.0.0"
                try stage.scene.reload(Self.rules(below: boundary))
                for _ in 0..<burst {
                    let moved = boundary == "5.0.0" ? "legacy" : "current"
                    for (version, backend) in [("3.0", "legacy"), ("4.5", moved), ("6", "current")]
                    {
                        let fields = Request.identity(version: version)
                        try client.send(Request.text(fields: fields))
                        if try client.response().text != backend { wrong += 1 }
                    }
                }
            }
            hasEnded.open()
            #expect(wrong == 0)
            for task in steady {
                let wrong = try await task.value
                #expect(wrong == [])
            }
        }
    }

    @Test
    func `a WebSocket is closed when its client moves to another backend`() async throws {
        let legacy = try ScriptedBackend { [WebSocketScript.switching($0), .mirror] }
        try await self.play(legacy: legacy) { stage in
            let client = try stage.scene.connect()
            let upgrade =
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            let fields = Request.identity(version: "3.6.0") + upgrade
            try client.send(Request.text("GET", "/chat", fields: fields))
            #expect(try client.head()?.status == 101)
            // The client keeps its backend, so that the WebSocket stays open.
            try stage.scene.reload(Self.rules(below: "3.9.0"))
            try client.send([0x81, 2, 0x68, 0x69])
            #expect(try client.bytes(4) == [0x81, 2, 0x68, 0x69])
            try stage.scene.reload(Self.rules(below: "3.5.0"))
            let reason = Array("moved to another backend".utf8)
            #expect(try client.bytes(4) == [0x88, UInt8(2 + reason.count), 0x03, 0xF4])
            #expect(try client.bytes(reason.count) == reason)
        }
    }

    @Test
    func `rules with an unknown backend are rejected, and the last good ones stay`() async throws {
        try await self.play { stage in
            try stage.scene.folder.replace("rules.yaml", with: Self.rules(to: "legcy"))
            stage.scene.gate.send(signal: SIGHUP)
            let line = try stage.scene.gate.logLine("the finding") {
                $0.text.contains("unknown-backend")
            }
            #expect(line.text.contains("did you mean 'legacy'?"))
            #expect(try stage.backend(of: "3.0") == "legacy")
        }
    }

    @Test
    func `a canary has the same devices on two gates and after a restart`() async throws {
        let rules = """
            rules:
            - id: canary
              rollout: 5
              route: { to: legacy, otherwise: default }
            """
        func devices(_ stage: Stage) throws -> [Int] {
            let client = try stage.scene.connect()
            return try (0..<1000).filter { number in
                let fields = Request.identity(version: "4.0") + "X-Device-Id: device-\(number)\r\n"
                try client.send(Request.text(fields: fields))
                return try client.response().text == "legacy"
            }
        }
        var seen: [[Int]] = []
        for _ in 0..<2 {
            try await self.play(rules: rules) { stage in seen.append(try devices(stage)) }
        }
        #expect((30...70).contains(seen[0].count))
        #expect(seen[0] == seen[1])
    }

    @Test(
        arguments: [
            ("legacy=http://a:1,http://b:2,canary=https://c", nil),
            ("http://a:1", "write NAME=http://a:1"),
            ("default=http://a:1", "this name is reserved for the default backend"),
            ("old one=http://a:1", "'old one' is not a valid backend name"),
            ("a=http://a:1,a=http://b:1", "occurs twice"), ("a=a:1", "write http://a:1"),
            ("a=http://a:1/v1", "write http://a:1"),
        ] as [(String, String?)]
    )
    func `the setting`(text: String, hint: String?) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace("rules: []", to: "rules.yaml")
        func start() throws -> GateProcess {
            try GateProcess(
                upstreamPort: 9,
                rules: folder.file("rules.yaml"),
                flags: [.upstreamNamed(text)]
            )
        }
        guard let hint else {
            let gate = try start()
            #expect(gate.end() == .status(0))
            return
        }
        let error = #expect(throws: HarnessError.self) { try start() }
        #expect(error?.description.contains("--upstream-named '\(text)'") == true)
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }
}
