import GateTestSupport
import Testing

/// The authentication of backends by their certificates.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl", "python3")
)
struct UpstreamTLSTests {
    /// The certificate and TLS settings of a backend.
    struct Peer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names = "DNS:localhost,IP:127.0.0.1"
        var days = 30
        var authority = "ca"
        var version: String?
        var host = "localhost"
        var serverName: String?
    }

    /// Runs a gate that trusts `ca.pem`, with a backend that uses TLS.
    private func play(
        _ peer: Peer,
        script: @escaping ScriptedBackend.Script = { _ in [.echo] },
        _ body: (Scene, TLSFront) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let certificates = try TestCertificates(in: folder)
        if peer.authority != "ca" { try certificates.makeAuthority(peer.authority) }
        try certificates.make(
            "server",
            names: peer.names,
            days: peer.days,
            authority: peer.authority
        )
        let backend = try ScriptedBackend(script: script)
        let front = try TLSFront(
            to: backend.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key"),
            version: peer.version
        )
        try await Scene.play(
            in: folder,
            flags: [.upstreamCA(path: certificates.path("ca.pem"))]
                + (peer.serverName.map { [.upstreamServerName($0)] } ?? []),
            backends: [backend],
            upstream: "https://\(peer.host):\(front.port)"
        ) { try await body($0, front) }
    }

    @Test(arguments: [
        Peer(testDescription: "by name"),
        Peer(testDescription: "by address", names: "IP:127.0.0.1", host: "127.0.0.1"),
        Peer(
            testDescription: "by another name",
            names: "DNS:api.example",
            host: "127.0.0.1",
            serverName: "api.example"
        ),
        Peer(testDescription: "TLS 1.2", version: "TLSv1_2"),
        Peer(testDescription: "TLS 1.3", version: "TLSv1_3"),
    ])
    func `a backend with a valid certificate gets requests`(_ peer: Peer) async throws {
        try await self.play(peer) { scene, front in
            let client = try scene.connect()
            for index in 0..<3 {
                try client.send(Request.text("POST", "/\(index)", body: "hello"))
                let echo: EchoReport = try client.response().json()
                #expect(echo.target == "/\(index)" && echo.body == "hello")
                #expect(echo.connection == 0)
            }
            let name = peer.serverName ?? (peer.host == "localhost" ? "localhost" : "None")
            #expect(try front.serverNames(atLeast: 1) == [name])
        }
    }

    @Test(arguments: [
        Peer(testDescription: "expired", days: -1),
        Peer(testDescription: "another name", names: "DNS:other.example"),
        Peer(testDescription: "another address", names: "IP:127.0.0.2", host: "127.0.0.1"),
        Peer(testDescription: "the address instead of the name", names: "IP:127.0.0.1"),
        Peer(testDescription: "not the requested name", serverName: "api.example"),
        Peer(testDescription: "unknown authority", authority: "other"),
        Peer(testDescription: "TLS 1.0", version: "TLSv1"),
        Peer(testDescription: "TLS 1.1", version: "TLSv1_1"),
    ])
    func `a backend with an invalid certificate gets no request`(_ peer: Peer) async throws {
        try await self.play(peer) { scene, _ in
            for _ in 0..<5 {
                let response = try scene.ask(Request.text("POST", "/secret", body: "x"))
                #expect(response.status == 502)
                _ = try response.problem()
            }
            let words = "cannot connect to the backend"
            try scene.gate.logLine("the failure") { $0.message == words }
            let lines = scene.gate.logLines.filter { $0.message == words }
            #expect((1...3).contains(lines.count))
            #expect(lines.first?.metadata["error"]?.isEmpty == false)
            #expect(scene.backend.record.exchanges.isEmpty)
        }
    }

    @Test
    func `a backend without TLS causes a 502`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let plain = try LoopbackListener { descriptor in
            let socket = LoopbackSocket(adopting: descriptor)
            _ = try? socket.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            _ = try? socket.receive(by: .usual)
        }
        defer { plain.stop() }
        let unused = try ScriptedBackend { _ in [.echo] }
        try await Scene.play(
            in: folder,
            backends: [unused],
            upstream: "https://localhost:\(plain.port)"
        ) { scene in
            let response = try scene.ask(Request.text())
            #expect(response.status == 502)
        }
    }

    @Test
    func `a handshake that does not complete gets a 504 at the connect timeout`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        // Accepts connections and sends nothing. A scripted backend could find a complete request
        // in random bytes.
        let givenUp = Latch()
        let silent = try LoopbackListener { descriptor in
            let socket = LoopbackSocket(adopting: descriptor)
            _ = try? ByteStream(socket).rest(by: .usual)
            socket.close()
            givenUp.open()
        }
        defer { silent.stop() }
        try await Scene.play(
            in: folder,
            flags: [.connectTimeout(seconds: 1)],
            backends: [try ScriptedBackend { _ in [] }],
            upstream: "https://127.0.0.1:\(silent.port)"
        ) { scene in
            let response = try scene.ask(Request.text())
            #expect(response.status == 504)
            try givenUp.wait()
        }
    }

    @Test
    func `a body that ends with close_notify is complete`() async throws {
        let peer = Peer(testDescription: "good")
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nall of it"), .close]
        }
        try await self.play(peer, script: script) { scene, _ in
            let response = try scene.ask(Request.text())
            #expect(response.text == "all of it" && response.isComplete)
        }
    }

    @Test
    func `a body that ends without close_notify never looks complete`() async throws {
        let peer = Peer(testDescription: "good")
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\npart of it"), .stall]
        }
        try await self.play(peer, script: script) { scene, front in
            let client = try scene.connect()
            try client.send(Request.text())
            #expect(try client.head()?.status == 200)
            #expect(try client.bytes(10) == Array("part of it".utf8))
            front.kill()
            #expect(try client.rest().by == .reset)
        }
    }

    @Test
    func `a large body passes through TLS unchanged`() async throws {
        let peer = Peer(testDescription: "good")
        try await self.play(peer, script: { _ in [.digest] }) { scene, _ in
            let client = try scene.connect()
            let body = String(repeating: "0123456789abcdef", count: 100_000)
            try client.send(Request.text("PUT", "/", body: body))
            let digest: DigestReport = try client.response().json()
            #expect(digest.bodyLength == body.utf8.count)
        }
    }
}
