import Foundation
import GateTestSupport
import Testing

/// Requests that are retried over HTTP/2, and requests that are not.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UpstreamHTTP2RetryTests {
    @Test
    func `requests that a GOAWAY leaves unprocessed are sent again`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            guard peer.index == 0 else { return try peer.answerAll() }
            let requests = try (0..<4).map { _ in try peer.request() }
            let first = requests.first { $0.path == "/0" }
            for request in requests where !request.isWhole {
                try peer.await { $0.isA(.data) && $0.stream == request.stream && $0.endsStream }
            }
            let last = requests.map(\.stream).min() ?? 0
            #expect(first?.stream == last)
            // Like a real server, the backend first announces the shutdown and then sends the last stream (RFC 9113
            // section 6.8).
            try peer.goAway(last: 0x7FFF_FFFF)
            try peer.goAway(last: last)
            try peer.answer(last, "old")
            try peer.await { $0.isA(.goAway) }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let clients = try (0..<4).map { _ in try scene.connect() }
            for (index, client) in clients.enumerated() {
                let isPost = index > 1
                try client.send(
                    Request.text(isPost ? "POST" : "GET", "/\(index)", body: isPost ? "body" : nil)
                )
                try scene.backend.wait(for: "the request") {
                    $0.paths.count == index + 1 ? true : nil
                }
            }
            for (index, client) in clients.enumerated() {
                let response = try client.response()
                #expect(response.text == (index == 0 ? "old" : "/\(index)"))
            }
            let record = scene.backend.record
            #expect(record.connections.count == 2)
            #expect(record.paths.filter { $0 == "/0" }.count == 1)
            for path in ["/1", "/2", "/3"] {
                #expect(record.paths.filter { $0 == path }.count == 2)
            }
            let bodies = record.connections[1].frames.filter { $0.isA(.data) }
            #expect(bodies.map(\.payload) == [Array("body".utf8), Array("body".utf8)])
        }
    }

    @Test(arguments: [1, 2, 1000])
    func `a refused stream is retried once`(refusals: Int) async throws {
        let count = Watched(0)
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                let isRefused =
                    request.path == "/"
                    && count.update {
                        $0 += 1; return $0 <= refusals
                    }
                guard isRefused else {
                    let body = try peer.body(of: request).bytes
                    try peer.answer(request.stream, String(decoding: body, as: UTF8.self))
                    continue
                }
                try peer.reset(request.stream, 7)
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            for (method, body) in [("POST", "hello"), ("GET", nil)] as [(String, String?)] {
                count.update { $0 = 0 }
                try client.send(Request.text(method, "/", body: body))
                let response = try client.response()
                #expect(response.status == (refusals == 1 ? 200 : 502))
                if refusals == 1 { #expect(response.text == body ?? "") }
                #expect(count.current == 2)
            }
        }
    }

    /// Chunk framing is removed for the first backend and added for the second.
    ///
    /// Whenever the first backend refuses, the second one gets the complete body, and no bytes that look like another
    /// request.
    @Test(arguments: [
        ("32\r\nAAAAAAAAAA", "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n\r\n0\r\n\r\n"),
        ("4\r\nAAAA", "\r\n4\r\nBBBB\r\n0\r\n\r\n"), ("4\r\nAAAA\r\n", "4\r\nBBBB\r\n0\r\n\r\n"),
        ("4\r\nAAAA\r\n0\r\n", "\r\n"), ("4\r\nAAAA\r\n0\r\nX-T: 1\r\n", "X-U: 2\r\n\r\n"),
        ("4\r\nAAAA\r\n0\r\nX-T: 1\r\n\r\n", ""),
    ])
    func `a body that one backend refuses is sent to an HTTP/1.1 backend completely`(
        beginning: String,
        rest: String
    ) async throws {
        let seen = Latch()
        let refuses: RawHTTP2Backend.Script = { peer in
            try peer.greet([])
            while true {
                let request = try peer.request()
                guard request.path == "/up" else {
                    try peer.answer(request.stream, "first")
                    continue
                }
                _ = try peer.await { $0.isA(.data) && $0.stream == request.stream }
                try peer.reset(request.stream, 7)
                seen.open()
            }
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let first = try RawHTTP2Backend(script: refuses)
        let second = try ScriptedBackend { _ in
            [
                .readBody,
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
            ]
        }
        try await Scene.play(
            in: folder,
            flags: [.threads(1)],
            backends: [second],
            upstream: "h2c://127.0.0.1:\(first.port),http://127.0.0.1:\(second.port)"
        ) { scene in
            // The backends take turns, and either of them may be first.
            if try scene.ask(Request.text("GET", "/turn")).text == "first" {
                #expect(try scene.ask(Request.text("GET", "/turn")).text == "ok")
            }
            let client = try scene.connect()
            try client.send(
                "POST /up HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding: chunked\r\n\r\n" + beginning
            )
            try seen.wait()
            try client.send(rest)
            #expect(try client.response().text == "ok")
            let sent = try scene.finalRecord().received
            let text = String(decoding: sent, as: UTF8.self)
            let upload = try #require(text.range(of: "POST /up"))
            let head = try #require(
                text.range(of: "\r\n\r\n", range: upload.upperBound..<text.endIndex)
            )
            let body = String(text[head.upperBound...])
            #expect(try Chunks(body) == Chunks(beginning + rest))
        }
    }

    @Test
    func `a long body that was sent in part is not sent again`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                guard request.path == "/" else {
                    try peer.answer(request.stream, request.path)
                    continue
                }
                var count = 0
                while count < 100_000 {
                    let frame = try peer.await { $0.isA(.data) && $0.stream == request.stream }
                    count += frame.payload.count
                }
                try peer.reset(request.stream, 7)
            }
        }
        try await HTTP2Scene.play(settings: [(4, 1 << 20)], script: script) { scene in
            let client = try scene.connect()
            let body = String(repeating: "x", count: 100_000)
            try client.send(Request.text("POST", "/", body: body))
            #expect(try client.response().status == 502)
            #expect(scene.backend.record.paths == ["/"])
            try scene.expectAnswer("/next")
        }
    }

    @Test(arguments: [("GET", true, 200), ("POST", true, 502), ("GET", false, 502)])
    func `after a lost connection, only idempotent requests are retried`(
        _ method: String,
        _ hasServed: Bool,
        _ status: Int
    ) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            if hasServed {
                let request = try peer.request()
                try peer.answer(request.stream, request.path)
            }
            if peer.index == 0 {
                _ = try peer.request()
                return
            }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            if hasServed {
                try client.send(Request.text("GET", "/first"))
                #expect(try client.response().text == "/first")
            }
            try client.send(Request.text(method, "/lost"))
            #expect(try client.response().status == status)
            let tries = scene.backend.record.paths.filter { $0 == "/lost" }.count
            #expect(tries == (status == 200 ? 2 : 1))
        }
    }

    @Test
    func `no connection has more streams than it allows`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                let frames = peer.frameCount(.headers)
                // No other request may arrive before the response to this one.
                try peer.send(HTTP2Frame(.ping, Array("acknowle".utf8)))
                try peer.await { $0.isA(.ping) }
                #expect(peer.frameCount(.headers) == frames)
                try peer.answer(request.stream, request.path)
            }
        }
        try await HTTP2Scene.play(settings: [(3, 1)], script: script) { scene in
            let other = try scene.connectHTTP2()
            let streams = (0..<12).map { UInt32($0 * 2 + 1) }
            for stream in streams { try other.request(stream, "GET", "/\(stream)") }
            for stream in streams { #expect(try other.response(stream).text == "/\(stream)") }
            #expect(scene.backend.record.connections.count <= 12)
            #expect(scene.backend.record.paths.count == 12)
        }
    }

    @Test
    func `a backend that allows no streams causes a 502`() async throws {
        let script: RawHTTP2Backend.Script = { try $0.await { $0.isA(.goAway) } }
        try await HTTP2Scene.play(settings: [(3, 0)], script: script) { scene in
            try scene.expectStatus(502, Request.text("GET", "/"))
        }
    }

    @Test
    func `a backend that lowers its stream limit gets no more streams`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            guard peer.index == 0 else { return try peer.answerAll() }
            let first = try peer.request()
            try peer.send(RawHTTP2Client.settings([(3, 1)]))
            try peer.await { $0.isA(.settings) && $0.flags & HTTP2Frame.acknowledgement != 0 }
            try peer.await { $0.isA(.settings) && $0.flags & HTTP2Frame.acknowledgement != 0 }
            try peer.send(HTTP2Frame(.ping, Array("01234567".utf8)))
            try peer.await { $0.isA(.goAway) || $0.isA(.resetStream) }
            #expect(peer.frameCount(.headers) == 1)
            try peer.answer(first.stream)
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/stays"))
            try scene.backend.wait(for: "settings") { record in
                record.frames(.ping).isEmpty ? nil : true
            }
            try scene.expectAnswer("/next")
            #expect(scene.backend.record.connections.count == 2)
        }
    }
}

/// The content and the trailers of a chunked body.
private struct Chunks: Equatable {
    var content = ""
    var trailers: [String] = []

    struct Malformed: Error {}

    init(_ text: String) throws {
        // The parser works on bytes because CR LF is one character.
        var rest = Array(text.utf8)[...]
        func line() throws -> String {
            guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D
            else { throw Malformed() }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<(end - 1)], as: UTF8.self)
        }
        while true {
            guard let count = Int(try line(), radix: 16) else { throw Malformed() }
            guard count > 0 else { break }
            self.content += String(decoding: rest.prefix(count), as: UTF8.self)
            rest = rest.dropFirst(count)
            guard try line().isEmpty else { throw Malformed() }
        }
        while true {
            let trailer = try line()
            guard !trailer.isEmpty else { break }
            self.trailers.append(trailer.lowercased())
        }
        guard rest.isEmpty else { throw Malformed() }
    }
}
