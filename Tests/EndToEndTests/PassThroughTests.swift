import GateTestSupport
import Testing

/// Messages of real clients and servers reach the other side unchanged.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct PassThroughTests {
    @Test(.needs("curl"))
    func `curl reuses its connection, and uploads with and without a length`() async throws {
        try await Scene.play { scene in
            let upload = String(repeating: "x", count: 2_000_000)
            try scene.folder.writeInPlace(upload, to: "upload")
            let file = scene.folder.path(of: "upload")
            let format = ["-w", "\n%{http_code} %{num_connects}\n"]
            let get = try ToolProcess.run(
                "curl",
                ["-sS"] + format + [scene.url("/a"), scene.url("/b")]
            )
            let ends = get.output.split(separator: "\n").filter { !$0.hasPrefix("{") }
            #expect(ends == ["200 1", "200 0"], "\(get.output)\(get.errors)")
            for framing in [[], ["-H", "Transfer-Encoding: chunked"]] {
                let arguments = ["-sS", "-T", file] + framing + [scene.url("/upload")]
                let put = try ToolProcess.run("curl", arguments)
                #expect(put.output.contains("\"bodyLength\":2000000"), "\(put.errors)")
            }
        }
    }

    @Test(.needs("python3"))
    func `Python sends every kind of request over one connection`() async throws {
        try await Scene.play { scene in
            let arguments = ["-c", ClientScript.pythonKeepAlive, scene.url("")]
            let result = try ToolProcess.run("python3", arguments)
            let expected = """
                GET /a?b=c 200 GET 0 True
                HEAD /a 200 None None True
                POST /b 200 POST 1000 True
                PUT /c 200 PUT 1200 True
                DELETE /d 200 DELETE 0 True

                """
            #expect(result.output == expected, "\(result.errors)")
        }
    }

    @Test(.needs("node"))
    func `Node fetches and posts`() async throws {
        try await Scene.play { scene in
            let result = try ToolProcess.run("node", ["-e", ClientScript.nodeFetch, scene.url("")])
            let expected = """
                GET 200 GET /n?q=%20 0
                POST 200 POST /n?q=%20 5
                PATCH 200 PATCH /n?q=%20 200000

                """
            #expect(result.output == expected, "\(result.errors)")
        }
    }

    @Test(arguments: [true, false])
    func `a WebSocket works through the gate until it closes`(bypasses: Bool) async throws {
        let accept =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        let script: ScriptedBackend.Script = { _ in [.send(accept), .mirror] }
        let handshake =
            "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        let frame: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        try await Scene.play(flags: [.socketBypass(bypasses)], backend: script) { scene in
            let client = try scene.connect()
            // The first frame arrives in the same segment as the handshake.
            try client.send(Array(Request.text("GET", "/ws", fields: handshake).utf8) + frame)
            let head = try #require(try client.head())
            #expect(head.status == 101)
            #expect(head.fields.tokens("Upgrade") == ["websocket"])
            #expect(head.fields.tokens("Connection").contains("upgrade"))
            #expect(head.fields["Sec-WebSocket-Accept"] == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
            #expect(try client.bytes(frame.count) == frame)
            for _ in 0..<10 {
                try client.send(frame)
                #expect(try client.bytes(frame.count) == frame)
            }
            client.finishSending()
            #expect(try client.rest().bytes.isEmpty)
            let request = try #require(scene.backend.record.requests.first)
            #expect(request.fields.tokens("Upgrade") == ["websocket"])
            #expect(request.fields.tokens("Connection").contains("upgrade"))
        }
    }

    @Test
    func `an outdated WebSocket client is denied at the handshake`() async throws {
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        try await Scene.play { scene in
            let fields = Request.outdated + upgrade
            let response = try scene.ask(Request.text("GET", "/ws", fields: fields))
            #expect(response.status == 426)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `pipelined requests are answered in order, denials included`(
        bypasses: Bool
    ) async throws {
        let versions = ["3.5.0", "3.4.9", "4.0.0", "1.0", "3.4.9", "9.9", "3.5.0"]
        let requests = versions.enumerated().map { index, version in
            Request.text("GET", "/\(index)", fields: Request.identity(version: version))
        }
        try await Scene.play(flags: [.socketBypass(bypasses)]) { scene in
            let client = try scene.connect()
            try client.send(requests.joined())
            for (index, version) in versions.enumerated() {
                let response = try client.response()
                if ["3.4.9", "1.0"].contains(version) {
                    #expect(try response.problem().currentVersion == version)
                } else {
                    #expect(try response.json(EchoReport.self).target == "/\(index)")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `the bodies of pipelined requests end where their framing says`(bypasses: Bool)
        async throws
    {
        try await Scene.play(flags: [.socketBypass(bypasses)]) { scene in
            let client = try scene.connect()
            try client.send(
                Request.text("POST", "/1", body: "one")
                    + Request.text("POST", "/2", fields: "Transfer-Encoding: chunked\r\n")
                    + "2\r\ntw\r\n1\r\no\r\n0\r\n\r\n"
                    + Request.text("POST", "/3", fields: Request.outdated, body: "no")
                    + Request.text("GET", "/4")
            )
            #expect(try client.response().json(EchoReport.self).body == "one")
            #expect(try client.response().json(EchoReport.self).body == "two")
            #expect(try client.response().status == 426)
            #expect(try client.response().json(EchoReport.self).target == "/4")
        }
    }

    @Test
    func `all forwarded requests share one backend connection`() async throws {
        try await Scene.play { scene in
            for _ in 0..<5 {
                let response = try scene.ask(Request.text(fields: Request.current))
                #expect(response.status == 200)
            }
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test(arguments: [1, 2, 5, 1000])
    func `a chunked response arrives complete, however it is split`(_ size: Int) async throws {
        let text = String(repeating: "0123456789", count: 100)
        let chunk = "\(String(size, radix: 16))\r\n" + String(repeating: "x", count: size) + "\r\n"
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .send("3e8;a=b\r\n")]
                + text.utf8.map { BackendStep.send([$0]) }.prefix(50)
                + [.send(String(text.dropFirst(50)) + "\r\n" + chunk + "0\r\nX-T: 1\r\n\r\n")]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            for _ in 0..<2 {
                try client.send(Request.text(fields: "TE: trailers\r\n"))
                let response = try client.response()
                #expect(response.isComplete)
                #expect(response.text == text + String(repeating: "x", count: size))
                #expect(response.end.trailers["X-T"] == ["1"])
            }
        }
    }

    @Test
    func `the trailers of a request reach the backend`() async throws {
        try await Scene.play { scene in
            let head = Request.text("POST", "/a", fields: "Transfer-Encoding: chunked\r\n")
            let response = try scene.ask(head + "2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Two: 2\r\n\r\n")
            let echo: EchoReport = try response.json()
            #expect(echo.body == "hi")
            #expect(echo.trailers["X-Sum"] == ["1"])
            #expect(echo.trailers["X-Two"] == ["2"])
        }
    }

    @Test(arguments: [204, 304])
    func `a response without a body ends with its head`(_ status: Int) async throws {
        let script: ScriptedBackend.Script = { request in
            request.target == "/none"
                ? [.send("HTTP/1.1 \(status) None\r\nETag: \"a\"\r\n\r\n")] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/none"))
            let response = try client.response()
            #expect(response.status == status)
            #expect(response.fields["ETag"] == ["\"a\""])
            try client.send(Request.text("GET", "/next"))
            #expect(try client.response().json(EchoReport.self).target == "/next")
        }
    }
}
