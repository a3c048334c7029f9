import GateTestSupport
import Testing

/// Backends that violate HTTP/2, or do not support it.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HostileHTTP2BackendTests {
    /// A fault that a backend sends instead of a response.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Returns the frames that answer the first request on this stream.
        var frames: @Sendable (UInt32) -> [HTTP2Frame]
        /// Whether the connection becomes unusable, in addition to the stream.
        var endsConnection = false
        /// Whether the backend closes the connection after the frames.
        var closes = false

        init(
            _ name: String,
            endsConnection: Bool = false,
            closes: Bool = false,
            frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
        ) {
            self.testDescription = name
            self.endsConnection = endsConnection || closes
            self.closes = closes
            self.frames = frames
        }

        /// A fault that consists of a head with these fields.
        static func head(_ name: String, _ fields: HTTP2Fields.Field..., ends: Bool = false)
            -> Fault
        {
            Fault(name) { [.headers($0, HTTP2Fields.block(fields), ends: ends)] }
        }
    }

    private static let ok: [HTTP2Fields.Field] = [(":status", "200")]

    static let faults: [Fault] = [
        .head("no status", ("a", "b")),
        .head("a status with two digits", (":status", "20")),
        .head("a status that is not a number", (":status", "2x0")),
        .head("a status twice", (":status", "200"), (":status", "200")),
        .head("a pseudo-header field of requests", (":status", "200"), (":path", "/")),
        .head("101", (":status", "101")),
        .head("an interim response that ends the stream", (":status", "103"), ends: true),
        .head("a name in upper case", (":status", "200"), ("A", "b")),
        .head("a line end in a value", (":status", "200"), ("a", "b\r\nc: d")),
        .head("a hop-by-hop field", (":status", "200"), ("connection", "close")),
        .head("a transfer coding", (":status", "200"), ("transfer-encoding", "chunked")),
        .head("two lengths", (":status", "200"), ("content-length", "1"), ("content-length", "1")),
        .head("a length that is not a number", (":status", "200"), ("content-length", "-1")),
        .head("less data than declared", (":status", "200"), ("content-length", "1"), ends: true),
        Fault("data before a head") { [.data($0, [1], ends: true)] },
        Fault("a head that is too large") { stream in
            let large = ["a", "b"].map { ($0, String(repeating: "x", count: 17_000)) }
            return HTTP2Frame.headers(stream, HTTP2Fields.block(Self.ok + large)).pieces
        },
        Fault("an endless series of interim responses") { stream in
            (0..<100).map { _ in
                .headers(stream, HTTP2Fields.block([(":status", "103")]), ends: false)
            }
        },
        Fault("a reset") { [.reset($0, 2)] },
        Fault("a reset without an error") { [.reset($0, 0)] },
        Fault("a window update of 0") { [.window($0, 0)] },
        Fault("the end of the connection", closes: true) { _ in [] },
        Fault("PUSH_PROMISE", endsConnection: true) { stream in
            [
                HTTP2Frame(
                    .pushPromise,
                    flags: 4,
                    stream: stream,
                    [0, 0, 0, 2] + HTTP2Fields.request()
                )
            ]
        },
        Fault("a header section that never ends", endsConnection: true) { stream in
            [.headers(stream, HTTP2Fields.block(Self.ok), ends: false, flags: 0)]
                + (0..<70).map { _ in HTTP2Frame(.continuation, stream: stream, [0x88]) }
        },
        Fault("a header section with another frame in it", endsConnection: true) { stream in
            [
                .headers(stream, HTTP2Fields.block(Self.ok), ends: false, flags: 0),
                .data(stream, [1]),
            ]
        },
        Fault("a broken header block", endsConnection: true) { [.headers($0, [0xFF])] },
        Fault("a head on an idle stream", endsConnection: true) {
            [.headers($0 + 20, HTTP2Fields.block(Self.ok))]
        },
        Fault("a head on a server stream", endsConnection: true) { _ in
            [.headers(2, HTTP2Fields.block(Self.ok))]
        },
        Fault("data on the connection", endsConnection: true) { _ in [.data(0, [1])] },
        Fault("a frame that is too long", endsConnection: true) {
            [.data($0, Array(repeating: 0, count: 16_385))]
        },
        Fault("a connection window above the maximum", endsConnection: true) { _ in
            [.window(0, 0x7FFF_FFFF)]
        },
        Fault("settings with a wrong length", endsConnection: true) { _ in
            [HTTP2Frame(.settings, [1])]
        },
        Fault("a window that is too large", endsConnection: true) { _ in
            [RawHTTP2Client.settings([(4, 0x8000_0000)])]
        },
        Fault("a server that enables push", endsConnection: true) { _ in
            [RawHTTP2Client.settings([(2, 1)])]
        },
        Fault("a flood of pings", endsConnection: true) { _ in
            (0..<1200).map { _ in HTTP2Frame(.ping, Array(repeating: 0, count: 8)) }
        },
        Fault("an error of the connection", closes: true) { stream in
            [HTTP2Frame(.goAway, HTTP2Frame.big(stream) + HTTP2Frame.big(2))]
        },
    ]

    @Test(arguments: Self.faults)
    func `an invalid response is a 502, without a retry`(_ fault: Fault) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            if peer.index == 0 {
                let request = try peer.request()
                try peer.send(fault.frames(request.stream))
                if fault.closes { return }
            }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/broken", body: "x"))
            var response = try client.response()
            while response.status == 103 { response = try client.response() }
            #expect(response.status == 502)
            _ = try response.problem()
            try client.send(Request.text("POST", "/next", body: "x"))
            #expect(try client.response().text == "/next")
            let record = scene.backend.record
            #expect(record.paths == ["/broken", "/next"])
            #expect(record.connections.count == (fault.endsConnection ? 2 : 1))
        }
    }

    @Test(arguments: [
        Fault("less data than declared") { [.data($0, [2], ends: true)] },
        Fault("more data than declared") { [.data($0, [2, 3, 4, 5])] },
        Fault("a reset") { [.reset($0, 2)] },
        Fault("REFUSED_STREAM") { [.reset($0, 7)] },
        Fault("another head") { [.headers($0, HTTP2Fields.block(Self.ok), ends: false)] },
        Fault("trailers too early") { [.headers($0, HTTP2Fields.block([("a", "b")]))] },
        Fault("the end of the connection", closes: true) { _ in [] },
        Fault("an error of the connection", endsConnection: true) { _ in [.window(0, 0)] },
    ])
    func `an incomplete response does not look complete`(_ fault: Fault) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                guard request.path == "/broken" else {
                    try peer.answer(request.stream, request.path)
                    continue
                }
                try peer.head(request.stream, "200", [("content-length", "3")])
                try peer.data(request.stream, [1])
                try peer.send(fault.frames(request.stream))
                if fault.closes { return }
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/broken"))
            let response = try client.response()
            #expect(response.status == 200)
            #expect(!response.isComplete)
            let other = try scene.connectHTTP2()
            try other.request(1, "GET", "/broken")
            let second = try other.response(1)
            #expect(!second.isComplete)
            #expect(second.reset != nil)
            try other.request(3, "GET", "/next")
            #expect(try other.response(3).text == "/next")
        }
    }

    @Test(arguments: [0, 1])
    func `an incomplete response that is chunked for the client does not look complete`(index: Int)
        async throws
    {
        let faults: [@Sendable (UInt32) -> [HTTP2Frame]] = [
            { [.reset($0, 2)] },
            { [.headers($0, HTTP2Fields.block([("te", "x"), ("upgrade", "a")]))] },
        ]
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.head(request.stream)
            try peer.data(request.stream, "abc")
            try peer.send(faults[index](request.stream))
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let response = try scene.ask(Request.text("GET", "/broken"))
            #expect(response.text == "abc")
            #expect(!response.isComplete)
        }
    }

    @Test
    func `data beyond the flow-control window ends the stream`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.head(request.stream)
            // The client of this stream reads no data, and the window stays closed.
            let piece = Array(repeating: UInt8(1), count: 16_384)
            for _ in 0..<24 { try peer.data(request.stream, piece) }
            let end = try peer.await { $0.isA(.resetStream) }
            #expect(end.stream == request.stream)
            #expect(end.number(at: 0) == 3)
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 0)])
            try client.request(1, "GET", "/flood")
            try scene.expectAnswer("/next")
            // The client still gets the bytes within the window.
            try client.send(HTTP2Frame(.windowUpdate, stream: 1, HTTP2Frame.big(1 << 20)))
            let response = try client.response(1)
            #expect(!response.isComplete && response.body.count == 256 * 1024)
        }
    }

    @Test
    func `a slow client stops the backend's stream, and no other stream`() async throws {
        let sent = Watched(0)
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.head(request.stream)
            var room = 256 * 1024
            let piece = Array(repeating: UInt8(1), count: 16_384)
            let end = Deadline.after(.seconds(2))
            while room >= piece.count, !end.hasPassed {
                try peer.data(request.stream, piece)
                sent.update { $0 += piece.count }
                room -= piece.count
            }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 1000)])
            try client.request(1, "GET", "/slow")
            try sent.wait(for: "a whole window") { $0 == 256 * 1024 ? true : nil }
            for _ in 0..<3 { try scene.expectAnswer("/next") }
            let updates = scene.backend.record.frames(.windowUpdate).filter { $0.stream == 1 }
            #expect(updates.isEmpty)
            try client.send(HTTP2Frame(.windowUpdate, stream: 1, HTTP2Frame.big(1 << 20)))
            try scene.backend.wait(for: "a larger window") { record in
                record.frames(.windowUpdate).contains { $0.stream == 1 } ? true : nil
            }
        }
    }

    @Test
    func `a body waits for the backend's window, and is sent completely`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            #expect(!request.isWhole)
            // The settings first allow too little, and then more.
            try peer.send(RawHTTP2Client.settings([(4, 3)]))
            let first = try peer.await { $0.isA(.data) }
            #expect(first.payload == Array("abc".utf8))
            try peer.send(RawHTTP2Client.settings([(4, 0)]), RawHTTP2Client.settings([(4, 5)]))
            let second = try peer.await { $0.isA(.data) }
            #expect(second.payload == Array("de".utf8))
            try peer.send(HTTP2Frame(.windowUpdate, stream: request.stream, HTTP2Frame.big(100)))
            let third = try peer.await { $0.isA(.data) }
            #expect(third.payload == Array("fgh".utf8))
            #expect(third.endsStream)
            try peer.answer(request.stream)
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [(4, 0)], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/", body: "abcdefgh"))
            #expect(try client.response().text == "fine")
        }
    }

    /// Each byte has its own frame or chunk, on two streams or connections.
    @Test(arguments: ["HTTP/1.1", "HTTP/2"])
    func `a body that waits for a window needs little more memory than its bytes`(
        _ version: String
    ) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            for _ in 0..<2 { _ = try peer.request() }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [(4, 0)], script: script) { scene in
            let before = try scene.gate.peakResidentSize()
            // Enough bytes to exceed the memory limit if each of them kept its read buffer. With a sanitizer,
            // they are few enough for the slow event loop, which would otherwise rightly reject the next request.
            let bytes = 8_192 / GateExecutable.slowdown
            if version == "HTTP/2" {
                let client = try scene.connectHTTP2()
                for stream in [1, 3] as [UInt32] {
                    try client.request(stream, "POST", "/upload", endsStream: false)
                    let frame = HTTP2Frame(.data, stream: stream, [0]).bytes
                    try client.send(bytes: Array(repeatElement(frame, count: bytes).joined()))
                }
                try scene.expectAnswer("/next")
                client.close()
            } else {
                let clients = try (0..<2).map { _ in try scene.connect() }
                let head = Request.text("POST", "/upload", fields: "Transfer-Encoding: chunked\r\n")
                let chunks = String(repeating: "1\r\nx\r\n", count: bytes)
                for client in clients { try client.send(head + chunks) }
                try scene.expectAnswer("/next")
                for client in clients { client.close() }
            }
            // This is far below 1 KiB per byte, plus the memory of the gate itself.
            try scene.gate.expectPeak(below: before + 4 << 20)
        }
    }

    @Test
    func `a backend that does not read a body in time loses the stream`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.await { $0.isA(.resetStream) && $0.stream == request.stream }
            try peer.answerAll()
        }
        let flags: [GateFlag] = [
            .threads(1), .bodyTimeout(seconds: 1), .responseTimeout(seconds: 1),
        ]
        try await HTTP2Scene.play(flags: flags, settings: [(4, 0)], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/", body: String(repeating: "x", count: 100_000)))
            #expect(try client.response().status == 504)
            try scene.expectAnswer("/next")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test
    func `a backend that does not respond in time loses only that stream`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.await { $0.isA(.resetStream) && $0.stream == request.stream }
            try peer.answerAll()
        }
        let flags: [GateFlag] = [.threads(1), .responseTimeout(seconds: 1)]
        try await HTTP2Scene.play(flags: flags, settings: [], script: script) { scene in
            try scene.expectStatus(504, Request.text("GET", "/"))
            try scene.expectAnswer("/next")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "",
        "\u{0}\u{0}\u{0}\u{6}\u{0}\u{0}",
    ])
    func `a backend that does not support HTTP/2 causes a 502`(_ words: String) async throws {
        let script: RawHTTP2Backend.Script = { try $0.send(bytes: Array(words.utf8)) }
        try await HTTP2Scene.play(script: script) { scene in
            try scene.expectStatus(502, Request.text("POST", "/", body: "x"))
            try scene.gate.logLine("the reason") { $0.message == "cannot connect to the backend" }
        }
    }

    @Test
    func `a backend that sends nothing causes a 504`() async throws {
        let flags: [GateFlag] = [.threads(1), .connectTimeout(seconds: 1)]
        let script: RawHTTP2Backend.Script = { _ = try $0.await { $0.isA(.goAway) } }
        try await HTTP2Scene.play(flags: flags, script: script) { scene in
            try scene.expectStatus(504, Request.text("GET", "/"))
        }
    }
}

extension HTTP2Frame {
    static func reset(_ stream: UInt32, _ code: UInt32) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, Self.big(code))
    }

    /// The same header section in frames of a valid size.
    fileprivate var pieces: [HTTP2Frame] {
        let first = HTTP2Frame(
            .headers,
            flags: self.flags & ~HTTP2Frame.endHeaders,
            stream: self.stream,
            Array(self.payload.prefix(16_000))
        )
        let rest = Array(self.payload.dropFirst(16_000))
        let others = stride(from: 0, to: rest.count, by: 16_000).map { start in
            let end = min(start + 16_000, rest.count)
            return HTTP2Frame(
                .continuation,
                flags: end == rest.count ? HTTP2Frame.endHeaders : 0,
                stream: self.stream,
                Array(rest[start..<end])
            )
        }
        return [first] + others
    }
}
