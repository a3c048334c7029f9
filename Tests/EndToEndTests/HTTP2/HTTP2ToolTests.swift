import Foundation
import GateTestSupport
import Testing

/// Real HTTP/2 clients.
///
/// Each test is skipped if its client is missing.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2ToolTests {
    @Test(.needs("curl"))
    func `curl uploads and downloads with prior knowledge`() async throws {
        try await Scene.play(backend: { _ in [.digest] }) { scene in
            try scene.folder.writeInPlace(String(repeating: "y", count: 5_000_000), to: "big")
            let result = try ToolProcess.run(
                "curl",
                [
                    "--silent", "--show-error", "--http2-prior-knowledge", "--data-binary",
                    "@\(scene.folder.path(of: "big"))", "--write-out", " %{http_version}",
                    scene.url("/"),
                ]
            )
            #expect(result.output.contains("5000000"), "\(result.errors)")
            #expect(result.output.hasSuffix(" 2"))
        }
    }

    @Test(.needs("h2load"))
    func `h2load gets a response to every request`() async throws {
        let body = String(repeating: "z", count: 20_000)
        try await Scene.play(backend: { _ in [.answer(body: body)] }) { scene in
            let result = try ToolProcess.run(
                "h2load",
                ["-n", "2000", "-c", "4", "-m", "20", scene.url("/")]
            )
            #expect(result.output.contains("2000 succeeded, 0 failed"), "\(result.output)")
        }
    }

    @Test(.needs("chromium", "python3", "openssl"))
    func `Chromium opens a WebSocket over HTTP/2`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let pair = try TestAuthority(in: folder).issue("server")
        let port = try FreePort.find()
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Programs/web_socket.py").standardizedFileURL.path
        try await Scene.play(
            in: folder,
            flags: [.tls(certificates: [pair.certificate], keys: [pair.key]), .accessLog],
            backends: [try ScriptedBackend { _ in [.close] }],
            upstream: "http://127.0.0.1:\(port)"
        ) { scene in
            let address = "https://localhost:\(scene.gate.port)/"
            let result = try ToolProcess.run(
                "python3",
                ["-B", program, "\(port)", address],
                within: .seconds(120) * GateExecutable.slowdown
            )
            // Two echoed messages and a clean close.
            #expect(result.output == "h2\necho 2 1000 true\n", "\(result.errors)")
            let line = try scene.gate.logLine("/chat") { $0.text.contains("/chat") }.text
            #expect(line.contains("\"protocol\":\"HTTP/2.0\""), "\(line)")
            #expect(line.contains("\"status\":101"), "\(line)")
        }
    }

    @Test(.enabled(if: GRPCPython.isInstalled, "grpcio is not installed"))
    func `grpcio reads the denial of every kind of call as a gRPC error`() async throws {
        let script = """
            import grpc, sys
            channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
            identity = (("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                        ("x-app-version", "3.4.9"))
            raw = dict(request_serializer=lambda b: b, response_deserializer=lambda b: b)
            def tell(call):
                try:
                    call()
                except grpc.RpcError as error:
                    trailers = dict(error.trailing_metadata())
                    print(error.code().name, error.details(),
                          b"google.rpc.ErrorInfo" in trailers["grpc-status-details-bin"])
            many = lambda: iter([b"a" * 100000] * 20)
            for _ in range(2):
                tell(lambda: channel.unary_unary("/s.S/A", **raw)(b"x", metadata=identity))
                tell(lambda: list(channel.unary_stream("/s.S/B", **raw)(b"x", metadata=identity)))
                tell(lambda: channel.stream_unary("/s.S/C", **raw)(many(), metadata=identity))
                tell(lambda: list(channel.stream_stream("/s.S/D", **raw)(many(),
                                                                         metadata=identity)))
            """
        try await Scene.play { scene in
            let result = try GRPCPython.run("-c", script, "\(scene.gate.port)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 8, "\(result.errors)")
            for line in lines {
                #expect(line.hasPrefix("FAILED_PRECONDITION Version 3.4.9"))
                #expect(line.hasSuffix("True"))
            }
            let record = try scene.finalRecord()
            #expect(record.received.isEmpty)
        }
    }
}
