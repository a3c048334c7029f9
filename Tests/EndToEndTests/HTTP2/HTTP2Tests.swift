import GateTestSupport
import Glibc
import Testing

extension Scene {
    /// Connects an HTTP/2 client with prior knowledge.
    func connectHTTP2(
        settings: [(UInt16, UInt32)] = [],
        receiveBuffer: Int32? = nil
    ) throws -> RawHTTP2Client {
        try RawHTTP2Client(port: self.gate.port, settings: settings, receiveBuffer: receiveBuffer)
    }
}

/// Requests over HTTP/2, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2Tests {
    private static let outdated: [HTTP2Fields.Field] = [
        ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", "3.4.9"),
    ]

    @Test
    func `a request reaches the backend as HTTP/1.1`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let fields = [("cookie", "a=1"), ("x-one", "1"), ("cookie", "b=2"), ("te", "trailers")]
            try client.request(1, "GET", "/a?b=c", fields)
            let response = try client.response(1)
            let echo = try response.json(EchoReport.self)
            #expect(response.status == 200)
            #expect(response.isComplete)
            #expect(echo.method == "GET")
            #expect(echo.target == "/a?b=c")
            #expect(echo.version == "HTTP/1.1")
            #expect(echo.fields["host"] == ["gate"])
            #expect(echo.fields["cookie"] == ["a=1; b=2"])
            #expect(echo.fields["x-one"] == ["1"])
            #expect(echo.fields["te"] == ["trailers"])
            #expect(echo.fields["connection"] == ["TE"])
            #expect(echo.fields["X-Forwarded-Proto"] == ["http"])
            for name in ["connection", "keep-alive", "transfer-encoding", "upgrade"] {
                #expect(response.fields[name].isEmpty)
            }
            #expect(response.fields.lines.allSatisfy { $0.name == $0.name.lowercased() })
        }
    }

    @Test
    func `each of many streams gets its own response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            for round in 0..<3 {
                let streams = (0..<100).map { UInt32(round * 200 + $0 * 2 + 1) }
                for stream in streams { try client.request(stream, "GET", "/\(stream)") }
                for stream in streams {
                    let response = try client.response(stream)
                    let echo = try response.json(EchoReport.self)
                    #expect(echo.target == "/\(stream)")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `bodies are forwarded in both directions`(isCounted: Bool) async throws {
        try await Scene.play(backend: { _ in [.digest] }) { scene in
            let client = try scene.connectHTTP2()
            let body = BodyPattern.bytes(0..<60_000)
            let length = isCounted ? [("content-length", "60000")] : []
            try client.request(1, "POST", "/", length, endsStream: false)
            for start in stride(from: 0, to: body.count, by: 10_000) {
                let isLast = start + 10_000 == body.count
                let piece = Array(body[start..<start + 10_000])
                try client.data(1, piece, endsStream: isLast)
            }
            let response = try client.response(1)
            let report = try response.json(DigestReport.self)
            #expect(report.bodyLength == 60_000)
            let expected = try BodyPattern.sha256(of: 60_000)
            #expect(report.sha256 == expected)
        }
    }

    @Test
    func `trailers are forwarded in both directions`() async throws {
        let answer = """
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
            2\r\nhi\r\n0\r\nGrpc-Status: 0\r\nX-More: yes\r\n\r\n
            """
        try await Scene.play(backend: { _ in [.readBody, .send(answer)] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/", endsStream: false)
            try client.data(1, Array("abc".utf8))
            let end = HTTP2Frame.endHeaders | HTTP2Frame.endStream
            let trailers = HTTP2Fields.block([("x-sum", "7")])
            try client.send(HTTP2Frame(.headers, flags: end, stream: 1, trailers))
            let response = try client.response(1)
            #expect(response.text == "hi")
            #expect(response.trailers?["grpc-status"] == ["0"])
            #expect(response.trailers?["x-more"] == ["yes"])
            #expect(response.isComplete)
            let sent = try scene.finalRecord().received
            #expect(String(decoding: sent, as: UTF8.self).hasSuffix("0\r\nx-sum: 7\r\n\r\n"))
        }
    }

    @Test
    func `trailers that arrive in parts are forwarded complete`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
        let pieces = ["Grpc-Status: 13\r\n", "Grpc-Mess", "age: no\r\n", "\r\n"]
        let script: ScriptedBackend.Script = { _ in
            [.send(head)] + pieces.flatMap { [.pause(milliseconds: 50), .send($0)] }
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            for stream in [1, 3] as [UInt32] {
                try client.request(stream)
                let response = try client.response(stream)
                #expect(response.text == "hi")
                #expect(response.trailers?["grpc-status"] == ["13"])
                #expect(response.trailers?["grpc-message"] == ["no"])
            }
        }
    }

    @Test
    func `HEAD with a head that is too large gets no body`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            // Each field counts as 32 bytes more than its name and value (RFC 9113 section 10.5.1).
            let fields = (0..<1000).map { _ in (name: "x", value: "v") }
            try client.request(1, "HEAD", "/", fields)
            let response = try client.response(1)
            #expect(response.status == 431)
            #expect(response.isComplete)
            #expect(response.frameCount == 1)
        }
    }

    @Test
    func `an interim response precedes the final one`() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        try await Scene.play(backend: { _ in [.send(hints), .echo] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            let first = try client.frame { $0.isA(.headers) }
            #expect(try HTTP2Fields.read(first?.payload ?? [])[":status"] == ["103"])
            #expect(first?.endsStream == false)
            #expect(try client.response(1).status == 200)
        }
    }

    @Test
    func `an incomplete response is reset`() async throws {
        let scripts = [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        ]
        for script in scripts {
            try await Scene.play(backend: { _ in [.send(script), .close] }) { scene in
                let client = try scene.connectHTTP2()
                try client.request(1)
                let response = try client.response(1)
                #expect(response.text == "half")
                #expect(!response.isComplete)
                #expect(response.reset == 2)
                try client.request(3)
                #expect(try client.response(3).reset == 2)
            }
        }
    }

    @Test
    func `a close-delimited response is complete`() async throws {
        let script = "HTTP/1.0 200 OK\r\n\r\nall of it"
        try await Scene.play(backend: { _ in [.send(script), .close] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            let response = try client.response(1)
            #expect(response.text == "all of it")
            #expect(response.isComplete)
        }
    }

    @Test
    func `HEAD gets the fields of GET and no body`() async throws {
        let script = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
        try await Scene.play(backend: { _ in [.send(script)] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "HEAD")
            let response = try client.response(1)
            #expect(response.fields["content-length"] == ["10"])
            #expect(response.isComplete)
            #expect(response.body.isEmpty)
        }
    }

    @Test
    func `a denial during an upload ends the stream and keeps the connection`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/", Self.outdated, endsStream: false)
            let denial = try client.response(1)
            #expect(denial.status == 426)
            #expect(denial.isComplete)
            #expect(denial.text.contains("upgrade-required"))
            let reset = try client.frame { $0.isA(.resetStream) }
            #expect(reset?.number(at: 0) == 0)
            // A frame that was already on its way is ignored.
            try client.data(1, [1, 2, 3], endsStream: true)
            try client.request(3)
            #expect(try client.response(3).status == 200)
            #expect(try scene.finalRecord().requests.count == 1)
        }
    }

    /// The frames after requests whose declared body length is two bytes.
    private static let malformed: [@Sendable (UInt32) -> [HTTP2Frame]] = [
        { [.data($0, [1, 2, 3])] },
        { [.data($0, [1, 2]), .headers($0, HTTP2Fields.block([("a", "b")]), ends: false)] },
        { [.data($0, [1, 2]), .headers($0, HTTP2Fields.block([(":path", "/")]))] },
    ]

    private static let wellFormed: [@Sendable (UInt32) -> [HTTP2Frame]] = [
        { [.data($0, [1, 2], ends: true)] },
        { [.data($0, [1]), .data($0, [2]), .data($0, [], ends: true)] },
        // Padding is not part of the body.
        { [HTTP2Frame(.data, flags: 0x9, stream: $0, [3, 1, 2, 0, 0, 0])] },
        { [.data($0, [1, 2]), .headers($0, HTTP2Fields.block([("a", "b")]))] },
        // curl ends the stream of a request that already has its response.
        { [.data($0, [], ends: true)] },
        { [.data($0, [1]), .reset($0)] },
    ]

    @Test(arguments: wellFormed.indices)
    func `the rest of an answered request is accepted`(index: Int) async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let fields = Self.outdated + [("content-length", "2")]
            try client.request(1, "POST", "/", fields, endsStream: false)
            #expect(try client.response(1).isComplete)
            try client.send(Self.wellFormed[index](1))
            let deadline = Deadline.after(.milliseconds(600))
            let reset = try? client.frame(by: deadline) { $0.isA(.resetStream) }
            // A client that sends too late gets a reset without an error.
            #expect(reset?.number(at: 0) ?? 0 == 0)
            try client.request(3)
            #expect(try client.response(3).status == 200)
        }
    }

    @Test(arguments: malformed.indices)
    func `a malformed request is reset, even after its response`(index: Int) async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let fields = Self.outdated + [("content-length", "2")]
            var code: UInt32?
            // Frames that arrive a quarter of a second after the response are too late.
            for stream: UInt32 in [1, 3, 5, 7, 9, 11, 13, 15] where code ?? 0 == 0 {
                try client.request(stream, "POST", "/", fields, endsStream: false)
                #expect(try client.response(stream).isComplete)
                try client.send(Self.malformed[index](stream))
                let reset = try client.frame { $0.isA(.resetStream) && $0.stream == stream }
                code = reset?.number(at: 0)
            }
            #expect(code == HTTP2Case.protocolError)
            try client.request(99)
            #expect(try client.response(99).status == 200)
        }
    }

    @Test
    func `a denied call gets a Trailers-Only response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let call = Self.outdated + [("content-type", "application/grpc"), ("te", "trailers")]
            try client.request(1, "POST", "/shop.Shop/Buy", call, endsStream: false)
            let response = try client.response(1)
            #expect(response.status == 200)
            #expect(response.frameCount == 1)
            #expect(response.isComplete)
            #expect(response.fields["grpc-status"] == ["9"])
            #expect(response.fields["content-type"] == ["application/grpc"])
            #expect(response.fields["content-length"].isEmpty)
        }
    }

    @Test
    func `an event stream stays open and reports a change`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "GET", "/.versiongate/events", Self.outdated)
            let head = try client.frame { $0.isA(.headers) }
            let fields = try HTTP2Fields.read(head?.payload ?? [])
            #expect(fields["content-type"] == ["text/event-stream"])
            #expect(fields["transfer-encoding"].isEmpty)
            var heard = ""
            while !heard.contains("426") && !heard.contains("require") {
                heard += String(decoding: try client.frame()?.payload ?? [], as: UTF8.self)
            }
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "3.0.0"))
            scene.gate.send(signal: SIGHUP)
            while !heard.contains("allow") {
                let frame = try #require(try client.frame())
                heard += String(decoding: frame.payload, as: UTF8.self)
            }
            scene.gate.send(signal: SIGTERM)
            let end = try client.frame { $0.stream == 1 && $0.endsStream }
            #expect(end != nil)
        }
    }

    @Test
    func `a drain lets open streams finish and accepts no new ones`() async throws {
        let latch = Latch()
        let flags = [GateFlag.drainTimeout(seconds: 10)]
        try await Scene.play(flags: flags, backend: { _ in [.wait(latch), .echo] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            try scene.backend.waitForRequests(1)
            scene.gate.send(signal: SIGTERM)
            let goAway = try client.frame { $0.isA(.goAway) }
            #expect(goAway?.number(at: 0) == 1)
            #expect(goAway?.number(at: 4) == 0)
            try client.request(3)
            latch.open()
            #expect(try client.response(1).status == 200)
            client.close()
            #expect(try scene.gate.waitForExit() == .status(0))
            #expect(try scene.backend.waitUntilAllEnded().requests.count == 1)
        }
    }

    @Test
    func `a body that always waits for a window needs no memory for sent data`() async throws {
        let size = 96 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        try await Scene.play(backend: { _ in [.send(head), .stream(size)] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            let before = try scene.gate.residentSize()
            var received = 0
            // The client returns half of the window at a time, so the gate always has more to send than the window
            // allows.
            var owed = 0
            while received < size {
                let frame = try #require(try client.frame { $0.isA(.data) && $0.stream == 1 })
                received += frame.payload.count
                owed += frame.payload.count
                guard owed >= 32_768 else { continue }
                try client.send(.window(1, UInt32(owed)), .window(0, UInt32(owed)))
                owed = 0
            }
            #expect(received == size)
            try scene.gate.expectPeak(below: before + 24 << 20)
        }
    }

    @Test
    func `a slow client stops the backend`() async throws {
        let size = 64 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        try await Scene.play(backend: { _ in [.send(head), .stream(size)] }) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 1 << 30)])
            try client.request(1)
            _ = try client.frame { $0.isA(.data) }
            try scene.backend.wait(for: "the backend to be held up") { record in
                record.connections.first?.wasBlocked == true ? true : nil
            }
            try scene.gate.expectPeak(below: 100 << 20)
            try client.send(.reset(1))
        }
    }
}
