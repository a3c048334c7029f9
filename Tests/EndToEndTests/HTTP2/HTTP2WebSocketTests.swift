import GateTestSupport
import Glibc
import Testing

extension RawHTTP2Client {
    /// Sends a request for a WebSocket (RFC 8441).
    fileprivate func open(
        _ stream: UInt32 = 1,
        _ path: String = "/chat",
        version: String = "9.0.0",
        _ more: [HTTP2Fields.Field] = []
    ) throws {
        let identity: [HTTP2Fields.Field] = [
            ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", version),
        ]
        let fields = [(":protocol", "websocket")] + identity + [("sec-websocket-version", "13")]
        try self.request(stream, "CONNECT", path, fields + more, endsStream: false)
    }

    /// Returns the head of the response on a stream.
    fileprivate func head(_ stream: UInt32 = 1) throws -> FieldLines {
        let frame = try self.frame { $0.isA(.headers) && $0.stream == stream }
        #expect(frame?.endsStream == false)
        return try HTTP2Fields.read(frame?.payload ?? [])
    }

    /// Returns the next `count` bytes of a stream.
    fileprivate func bytes(_ count: Int, of stream: UInt32 = 1) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let frame = try self.frame { $0.isA(.data) && $0.stream == stream }
            bytes += try #require(frame).payload
        }
        return bytes
    }
}

/// WebSockets over HTTP/2 (RFC 8441), with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("python3"))
struct HTTP2WebSocketTests {
    @Test
    func `the gate offers WebSockets, and the backend gets an HTTP/1.1 upgrade`() async throws {
        let script: ScriptedBackend.Script = { request in
            [WebSocketScript.switching(request, "Sec-WebSocket-Protocol: chat\r\n"), .mirror]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            let settings = try client.frame { $0.isA(.settings) && $0.flags == 0 }
            let pairs = settings?.payload ?? []
            let offer: [UInt8] = [0, 8, 0, 0, 0, 1]
            #expect(
                stride(from: 0, to: pairs.count, by: 6).contains {
                    pairs[$0...].starts(with: offer)
                }
            )
            let fields: [HTTP2Fields.Field] = [
                ("sec-websocket-protocol", "chat"), ("sec-websocket-extensions", "x-none"),
                ("sec-websocket-key", "mine"), ("origin", "https://a"),
            ]
            try client.open(1, "/chat?room=1", fields)
            let head = try client.head()
            #expect(head[":status"] == ["200"])
            #expect(head["sec-websocket-protocol"] == ["chat"])
            for name in ["sec-websocket-accept", "upgrade", "connection", "content-length"] {
                #expect(head[name].isEmpty, "\(name)")
            }
            try client.data(1, [0x81, 2, 0x68, 0x69])
            #expect(try client.bytes(4) == [0x81, 2, 0x68, 0x69])
            // Another request runs in parallel.
            try client.request(3, "GET", "/other")
            #expect(try client.head(3)[":status"] == ["502"])

            let requests = try scene.finalRecord().requests
            let request = try #require(requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/chat?room=1")
            #expect(request.version == "HTTP/1.1")
            #expect(request.fields["upgrade"] == ["websocket"])
            #expect(request.fields["connection"].map { $0.lowercased() } == ["upgrade"])
            #expect(request.fields["sec-websocket-version"] == ["13"])
            #expect(request.fields["sec-websocket-protocol"] == ["chat"])
            #expect(request.fields["sec-websocket-extensions"] == ["x-none"])
            #expect(request.fields["origin"] == ["https://a"])
            #expect(request.fields["sec-websocket-key"].map(\.utf8.count) == [24])
            #expect(request.fields["content-length"].isEmpty)
            #expect(request.fields["transfer-encoding"].isEmpty)
        }
    }

    @Test
    func `large amounts of data pass in both directions under flow control`() async throws {
        let script: ScriptedBackend.Script = { [WebSocketScript.switching($0), .mirror] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 1 << 30)])
            try client.open()
            #expect(try client.head()[":status"] == ["200"])
            // Never more than the gate's initial window.
            for round in 0..<100 {
                let piece = BodyPattern.bytes(round * 16_000..<(round + 1) * 16_000)
                try client.data(1, piece)
                let echo = try client.bytes(16_000)
                #expect(echo == piece, "\(round)")
            }
        }
    }

    @Test
    func `an outdated build is denied`() async throws {
        try await Scene.play(backend: { [WebSocketScript.switching($0), .mirror] }) { scene in
            let client = try scene.connectHTTP2()
            try client.open(version: "3.4.9")
            let denial = try client.response(1)
            #expect(denial.status == 426)
            #expect(denial.isComplete)
            #expect(denial.text.contains("upgrade-required"))
            try client.open(3)
            #expect(try client.head(3)[":status"] == ["200"])
            #expect(try scene.finalRecord().requests.count == 1)
        }
    }

    @Test
    func `a denial with status 200 does not open a WebSocket`() async throws {
        let rules = RulesText.shop + "\nstatus: 200\n"
        try await Scene.play(rules: rules) { scene in
            let client = try scene.connectHTTP2()
            try client.open(version: "3.4.9")
            #expect(try client.response(1).status == 426)
            let identity: [HTTP2Fields.Field] = [
                ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                ("x-app-version", "3.4.9"),
            ]
            try client.request(3, "GET", "/", identity)
            #expect(try client.response(3).status == 200)
        }
    }

    @Test
    func `a backend response that refuses the WebSocket is forwarded`() async throws {
        let script: ScriptedBackend.Script = { request in
            switch request.target {
            case "/no": [.answer("403 Forbidden", body: "no")]
            case "/elsewhere": [.answer("302 Found", fields: "Location: /chat\r\n")]
            // The response of a server without WebSockets, which must not look like an open WebSocket to the client.
            case "/page": [.answer(body: "a page")]
            default:
                [
                    .send(
                        "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
                    ), .mirror,
                ]
            }
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            let cases = [
                (UInt32(1), "/no", 403, "no"), (3, "/elsewhere", 302, ""),
                (5, "/page", 502, "no valid response"), (7, "/other-key", 502, "no valid response"),
            ]
            for (stream, path, status, text) in cases {
                try client.open(stream, path)
                // These bytes never become another request.
                try client.data(stream, Array(Request.text("GET", "/smuggled").utf8))
                let answer = try client.response(stream)
                #expect(answer.status == status, "\(path)")
                #expect(answer.text.contains(text), "\(path)")
                #expect(answer.isComplete)
            }
            let record = try scene.finalRecord()
            #expect(record.requests.count == 4)
            #expect(!record.contains("smuggled"))
        }
    }

    @Test
    func `an endpoint of the gate refuses a WebSocket`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            try client.open(1, "/.versiongate/status")
            let answer = try client.response(1)
            #expect(answer.status == 501)
            #expect(answer.text.contains("This protocol is not supported."))
        }
    }

    @Test
    func `each side can end on its own`() async throws {
        let script: ScriptedBackend.Script = { [WebSocketScript.switching($0), .mirror] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.open()
            #expect(try client.head()[":status"] == ["200"])
            try client.data(1, Array("last".utf8), endsStream: true)
            let rest = try client.response(1)
            #expect(rest.text == "last")
            #expect(rest.isComplete)
            try client.request(3, "GET", "/")
            // Before that, the first stream gets no reset.
            let next = try client.frame { $0.isA(.headers) || $0.isA(.resetStream) }
            #expect(next?.isA(.headers) == true)
        }
    }

    @Test
    func `a lost backend connection resets the stream`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = {
            [WebSocketScript.switching($0), .wait(latch), .reset]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.open()
            #expect(try client.head()[":status"] == ["200"])
            latch.open()
            let end = try client.response(1)
            // CANCEL (RFC 8441 section 5).
            #expect(end.reset == 8)
            #expect(!end.isComplete)
        }
    }

    @Test
    func `a client's reset also resets the backend connection`() async throws {
        try await Scene.play(backend: { [WebSocketScript.switching($0), .stall] }) { scene in
            let client = try scene.connectHTTP2()
            try client.open()
            #expect(try client.head()[":status"] == ["200"])
            try client.data(1, [1])
            try scene.backend.wait(for: "the byte") { $0.received.last == 1 ? true : nil }
            try client.send(HTTP2Frame(.resetStream, stream: 1, HTTP2Frame.big(8)))
            let record = try scene.backend.waitUntilAllEnded()
            #expect(record.connections.map(\.end) == [.byPeer(.reset)])
        }
    }

    @Test
    func `a denied WebSocket gets a close frame, and allowed ones stay open`() async throws {
        try await Scene.play(backend: { [WebSocketScript.switching($0), .mirror] }) { scene in
            let client = try scene.connectHTTP2()
            try client.open(1, version: "3.6.0")
            #expect(try client.head()[":status"] == ["200"])
            try client.open(3)
            #expect(try client.head(3)[":status"] == ["200"])
            try scene.reload(RulesText.shop(minimum: "4.0.0"))
            let end = try client.response(1)
            // FIN and close, 18 bytes: code 1008 and the reason.
            #expect(end.body == [0x88, 18, 0x03, 0xF0] + Array("upgrade required".utf8))
            #expect(end.isComplete)
            // The client's close frame may still arrive.
            try client.data(1, [0x88, 0x80, 0, 0, 0, 0], endsStream: true)
            try client.data(3, [0x81, 2, 0x68, 0x69])
            #expect(try client.bytes(4, of: 3) == [0x81, 2, 0x68, 0x69])
        }
    }

    @Test
    func `a gate that shuts down sends close frames to both ends`() async throws {
        let script: ScriptedBackend.Script = { [WebSocketScript.switching($0), .stall] }
        try await Scene.play(flags: [.drainTimeout(seconds: 1)], backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.open()
            #expect(try client.head()[":status"] == ["200"])
            let sent: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B]
            try client.data(1, sent)
            try scene.backend.wait(for: "the frame") { record in
                record.received.suffix(sent.count) == sent[...] ? true : nil
            }
            scene.gate.send(signal: SIGTERM)
            let end = try client.response(1)
            // FIN and close: code 1001 and the reason.
            #expect(end.body == [0x88, 12, 0x03, 0xE9] + Array("going away".utf8))
            #expect(end.isComplete)
            #expect(client.hasReceivedGoAway)
            let received = try scene.backend.waitUntilAllEnded().received
            #expect(received.suffix(18).prefix(2) == [0x88, 0x8C])
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }
}
