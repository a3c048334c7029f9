import Foundation
import GateTestSupport
import Testing

/// nginx as a backend over HTTP/2.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("nginx", "h2load", "curl")
)
struct NginxBackendTests {
    /// Runs a gate with nginx, which closes a connection after this number of requests.
    private func play(
        requests: Int,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let port = try FreePort.find()
        let nginx = try PeerProcess.nginx(
            in: folder,
            port: port,
            http: """
                keepalive_requests \(requests);
                server {
                    listen 127.0.0.1:\(port) http2; root \(folder.path(of: "files"));
                    location = /short { return 200 "short\\n"; }
                }
                """
        )
        defer { nginx.stop() }
        try await Scene.play(
            in: folder,
            flags: [.threads(1)],
            backends: [ScriptedBackend { _ in [.echo] }],
            upstream: "h2c://127.0.0.1:\(port)"
        ) { try await body($0) }
    }

    @Test
    func `large files arrive complete over HTTP/1.1 and HTTP/2`() async throws {
        try await self.play(requests: 1000) { scene in
            let files = scene.folder.path(of: "files")
            try FileManager.default.createDirectory(
                atPath: files,
                withIntermediateDirectories: true
            )
            let content = Data(BodyPattern.bytes(0..<3_000_000))
            try content.write(to: URL(fileURLWithPath: files + "/large"))
            for version in ["--http1.1", "--http2-prior-knowledge"] {
                let copy = scene.folder.path(of: "copy")
                let result = try ToolProcess.run(
                    "curl",
                    ["--silent", "--show-error", version, "--output", copy, scene.url("/large")]
                )
                #expect(result.status == 0, "\(result.errors)")
                #expect(FileManager.default.contents(atPath: copy) == content)
            }
            let missing = try scene.ask(Request.text("GET", "/missing"))
            #expect(missing.status == 404)
            let client = try scene.connect()
            try client.send(Request.text("HEAD", "/large"))
            let head = try client.response(toHead: true)
            #expect(head.fields["content-length"] == ["3000000"])
        }
    }

    @Test(arguments: ["--h1", "--no-tls-proto=h2c"])
    func `no request is lost when nginx closes its connections`(_ version: String) async throws {
        try await self.play(requests: 500) { scene in
            let result = try ToolProcess.run(
                "h2load",
                [version, "-n", "3000", "-c", "10", "-m", "10", scene.url("/short")]
            )
            #expect(result.output.contains("3000 2xx"), "\(result.output)")
        }
    }
}
