import Foundation
import GateTestSupport
import Glibc
import Testing

/// Calls from a real gRPC client to a real gRPC server, through the gate.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: GRPCPython.isInstalled, "grpcio is not installed")
)
struct GRPCTests {
    private static func program(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Programs/\(name)").path
    }

    /// Runs a gate with a gRPC server as its backend.
    private func play(
        rules: String = RulesText.shop,
        flags: [GateFlag] = [.threads(1)],
        asNamed name: String? = nil,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(rules, to: "rules.yaml")
        let server = try GRPCPython.start(Self.program("grpc-server.py"))
        defer { server.end() }
        let port = try server.firstLine()
        let url = "h2c://127.0.0.1:\(port)"
        try await Scene.play(
            in: folder,
            flags: flags + (name.map { [.upstreamNamed("\($0)=\(url)")] } ?? []),
            backends: [ScriptedBackend { _ in [.echo] }],
            upstream: name == nil ? url : nil
        ) { try await body($0) }
    }

    @Test
    func `calls of every kind work as without the gate`() async throws {
        try await self.play { scene in
            let result = try GRPCPython.run(Self.program("grpc-client.py"), "\(scene.gate.port)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 16, "\(result.errors)")
            for line in lines { #expect(line.hasPrefix("ok ")) }
        }
    }

    @Test
    func `calls of every kind take a route to another backend`() async throws {
        let rules = """
            rules:
            - { id: r, route: { to: calls, otherwise: refuse } }
            - { id: floor, minimum: "3.5.0", storeUrl: https://apps.apple.com/app/id1234567890 }
            """
        try await self.play(rules: rules, asNamed: "calls") { scene in
            let result = try GRPCPython.run(Self.program("grpc-client.py"), "\(scene.gate.port)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count { $0.hasPrefix("ok ") } == 16, "\(result.output)\(result.errors)")
            #expect(scene.backend.record.exchanges.isEmpty)
        }
    }

    @Test
    func `a call may be idle for longer than the response timeout`() async throws {
        let flags: [GateFlag] = [
            .threads(1), .responseTimeout(seconds: 1), .bodyTimeout(seconds: 1),
        ]
        try await self.play(flags: flags) { scene in
            let script = """
                import grpc, sys
                channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
                raw = dict(request_serializer=lambda b: b, response_deserializer=lambda b: b)
                print(channel.unary_unary("/test.Service/Sleep", **raw)(b"3").decode())
                """
            let result = try GRPCPython.run("-c", script, "\(scene.gate.port)")
            #expect(result.output == "slept\n", "\(result.errors)")
        }
    }

    @Test
    func `open calls end with a status when they are denied, and others continue`() async throws {
        try await self.play { scene in
            let client = try GRPCPython.start(
                Self.program("grpc-revocation.py"),
                "\(scene.gate.port)"
            )
            defer { client.end() }
            let first = try client.firstLine()
            #expect(first == "ready")
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "4.0.0"))
            scene.gate.send(signal: SIGHUP)
            let text = try client.waitForEnd(by: .after(.seconds(30)))
            let expected = """
                ready
                chatty FAILED_PRECONDITION True
                quiet FAILED_PRECONDITION True
                talk FAILED_PRECONDITION True
                collect FAILED_PRECONDITION True
                slow slept
                new goes on

                """
            #expect(text == expected)
        }
    }
}
