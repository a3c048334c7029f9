import GateTestSupport
import Glibc
import Testing

/// Real clients over TLS, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "curl"))
struct TLSTests {
    @Test
    func `a request over TLS reaches the backend with X-Forwarded-Proto https`() async throws {
        try await TLSScene.play { play in
            let result = try play.curl(["--http1.1", "--write-out", "%{http_code}"])
            #expect(result.output.hasSuffix("200"), "\(result.errors)")
            let request = try play.scene.finalRecord().requests.first
            #expect(request?.fields["X-Forwarded-Proto"] == ["https"])
        }
    }

    @Test
    func `a second listener uses TLS next to the plain one`() async throws {
        try await TLSScene.play(flags: [.tlsListen]) { play in
            #expect(try play.scene.ask(Request.text()).status == 200)
            let port = try #require(play.scene.gate.tlsPort)
            let result = try ToolProcess.run(
                "curl",
                [
                    "--silent", "--cacert", play.authority.certificate, "--write-out",
                    "%{http_code}", "https://localhost:\(port)/",
                ]
            )
            #expect(result.output.hasSuffix("200"), "\(result.errors)")
            let requests = try play.scene.finalRecord().requests
            #expect(requests.map { $0.fields["X-Forwarded-Proto"] } == [["http"], ["https"]])
        }
    }

    @Test
    func `a plain request to a TLS listener is closed`() async throws {
        try await TLSScene.play { play in
            let client = try play.scene.connect()
            try client.send(Request.text())
            _ = try client.rest()
            #expect(try play.curl([]).status == 0)
        }
    }

    @Test(arguments: [("1.1", false), ("1.2", true), ("1.3", true)])
    func `TLS starts at version 1.2`(version: String, works: Bool) async throws {
        try await TLSScene.play { play in
            let result = try play.curl([
                "--tlsv1.0", "--tls-max", version, "--ciphers", "DEFAULT:@SECLEVEL=0",
            ])
            #expect((result.status == 0) == works, "\(result.errors)")
        }
    }

    @Test
    func `a handshake that stalls is closed at the head timeout`() async throws {
        try await TLSScene.play(flags: [.headTimeout(seconds: 1)]) { play in
            let silent = try play.scene.connect()
            let begun = try play.scene.connect()
            // The header of a record whose ClientHello never arrives.
            try begun.send([22, 3, 1, 1, 0, 1, 0])
            #expect(try silent.rest(by: .after(.seconds(8))).bytes.isEmpty)
            _ = try begun.rest(by: .after(.seconds(8)))
        }
    }

    @Test(.needs("python3"))
    func `a client that uploads reads its complete denial`() async throws {
        try await TLSScene.play { play in
            let url = "https://localhost:\(play.scene.gate.port)"
            let result = try ToolProcess.run(
                "python3",
                ["-c", ClientScript.pythonBigPost, url, play.authority.certificate]
            )
            #expect(result.output == "20\n", "\(result.errors)")
            #expect(try play.scene.finalRecord().received.isEmpty)
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `curl reads the denial of an upload`(version: String) async throws {
        try await TLSScene.play { play in
            try play.scene.folder.writeInPlace(String(repeating: "x", count: 30_000_000), to: "big")
            let fields = [
                "X-App-Id: com.example.shop", "X-App-Platform: ios", "X-App-Version: 3.4.9",
            ]
            for _ in 0..<5 {
                let result = try play.curl(
                    [version, "--data-binary", "@\(play.scene.folder.path(of: "big"))"]
                        + fields.flatMap { ["--header", $0] }
                        + ["--header", "Expect:", "--write-out", "\n%{http_code}"]
                )
                #expect(result.output.contains("upgrade-required"), "\(result.errors)")
                #expect(result.output.hasSuffix("\n426"))
            }
        }
    }

    @Test(.needs("python3"))
    func `a client gets its response after it has closed its write side`() async throws {
        try await TLSScene.play { play in
            let result = try ToolProcess.run(
                "python3",
                [
                    "-c", ClientScript.pythonSecureHalfClose, "\(play.scene.gate.port)",
                    play.authority.certificate,
                ]
            )
            #expect(result.output == "HTTP/1.1 200 OK\n", "\(result.errors)")
        }
    }
}
