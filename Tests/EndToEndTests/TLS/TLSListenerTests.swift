import GateTestSupport
import Glibc
import Testing

/// The PROXY header before the TLS handshake, and the listener's own address.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "curl"))
struct TLSListenerTests {
    private static let printsStatus = ["--write-out", "%{http_code} %{http_version}"]

    @Test(arguments: [("--http1.1", "200 1.1"), ("--http2", "200 2")])
    func `a PROXY header comes before the handshake`(version: String, printed: String) async throws
    {
        let flag = GateFlag.proxyProtocol(trusted: "127.0.0.1")
        try await TLSScene.play(flags: [flag]) { play in
            let introduced = try play.curl(["--haproxy-protocol", version] + Self.printsStatus)
            #expect(introduced.output.hasSuffix(printed), "\(introduced.errors)")
            let silent = try play.curl([version])
            #expect(silent.status != 0)
            let line = try play.scene.gate.logLine("a refusal") {
                $0.message == "connection refused: PROXY protocol error"
            }
            #expect(line.metadata["reason"]?.contains("missing") == true)
            let requests = try play.scene.finalRecord().requests
            #expect(requests.map { $0.fields["X-Forwarded-Proto"] } == [["https"]])
            #expect(requests.map { $0.fields["X-Forwarded-For"] } == [["127.0.0.1"]])
        }
    }

    @Test(arguments: [false, true])
    func `an inherited socket uses TLS, unless the TLS listener has its own address`(
        hasOwnAddress: Bool
    ) async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let authority = try TestAuthority(in: folder)
        let pair = try authority.issue("server")
        let flags: [GateFlag] = [.tls(certificates: [pair.certificate], keys: [pair.key])]
        try await Scene.play(
            in: folder,
            flags: hasOwnAddress ? flags + [.tlsListen] : flags,
            surroundings: .socket(socket)
        ) { scene in
            #expect(try scene.gate.port == LoopbackListener.port(of: socket))
            let play = TLSScene(scene: scene, authority: authority)
            if hasOwnAddress {
                #expect(try scene.ask(Request.text()).status == 200)
            } else {
                let result = try play.curl(Self.printsStatus)
                #expect(result.output.hasSuffix("200 2"), "\(result.errors)")
            }
        }
    }
}
