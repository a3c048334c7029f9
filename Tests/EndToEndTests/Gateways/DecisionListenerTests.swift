import Foundation
import GateTestSupport
import Glibc
import Testing

/// The decision listener of the executable, alone and beside a proxy.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct DecisionListenerTests {
    /// Returns a question about a GET by a client with this identity.
    private static func question(_ identity: String, path: String = "/decide") -> String {
        Request.text(
            "GET",
            path,
            fields: "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /orders\r\n\(identity)"
        )
    }

    private static func ask(_ port: UInt16, _ request: String) throws -> RawResponse {
        let client = try RawClient(port: port)
        try client.send(request)
        return try client.response(toHead: false)
    }

    @Test func `one process is a proxy and answers gateways with the same rules`() async throws {
        try await Scene.play(flags: [.decideListen(), .adminListen()]) { scene in
            let port = try #require(scene.gate.decidePort)
            for (identity, status) in [(Request.outdated, 426), (Request.current, 200)] {
                #expect(try scene.ask(Request.text(fields: identity)).status == status)
                #expect(try Self.ask(port, Self.question(identity)).status == status)
            }
            try scene.reload("rules: []")
            #expect(try Self.ask(port, Self.question(Request.outdated)).status == 200)
            let sample = "versiongate_gateway_decisions_total{gateway=\"forward-auth\"}"
            #expect(try scene.metrics()[sample] == 3)
        }
    }

    @Test func `a gate without a backend only decides`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let gate = try GateProcess(
            upstream: nil,
            rules: folder.file("rules.yaml"),
            flags: [.decideListen(), .drainTimeout(seconds: 1)]
        )
        defer { gate.end() }
        #expect(gate.decidePort == gate.port)
        #expect(try Self.ask(gate.port, Self.question(Request.outdated)).status == 426)
        #expect(try Self.ask(gate.port, Self.question(Request.current)).status == 200)
        #expect(try Self.ask(gate.port, Request.text("GET", "/orders")).status == 404)
        let status = Request.text("GET", "/.versiongate/status", fields: Request.outdated)
        #expect(try Self.ask(gate.port, status).status == 200)
        let asked = "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /.versiongate/status\r\n"
        let question = Request.text("GET", "/decide", fields: asked + Request.outdated)
        #expect(try Self.ask(gate.port, question).status == 200)
        #expect(try Self.ask(gate.port, Request.text("GET", "/decide/ready")).status == 200)
        #expect(gate.end() == .status(0))
    }

    @Test func `during the drain delay, health checks fail and decisions continue`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let gate = try GateProcess(
            upstream: nil,
            rules: folder.file("rules.yaml"),
            flags: [.decideListen(), .drainDelay(seconds: 3), .drainTimeout(seconds: 1)]
        )
        defer { gate.end() }
        gate.send(signal: SIGTERM)
        _ = try gate.logLine("no longer ready") { $0.message == "no longer ready" }
        try Deadline.usual.poll("the health check to fail") {
            try Self.ask(gate.port, Request.text("GET", "/decide/ready")).status == 503 ? true : nil
        }
        #expect(try Self.ask(gate.port, Self.question(Request.outdated)).status == 426)
    }

    @Test(
        arguments: [
            (
                ["--listen", "127.0.0.1:0", "--decide-listen", "127.0.0.1:0"],
                "--listen is given, but there is no --upstream"
            ),
            (
                ["--tls-listen", "127.0.0.1:0", "--decide-listen", "127.0.0.1:0"],
                "--tls-listen is given, but there is no --upstream"
            ), ([], "--upstream"),
            (
                [
                    "--listen", "127.0.0.1:18080", "--decide-listen", "127.0.0.1:18080",
                    "--upstream", "http://127.0.0.1:1",
                ], "use another port"
            ), (["--decide-listen", "nowhere"], "--decide-listen 'nowhere'"),
        ]
    )
    func `settings that contradict each other are errors`(flags: [String], error: String) throws {
        let result = try ToolProcess.versiongate(["serve", "--rules", "/dev/null"] + flags)
        #expect(result.status != 0)
        #expect(result.errors.contains(error), "\(result.errors)")
    }

    @Test(.enabled(if: GRPCPython.isInstalled, "grpcio is not installed"))
    func `Envoy's messages are those of the reference, with the decisions of the proxy`()
        async throws
    {
        try await Scene.play(flags: [.decideListen()]) { scene in
            let port = try #require(scene.gate.decidePort)
            let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Programs/envoy-check.py").path
            let result = try GRPCPython.run(program, "\(port)", "\(scene.gate.port)", "1000")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("1000 equal, "), "\(result.output)")
            let end = ", health 0801, errors INVALID_ARGUMENT RESOURCE_EXHAUSTED UNIMPLEMENTED\n"
            #expect(result.output.hasSuffix(end), "\(result.output)")
        }
    }
}
