import GateTestSupport
import Testing

/// The negotiation of the protocol with a backend over TLS.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl", "python3")
)
struct UpstreamNegotiationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The operator's setting; `nil` if there is none.
        var choice: String?
        var offered: [String]
        /// The negotiated protocol; `nil` if there is none.
        var spoken: String?

        var testDescription: String {
            "\(self.choice ?? "no setting"), \(self.offered) is \(self.spoken ?? "none")"
        }
    }

    private func play(
        _ choice: String?,
        _ offered: [String],
        script: @escaping ScriptedBackend.Script = { _ in [.answer(body: "HTTP/1.1")] },
        _ body: (Scene, RawHTTP2Backend) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let backend = try ScriptedBackend(script: script)
        let http2 = try RawHTTP2Backend { peer in
            try peer.greet()
            while true {
                let request = try peer.request()
                try peer.answer(request.stream, "h2 " + request.fields[":scheme"].joined())
            }
        }
        let front = try TLSFront(
            to: backend.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key"),
            protocols: offered,
            http2Port: http2.port
        )
        let flags: [GateFlag] = [.upstreamCA(path: certificates.path("ca.pem")), .threads(1)]
        try await Scene.play(
            in: folder,
            flags: flags + (choice.map { [.upstreamProtocol($0)] } ?? []),
            backends: [backend],
            upstream: "https://localhost:\(front.port)"
        ) { try await body($0, http2) }
    }

    @Test(arguments: [
        Case(offered: ["h2", "http/1.1"], spoken: "h2"),
        Case(offered: ["http/1.1"], spoken: "HTTP/1.1"),
        Case(offered: [], spoken: "HTTP/1.1"),
        Case(choice: "auto", offered: ["h2"], spoken: "h2"),
        Case(choice: "http1", offered: ["h2", "http/1.1"], spoken: "HTTP/1.1"),
        Case(choice: "http2", offered: ["h2", "http/1.1"], spoken: "h2"),
        Case(choice: "http2", offered: ["http/1.1"]),
        Case(choice: "http2", offered: []),
    ])
    func `the backend selects a protocol that the operator allows`(_ example: Case) async throws {
        try await self.play(example.choice, example.offered) { scene, http2 in
            // The first requests arrive before the protocol is negotiated.
            let clients = try (0..<5).map { _ in try scene.connect() }
            for client in clients { try client.send(Request.text()) }
            for client in clients {
                for round in 0..<2 {
                    if round > 0 { try client.send(Request.text()) }
                    let response = try client.response()
                    let answer = example.spoken.map { $0 == "h2" ? "h2 https" : $0 }
                    #expect(response.status == (answer == nil ? 502 : 200))
                    if let answer { #expect(response.text == answer) }
                }
            }
            #expect(http2.record.connections.count == (example.spoken == "h2" ? 1 : 0))
        }
    }

    @Test
    func `a WebSocket uses HTTP/1.1 if the backend selects HTTP/2`() async throws {
        let script: ScriptedBackend.Script = { request in
            request.target == "/socket"
                ? [
                    .send(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
                            + "Upgrade: websocket\r\n\r\n"
                    ), .mirror,
                ] : [.answer(body: "HTTP/1.1")]
        }
        try await self.play(nil, ["h2", "http/1.1"], script: script) { scene, _ in
            for _ in 0..<2 {
                let plain = try scene.ask(Request.text())
                #expect(plain.text == "h2 https")
                let client = try scene.connect()
                let fields = "Connection: upgrade\r\nUpgrade: websocket\r\n"
                try client.send(Request.text("GET", "/socket", fields: fields))
                let head = try client.head()
                #expect(head?.status == 101)
                try client.send("hello")
                let echo = try client.bytes(5)
                #expect(echo == Array("hello".utf8))
            }
        }
    }
}
