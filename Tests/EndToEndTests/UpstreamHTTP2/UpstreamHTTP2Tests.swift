import GateTestSupport
import Testing

/// Requests to a backend over HTTP/2, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UpstreamHTTP2Tests {
    @Test
    func `an HTTP/1.1 request is converted to HTTP/2`() async throws {
        try await HTTP2Scene.play(settings: [], script: { try $0.answerAll() }) { scene in
            let fields =
                "Cookie: a=1; b=2\r\nX-One: 1\r\nTE: trailers, gzip\r\nConnection: x-two, te\r\n"
                + "X-Two: 2\r\nKeep-Alive: 5\r\nUpgrade: websocket\r\n"
            let response = try scene.ask(Request.text("DELETE", "/a?b=c", fields: fields))
            #expect(response.status == 200)
            #expect(response.text == "/a?b=c")
            #expect(response.fields["content-length"] == ["6"])
            let request = try #require(scene.backend.record.requests.first)
            #expect(
                request.lines.prefix(4).map(\.name) == [
                    ":method", ":scheme", ":authority", ":path",
                ]
            )
            #expect(request[":method"] == ["DELETE"])
            #expect(request[":scheme"] == ["http"])
            #expect(request[":authority"] == ["gate"])
            #expect(request["cookie"] == ["a=1; b=2"])
            #expect(request["x-one"] == ["1"])
            #expect(request["te"] == ["trailers"])
            #expect(request["x-forwarded-host"] == ["gate"])
            #expect(request["x-versiongate-decision"] == ["allow"])
            for name in ["host", "connection", "x-two", "keep-alive", "upgrade"] {
                #expect(request[name].isEmpty, "\(name)")
            }
            #expect(request.lines.allSatisfy { $0.name == $0.name.lowercased() })
        }
    }

    @Test
    func `an HTTP/2 request is forwarded as HTTP/2`() async throws {
        try await HTTP2Scene.play(settings: [], script: { try $0.answerAll() }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "GET", "/a", [("cookie", "a=1"), ("cookie", "b=2")])
            let response = try client.response(1)
            #expect(response.text == "/a")
            #expect(response.isComplete)
            let request = try #require(scene.backend.record.requests.first)
            #expect(request["cookie"] == ["a=1; b=2"])
            #expect(request[":authority"] == ["gate"])
            #expect(request["te"].isEmpty)
        }
    }

    @Test
    func `the end of a client's connection resets its calls at the backend`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let call = try peer.request()
            try peer.head(call.stream, "200", [("content-type", "application/grpc")])
            try peer.await { $0.isA(.resetStream) && $0.stream == call.stream }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/Watch", [("content-type", "application/grpc")])
            _ = try client.frame { $0.isA(.headers) && $0.stream == 1 }
            client.finishSending()
            try scene.backend.wait(for: "the reset") { record in
                record.frames(.resetStream).isEmpty ? nil : true
            }
            // The connection continues to serve other requests.
            try scene.expectAnswer("/next")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test
    func `many requests share one connection`() async throws {
        let all = Latch()
        let script: RawHTTP2Backend.Script = { peer in
            let requests = try (0..<40).map { _ in try peer.request() }
            all.open()
            for request in requests.reversed() { try peer.answer(request.stream, request.path) }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let clients = try (0..<20).map { _ in try scene.connect() }
            let other = try scene.connectHTTP2()
            for (index, client) in clients.enumerated() {
                try client.send(Request.text("GET", "/\(index)"))
            }
            let streams = (0..<20).map { UInt32($0 * 2 + 1) }
            for stream in streams { try other.request(stream, "GET", "/s\(stream)") }
            try all.wait()
            for (index, client) in clients.enumerated() {
                #expect(try client.response().text == "/\(index)")
            }
            for stream in streams { #expect(try other.response(stream).text == "/s\(stream)") }
            try scene.expectAnswer("/late")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `bodies are forwarded in both directions`(isCounted: Bool, isHTTP2: Bool) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            let body = try peer.body(of: request)
            let length = [("content-length", "\(body.bytes.count)")]
            try peer.head(request.stream, "200", isCounted ? length : [])
            for start in stride(from: 0, to: body.bytes.count, by: 10_000) {
                try peer.data(request.stream, Array(body.bytes[start..<start + 10_000]))
            }
            try peer.data(request.stream, "", ends: true)
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let body = BodyPattern.bytes(0..<200_000)
            if isHTTP2 {
                let client = try scene.connectHTTP2(settings: [(4, 1 << 20)])
                let length = isCounted ? [("content-length", "200000")] : []
                try client.request(1, "POST", "/", length, endsStream: false)
                for start in stride(from: 0, to: body.count, by: 10_000) {
                    if start == 60_000 {
                        _ = try client.frame { $0.isA(.windowUpdate) && $0.stream == 1 }
                    }
                    try client.data(1, Array(body[start..<start + 10_000]))
                }
                try client.data(1, [], endsStream: true)
                let response = try client.response(1)
                #expect(response.isComplete && response.body == body)
            } else {
                let client = try scene.connect()
                let length = isCounted ? "Content-Length: 200000" : "Transfer-Encoding: chunked"
                try client.send("POST / HTTP/1.1\r\nHost: gate\r\n\(length)\r\n\r\n")
                if isCounted {
                    try client.send(body)
                } else {
                    try client.send("30d40\r\n")
                    try client.send(body)
                    try client.send("\r\n0\r\n\r\n")
                }
                let response = try client.response()
                #expect(response.isComplete && response.body == body)
                try client.send(Request.text("GET", "/next"))
                #expect(try client.response().text == "/next")
            }
        }
    }

    @Test
    func `trailers are forwarded in both directions`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                let body = try peer.body(of: request)
                try peer.head(request.stream)
                try peer.data(request.stream, body.bytes)
                let said = body.trailers["x-said"].first ?? "nothing"
                try peer.fields(request.stream, [("x-heard", said), ("x-more", "")], ends: true)
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            for index in 0..<2 {
                try client.send(
                    "POST / HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3\r\nabc\r\n0\r\nX-Said: it\(index)\r\n\r\n"
                )
                let response = try client.response()
                #expect(response.text == "abc")
                #expect(response.end.trailers["x-heard"] == ["it\(index)"])
            }
            let other = try scene.connectHTTP2()
            try other.request(1, "POST", "/", endsStream: false)
            try other.data(1, Array("abc".utf8))
            let trailers = HTTP2Fields.block([("x-said", "it")])
            try other.send(.headers(1, trailers))
            let response = try other.response(1)
            #expect(response.text == "abc")
            #expect(response.trailers?["x-heard"] == ["it"])
            #expect(response.trailers?["x-more"] == [""])
        }
    }

    @Test
    func `trailers after a body with a length are forwarded between two HTTP/2 sides`() async throws
    {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                let body = try peer.body(of: request)
                try peer.head(request.stream, "200", [("content-length", "\(body.bytes.count)")])
                try peer.data(request.stream, body.bytes)
                let said = body.trailers["x-said"].first ?? "nothing"
                try peer.fields(request.stream, [("x-heard", said)], ends: true)
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connectHTTP2()
            for stream in [1, 3] as [UInt32] {
                try client.request(
                    stream,
                    "POST",
                    "/",
                    [("content-length", "3")],
                    endsStream: false
                )
                try client.data(stream, Array("abc".utf8))
                try client.send(.headers(stream, HTTP2Fields.block([("x-said", "it")])))
                let response = try client.response(stream)
                #expect(response.text == "abc")
                #expect(response.trailers?["x-heard"] == ["it"])
            }
            for record in scene.backend.record.requests {
                #expect(record["content-length"] == ["3"])
            }
            // HTTP/1.1 cannot carry these trailers, and the client does not wait for them.
            let other = try scene.connect()
            for _ in 0..<2 {
                try other.send(
                    "POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 3\r\n\r\nabc"
                )
                #expect(try other.response().text == "abc")
            }
        }
    }

    /// Framing, routing and identity fields are not allowed in trailers (RFC 9110 section 6.5.1).
    @Test(arguments: ["x-app-version", "x-request-id", "content-length"], [true, false])
    func `an identity or framing field in trailers is rejected`(
        name: String,
        isCounted: Bool
    ) async throws {
        try await HTTP2Scene.play(settings: [], script: { try $0.answerAll() }) { scene in
            let client = try scene.connectHTTP2()
            let length = isCounted ? [("content-length", "3")] : []
            try client.request(1, "POST", "/", length, endsStream: false)
            try client.data(1, Array("abc".utf8))
            try client.send(.headers(1, HTTP2Fields.block([(name, "9")])))
            #expect(try client.response(1).status == 400)
            try client.request(3, "GET", "/next")
            #expect(try client.response(3).text == "/next")
        }
    }

    @Test
    func `responses without content are complete with their heads`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                try peer.fields(
                    request.stream,
                    [(":status", "103"), ("link", "</a>")],
                    ends: false
                )
                let status = request.path == "/" ? "200" : String(request.path.dropFirst())
                let length = status == "204" ? [] : [("content-length", "5")]
                try peer.fields(request.stream, [(":status", status)] + length, ends: true)
            }
        }
        let questions = [("HEAD", "/"), ("GET", "/204"), ("GET", "/304")]
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let other = try scene.connectHTTP2()
            for (stream, (method, path)) in zip([1, 3, 5] as [UInt32], questions) {
                try other.request(stream, method, path)
                let response = try other.response(stream)
                #expect(response.isComplete && response.text == "", "\(method) \(path)")
                #expect(response.status == Int(path.dropFirst()) ?? 200)
            }
        }
    }

    @Test(arguments: [("content-length", "3"), ("content-type", "text/html")])
    func `a backend's trailers with fields that are not allowed are not forwarded`(
        _ trailer: (String, String)
    ) async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let stream = try peer.request().stream
                try peer.head(stream)
                try peer.data(stream, Array("abc".utf8))
                try peer.fields(stream, [trailer], ends: true)
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/"))
            let response = try client.response()
            #expect(response.text == "abc" && !response.isComplete)
            let other = try scene.connectHTTP2()
            try other.request(1, "GET", "/")
            #expect(try !other.response(1).isComplete)
        }
    }

    @Test
    func `both sides send at the same time`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.head(request.stream, "200", [("content-type", "text/plain")])
            while true {
                let frame = try peer.await { $0.isA(.data) && $0.stream == request.stream }
                try peer.data(request.stream, frame.payload.reversed(), ends: frame.endsStream)
                if frame.endsStream { break }
            }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/", endsStream: false)
            let head = try client.frame { $0.isA(.headers) }
            #expect(head?.stream == 1)
            for word in ["abc", "defg", "h"] {
                try client.data(1, Array(word.utf8))
                let answer = try client.frame { $0.isA(.data) }
                #expect(answer?.payload == word.utf8.reversed())
            }
            try client.data(1, Array("xy".utf8), endsStream: true)
            let last = try client.frame { $0.isA(.data) && !$0.payload.isEmpty }
            #expect(last?.payload == Array("yx".utf8))
            try client.request(3, "GET", "/next")
            #expect(try client.response(3).text == "/next")
        }
    }

    @Test
    func `responses without a body and interim responses are forwarded as they are`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            while true {
                let request = try peer.request()
                let length = [("content-length", "5")]
                switch request.path {
                case "/early":
                    try peer.head(request.stream, "103", [("link", "</a>")])
                    try peer.answer(request.stream, "late")
                case "/continue":
                    try peer.head(request.stream, "100")
                    let body = try peer.body(of: request)
                    try peer.answer(request.stream, String(decoding: body.bytes, as: UTF8.self))
                case "/head": try peer.head(request.stream, "200", length, ends: true)
                case "/head-open":
                    try peer.head(request.stream, "200", length)
                    try peer.data(request.stream, "", ends: true)
                case "/304": try peer.head(request.stream, "304", length, ends: true)
                case "/204": try peer.head(request.stream, "204", ends: true)
                case "/zero":
                    try peer.head(request.stream, "200", [("content-length", "0")])
                    try peer.data(request.stream, "", ends: true)
                default: try peer.head(request.stream, "200", ends: true)
                }
            }
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            let cases: [(String, String, Int, String?)] = [
                ("HEAD", "/head", 200, "5"), ("HEAD", "/head-open", 200, "5"),
                ("GET", "/304", 304, "5"), ("GET", "/204", 204, nil), ("GET", "/zero", 200, "0"),
                ("GET", "/empty", 200, "0"),
            ]
            for (method, path, status, length) in cases {
                try client.send(Request.text(method, path))
                let response = try client.response(toHead: method == "HEAD")
                #expect(response.status == status, "\(path)")
                #expect(response.fields["content-length"] == (length.map { [$0] } ?? []), "\(path)")
                #expect(response.body.isEmpty)
            }
            try client.send(Request.text("GET", "/early"))
            let early = try client.head()
            #expect(early?.status == 103)
            #expect(early?.fields["link"] == ["</a>"])
            #expect(try client.response().text == "late")
            try client.send(
                "POST /continue HTTP/1.1\r\nHost: gate\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 2\r\n\r\n"
            )
            #expect(try client.head()?.status == 100)
            try client.send("ok")
            #expect(try client.response().text == "ok")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test
    func `pings and settings are acknowledged`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let ping = Array("12345678".utf8)
            try peer.send(HTTP2Frame(.ping, ping), RawHTTP2Client.settings([(4, 100)]))
            let acknowledged: (HTTP2Frame) -> Bool = {
                $0.flags & HTTP2Frame.acknowledgement != 0
            }
            try peer.await { $0.isA(.ping) && $0.payload == ping && acknowledged($0) }
            for _ in 0..<2 { try peer.await { $0.isA(.settings) && acknowledged($0) } }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            try scene.expectAnswer("/a")
        }
    }

    @Test
    func `a backend may open the window for a long upload in small steps`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            var count = 0
            while true {
                let frame = try peer.await { $0.isA(.data) && $0.stream == request.stream }
                count += frame.payload.count
                if frame.endsStream { break }
                // Far more updates than a connection may send without data.
                let update = HTTP2Frame(.windowUpdate, stream: request.stream, HTTP2Frame.big(1024))
                try peer.send(Array(repeating: update, count: 8))
            }
            try peer.answer(request.stream, "\(count)")
        }
        try await HTTP2Scene.play(settings: [(4, 1 << 30)], script: script) { scene in
            let client = try scene.connect()
            let size = 16_000_000
            try client.send("POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<16 { try client.send(Array(repeating: 1, count: size / 16)) }
            #expect(try client.response().text == "\(size)")
        }
    }

    @Test
    func `a client that resets its stream resets no other`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let first = try peer.request()
            let second = try peer.request()
            let gone = try peer.await { $0.isA(.resetStream) }
            for request in [first, second] where request.stream != gone.stream {
                try peer.answer(request.stream, "code \(gone.number(at: 0) ?? 99)")
            }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let patient = try scene.connect()
            try patient.send(Request.text("GET", "/patient"))
            let other = try scene.connectHTTP2()
            try other.request(1, "GET", "/gone")
            try scene.backend.wait(for: "both requests") { $0.paths.count == 2 ? true : nil }
            try other.send(.reset(1))
            #expect(try patient.response().text == "code 8")
            try scene.expectAnswer("/a")
            #expect(scene.backend.record.connections.count == 1)
        }
    }

    @Test
    func `an early response is forwarded, and the rest of the request is not`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            try peer.answer(request.stream, "enough")
            try peer.await { $0.isA(.resetStream) && $0.stream == request.stream }
            try peer.answerAll()
        }
        try await HTTP2Scene.play(settings: [], script: script) { scene in
            let client = try scene.connect()
            try client.send("POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 10\r\n\r\nabc")
            let response = try client.response()
            #expect(response.text == "enough")
            // The gate could not distinguish another request from the rest of the body.
            #expect(response.fields["Connection"] == ["close"])
            try client.send("defghij" + Request.text("GET", "/next"))
            client.finishSending()
            #expect(try client.rest().bytes == [])
            try scene.expectAnswer("/other")
            #expect(scene.backend.record.connections.count == 1)
        }
    }
}
