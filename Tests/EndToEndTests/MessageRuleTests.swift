import GateTestSupport
import Testing

/// Fields that a proxy adds and removes, and messages that it waits for, as defined in RFC 9110 and RFC 9112.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct MessageRuleTests {
    @Test
    func `HEAD gets the fields of the response and no body`() async throws {
        let script: ScriptedBackend.Script = { request in
            request.method == "HEAD"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("HEAD", "/a"))
            let response = try client.response(toHead: true)
            #expect(response.fields["Content-Length"] == ["12345"])
            try client.send(Request.text("GET", "/next"))
            #expect(try client.response().json(EchoReport.self).target == "/next")
        }
    }

    @Test
    func `a client that waits for 100 gets it and sends its body`() async throws {
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 100 Continue\r\n\r\n"), .echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            let fields = "Expect: 100-continue\r\nContent-Length: 5\r\n"
            try client.send(Request.text("POST", "/a", fields: fields))
            #expect(try client.head()?.status == 100)
            try client.send("hello")
            #expect(try client.response().json(EchoReport.self).body == "hello")
        }
    }

    @Test
    func `a final response instead of a 100 is forwarded at once`() async throws {
        let script: ScriptedBackend.Script = { _ in [.answer("417 No"), .close] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            let fields = "Expect: 100-continue\r\nContent-Length: 5\r\n"
            try client.send(Request.text("POST", "/a", fields: fields))
            #expect(try client.response().status == 417)
        }
    }

    @Test
    func `interim responses are forwarded, but not to HTTP 1.0 clients`() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
        let script: ScriptedBackend.Script = { _ in [.send(hints), .send(hints), .echo] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            for _ in 0..<2 {
                let hint = try #require(try client.head())
                #expect(hint.status == 103)
                #expect(hint.fields["Link"] == ["</a.css>; rel=preload"])
            }
            #expect(try client.response().status == 200)
            #expect(try scene.ask("GET / HTTP/1.0\r\nHost: gate\r\n\r\n").status == 200)
        }
    }

    @Test
    func `an early response arrives before the body has been read`() async throws {
        let script: ScriptedBackend.Script = { _ in [.answer("413 Too Large"), .stall] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: "Content-Length: 1000000\r\n"))
            try client.send("the beginning of a body")
            #expect(try client.response().status == 413)
            // The request is incomplete, so it is unknown where the next one starts.
            try client.send(Request.text("GET", "/smuggled"))
            client.close()
            #expect(try scene.finalRecord().targets == ["/a"])
        }
    }

    @Test
    func `hop-by-hop fields are not forwarded`() async throws {
        let answer =
            "Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-End: 1\r\n"
        let script: ScriptedBackend.Script = { _ in [.answer(fields: answer)] }
        try await Scene.play(backend: script) { scene in
            let response = try scene.ask(
                Request.text(
                    fields: "Connection: keep-alive, X-Secret\r\nX-Secret: 1\r\nX-Open: 1\r\n"
                        + "Keep-Alive: timeout=9\r\nProxy-Connection: keep-alive\r\nTE: gzip\r\n"
                )
            )
            let request = try #require(scene.backend.record.requests.first)
            for name in ["X-Secret", "Keep-Alive", "Proxy-Connection"] {
                #expect(request.fields[name].isEmpty, "\(name)")
            }
            #expect(request.fields["TE"].allSatisfy { $0 == "trailers" })
            #expect(request.fields["X-Open"] == ["1"])
            #expect(response.fields["X-Hop"].isEmpty)
            #expect(!response.fields["Keep-Alive"].contains("timeout=5"))
            #expect(response.fields["X-End"] == ["1"])
        }
    }

    @Test(arguments: ["Accept", "Content-Type", "Accept-Language", "accept , X-Open"])
    func `an end-to-end field that Connection names is hop-by-hop, too`(
        _ name: String
    ) async throws {
        try await Scene.play { scene in
            let fields =
                "Accept: text/html\r\nContent-Type: text/plain\r\nAccept-Language: ja\r\n"
            _ = try scene.ask(Request.text(fields: "Connection: \(name)\r\n" + fields))
            let request = try #require(scene.backend.record.requests.first)
            let named = name.split(separator: " ").first.map(String.init) ?? name
            #expect(request.fields[named].isEmpty)
            let others = ["Accept", "Content-Type", "Accept-Language"].filter {
                $0.lowercased() != named.lowercased()
            }
            for other in others { #expect(!request.fields[other].isEmpty, "\(other)") }
        }
    }

    @Test(arguments: ["TRACE", "OPTIONS"])
    func `a request with Max-Forwards 0 gets a response from the gate`(
        _ method: String
    ) async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text(method, "/a", fields: "Max-Forwards: 0\r\n"))
            let response = try client.response()
            #expect(response.status == (method == "TRACE" ? 405 : 204))
            #expect(response.fields.tokens("Allow").contains("get"))
            // The connection stays open, and greater values are decremented.
            for (said, heard) in [("1", "0"), ("00010", "9"), ("99999999999", "99999999998")] {
                let next = Request.text(method, "/next", fields: "Max-Forwards: \(said)\r\n")
                try client.send(next)
                let echo: EchoReport = try client.response().json()
                #expect(echo.fields["Max-Forwards"] == [heard])
            }
            try client.send(Request.text("GET", "/get", fields: "Max-Forwards: 0\r\n"))
            let echo: EchoReport = try client.response().json()
            #expect(echo.fields["Max-Forwards"] == ["0"], "it means nothing to other methods")
            #expect(try scene.finalRecord().exchanges.count == 4)
        }
    }

    @Test(arguments: ["Max-Forwards: -1", "Max-Forwards: 1, 1", "Max-Forwards:", "Max-Forwards: a"])
    func `an invalid Max-Forwards value is rejected`(_ field: String) async throws {
        try await Scene.play { scene in
            for method in ["TRACE", "OPTIONS"] {
                let response = try scene.ask(Request.text(method, "/a", fields: "\(field)\r\n"))
                #expect(response.status == 400)
            }
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `chunk extensions are removed in both directions`() async throws {
        let body = "5;a\r\nhello\r\n6;b=\"c;d\"; e = f\r\n there\r\n0;last\r\nX-Sum: 1\r\n\r\n"
        let plain = "5\r\nhello\r\n6\r\n there\r\n0\r\nX-Sum: 1\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let script: ScriptedBackend.Script = { _ in [.readBody, .send(head + body), .close] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            let fields = "Transfer-Encoding: chunked\r\n"
            let request = Request.text("POST", "/a", fields: fields)
            // Sent in two parts that split a chunk line.
            try client.send(request + body.prefix(4))
            try client.send(String(body.dropFirst(4)))
            #expect(try client.head()?.status == 200)
            #expect(try client.bytes(plain.utf8.count) == Array(plain.utf8))
            #expect(scene.backend.record.contains("\r\n\r\n" + plain))
        }
    }

    @Test(arguments: ["5;", "5;;", "5;=", "5; ", "5;a b", "5;a=\"x", "5;\u{FF}", "5;a=", "5;a,b"])
    func `a malformed chunk extension is rejected from clients and backends`(_ size: String)
        async throws
    {
        let body = "\(size)\r\nhello\r\n0\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let script: ScriptedBackend.Script = { request in
            request.target == "/answer" ? [.send(head + body), .stall] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let post = Request.text("POST", "/a", fields: "Transfer-Encoding: chunked\r\n")
            #expect(try scene.ask(post + body).status == 400)
            let client = try scene.connect()
            try client.send(Request.text("GET", "/answer"))
            // No part of the body is forwarded. If the head was forwarded before the fault was found, the client gets
            // only the head.
            if let answer = try client.head(), answer.status == 200 {
                #expect(try client.rest().bytes.isEmpty)
            }
        }
    }

    @Test(arguments: ["X-App-Version", "close, x-app-version", "X-App-Platform, X-App-Id"])
    func `naming an identity field in Connection does not hide it`(
        _ connection: String
    ) async throws {
        try await Scene.play { scene in
            let fields = "Connection: \(connection)\r\n" + Request.outdated
            let response = try scene.ask(Request.text(fields: fields))
            #expect(response.status == 426)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test(arguments: ["Host", "Content-Length", "Transfer-Encoding", "X-Forwarded-For"])
    func `naming one of the gate's own fields in Connection does not remove it`(
        _ name: String
    ) async throws {
        try await Scene.play { scene in
            let fields = "Connection: \(name)\r\n"
            let response = try scene.ask(Request.text("POST", "/a", fields: fields, body: "hello"))
            if response.status != 400 {
                let echo: EchoReport = try response.json()
                #expect(echo.body == "hello")
                #expect(echo.fields["Host"] == ["gate"])
                #expect(echo.fields.tokens("X-Forwarded-For").last == "127.0.0.1")
            }
        }
    }

    @Test
    func `the backend gets the client's address, whatever the client claims`() async throws {
        try await Scene.play { scene in
            let claims =
                "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n"
                + "X-VersionGate-Decision: allow; forged\r\n"
            let plain: EchoReport = try scene.ask(Request.text()).json()
            let forged: EchoReport = try scene.ask(Request.text(fields: claims)).json()
            #expect(plain.fields.tokens("X-Forwarded-For") == ["127.0.0.1"])
            #expect(forged.fields.tokens("X-Forwarded-For").last == "127.0.0.1")
            #expect(plain.fields["X-Forwarded-Proto"] == ["http"])
            #expect(forged.fields["X-Forwarded-Proto"].count == 1)
            #expect(plain.fields["X-Forwarded-Host"] == ["gate"])
            #expect(plain.fields["Host"] == ["gate"])
            #expect(forged.fields["X-VersionGate-Decision"].count == 1)
            #expect(!forged.fields["X-VersionGate-Decision"].contains { $0.contains("forged") })
        }
    }

    @Test
    func `every request has its own ID`() async throws {
        try await Scene.play { scene in
            let first: EchoReport = try scene.ask(Request.text()).json()
            let second: EchoReport = try scene.ask(Request.text()).json()
            let ids = first.fields["X-Request-Id"] + second.fields["X-Request-Id"]
            #expect(ids.count == 2)
            #expect(Set(ids).count == 2)
            #expect(ids.allSatisfy { !$0.isEmpty })
        }
    }

    @Test
    func `the backend never gets more than one version`() async throws {
        try await Scene.play { scene in
            let fields = Request.current + "X-App-Version: 9.9.9\r\n"
            let echo: EchoReport = try scene.ask(Request.text(fields: fields)).json()
            #expect(echo.fields["X-App-Version"].count <= 1)
            #expect(echo.fields["X-App-Version"].allSatisfy { !$0.contains(",") })
        }
    }

    @Test
    func `an HTTP 1.0 connection without keep-alive closes after the response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let first = try client.response()
            #expect(first.status == 200)
            #expect(first.fields.tokens("Connection").contains("keep-alive"))
            try client.send("GET /2 HTTP/1.0\r\n\r\n")
            #expect(try client.response().status == 200)
            let rest = try client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(rest.by == .closed)
        }
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func `a response that is delimited by close is forwarded to its end`(
        _ version: String
    ) async throws {
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .stream(200_000), .close]
        }
        try await Scene.play(backend: script) { scene in
            let response = try scene.ask("GET / \(version)\r\nHost: gate\r\n\r\n")
            #expect(response.isComplete)
            #expect(response.body.count == 200_000)
            #expect(response.body.starts(with: BodyPattern.block))
            #expect(version == "HTTP/1.1" || response.framing != .chunked)
        }
    }

    @Test
    func `a chunked response is unchunked for HTTP 1.0`() async throws {
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")]
        }
        try await Scene.play(backend: script) { scene in
            let response = try scene.ask("GET / HTTP/1.0\r\nHost: gate\r\n\r\n")
            #expect(response.text == "hello")
            #expect(response.fields["Transfer-Encoding"].isEmpty)
        }
    }

    @Test
    func `a client that sends Connection close is closed after its response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text(fields: "Connection: close\r\n"))
            let response = try client.response()
            #expect(response.fields.tokens("Connection").contains("close"))
            #expect(try client.rest().by == .closed)
        }
    }

    @Test
    func `a client that half-closes after its request still gets the response`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = { _ in [.wait(latch), .echo] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", body: "hello"))
            client.finishSending()
            try scene.backend.waitForRequests(1)
            latch.open()
            #expect(try client.response().json(EchoReport.self).body == "hello")
        }
    }
}
