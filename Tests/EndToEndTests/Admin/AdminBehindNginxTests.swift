import Foundation
import GateTestSupport
import Testing

/// The admin listener behind an nginx on the same machine, with the configuration of the guide.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("nginx"))
struct AdminBehindNginxTests {
    private static let token = "Authorization: Bearer 0123456789abcdef\r\n"

    /// Returns the admin listener's block from docs/guides/behind-nginx-or-a-cdn.md.
    private static func block(gate: UInt16, port: UInt16) throws -> String {
        let guide = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/guides/behind-nginx-or-a-cdn.md").standardizedFileURL
        let text = try String(contentsOf: guide, encoding: .utf8)
        let blocks = text.components(separatedBy: "```nginx\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let block = try #require(blocks.first { $0.contains("127.0.0.1:9901") })
        let lines = block.split(separator: "\n")
            .filter { !$0.contains("ssl_certificate") }
            .map { $0.contains("listen 443") ? "listen 127.0.0.1:\(port);" : String($0) }
        return lines.joined(separator: "\n").replacing("127.0.0.1:9901", with: "127.0.0.1:\(gate)")
    }

    private func play(_ body: (Scene, PeerProcess) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\n", to: "tokens")
        let flags: [GateFlag] = [
            .adminListen(), .adminTokenFile(path: folder.path(of: "tokens")),
            .stateDir(path: folder.path(of: "state")),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            let port = try FreePort.find()
            let block = try Self.block(gate: try #require(scene.gate.adminPort), port: port)
            let nginx = try PeerProcess.nginx(in: folder, port: port, http: block)
            defer { nginx.stop() }
            try await body(scene, nginx)
        }
    }

    private static func ask(
        _ nginx: PeerProcess,
        _ method: String,
        _ target: String,
        _ fields: String = "",
        body: String? = nil
    ) throws -> RawResponse {
        let client = try RawClient(port: nginx.port)
        try client.send(
            Request.text(method, target, host: "gate.example.com", fields: fields, body: body)
        )
        return try client.response()
    }

    @Test func `operators need the token, probes need none, and foreign pages have no access`()
        async throws
    {
        try await self.play { scene, nginx in
            for (method, target) in [
                ("GET", "/"), ("GET", "/metrics"), ("GET", "/api/v1/rules"), ("POST", "/-/reload"),
                ("GET", "/api/v1/undo"), ("POST", "/api/v1/undo"), ("POST", "/-/breaker/reset"),
            ] {
                #expect(try Self.ask(nginx, method, target).status == 401, "\(target)")
            }
            #expect(try Self.ask(nginx, "GET", "/-/healthy").status == 200)
            #expect(try Self.ask(nginx, "GET", "/-/ready").status == 200)
            #expect(try Self.ask(nginx, "GET", "/", Self.token).status == 200)

            let own = Self.token + "Origin: https://gate.example.com\r\n"
            for origin in ["https://evil.example", "http://127.0.0.1:9901", "null"] {
                let fields = Self.token + "Origin: \(origin)\r\n"
                #expect(try Self.ask(nginx, "POST", "/-/reload", fields).status == 403, "\(origin)")
            }
            try scene.reload(RulesText.shop(minimum: "9.0.0"))
            let preview = try Self.ask(nginx, "GET", "/api/v1/undo", own)
            let tag = try #require(preview.fields["ETag"].first)
            let target = try #require(JSONReport(preview.text).text("to"))
            let undo = try Self.ask(
                nginx,
                "POST",
                "/api/v1/undo",
                own + "If-Match: \(tag)\r\n",
                body: "{\"to\":\"\(target)\"}"
            )
            #expect(undo.status == 200, "\(undo.text)")

            let page = try RawClient(port: nginx.port)
            let host = "gate.example.com"
            try page.send(Request.text("GET", "/api/v1/events", host: host, fields: Self.token))
            #expect(try page.head()?.status == 200)
            // nginx forwards events without a delay.
            #expect(try page.receivesData(within: .seconds(10)))
        }
    }
}
