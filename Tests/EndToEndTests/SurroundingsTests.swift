import GateTestSupport
import Testing

/// Mistakes in the gate's environment, and their log lines.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "curl"))
struct SurroundingsTests {
    @Test
    func `an untrusted proxy is logged once`() async throws {
        try await Scene.play { scene in
            let proxied = Request.text(fields: "X-Forwarded-For: 203.0.113.5\r\n")
            for _ in 0..<2 {
                let echo: EchoReport = try scene.ask(proxied).json()
                #expect(echo.fields.tokens("X-Forwarded-For").last == "127.0.0.1")
            }
            let way = "if the peer is your proxy, add --trusted-proxies 127.0.0.1"
            try scene.gate.logLine("the proxy") { $0.message.hasSuffix(way) }
            #expect(scene.gate.logLines.count { $0.message.hasSuffix(way) } == 1)
        }
    }

    @Test
    func `plain HTTP on a TLS port is logged`() async throws {
        try await TLSScene.play { play in
            let url = "http://127.0.0.1:\(play.scene.gate.port)/"
            _ = try ToolProcess.run("curl", ["--silent", url])
            try play.scene.gate.logLine("plain HTTP") {
                $0.message.hasPrefix("a client is using plain HTTP where TLS is expected")
            }
        }
    }
}
