import GateTestSupport
import Testing

/// The response that the client gets when the backend fails, and responses that it must never get.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FailureTests {
    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ])
    func `a client that has sent its body can reuse its connection after a 502`(
        body: String
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let unused = try ScriptedBackend { _ in [.echo] }
        try await Scene.play(in: folder, backends: [unused], upstream: "http://127.0.0.1:1") {
            let client = try $0.connect()
            for _ in 0..<2 {
                try client.send("POST / HTTP/1.1\r\nHost: gate\r\n\(body)")
                let response = try client.response()
                #expect(response.status == 502)
                #expect(response.fields["connection"].isEmpty)
            }
        }
    }

    @Test
    func `a backend that refuses connections causes a 502`() async throws {
        try await Scene.play { scene in
            scene.backend.stopListening()
            let response = try scene.ask(Request.text())
            #expect(response.status == 502)
            _ = try response.problem()
            let denial = try scene.ask(Request.text(fields: Request.outdated))
            #expect(denial.status == 426)
        }
    }

    @Test
    func `a backend that recovers is used again`() async throws {
        try await Scene.play(backend: { $0.connection == 0 ? [.reset] : [.echo] }) { scene in
            let first = try scene.ask(Request.text("POST", "/a", body: "x"))
            #expect(first.status == 502)
            let second = try scene.ask(Request.text("POST", "/b", body: "x"))
            #expect(second.status == 200)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `a new backend connection that ends before the response causes a 502`(_ method: String)
        async throws
    {
        for end in [BackendStep.reset, .close] {
            try await Scene.play(backend: { _ in [.readBody, end] }) { scene in
                let response = try scene.ask(Request.text(method, "/a", body: "x"))
                #expect(response.status == 502)
                _ = try response.problem()
                #expect(try scene.finalRecord().requests.count == 1)
            }
        }
    }

    @Test
    func `a close-delimited body never looks complete after a reset`() async throws {
        let cutShort = Latch()
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\npart of it"), .wait(cutShort), .reset]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            #expect(try client.head()?.status == 200)
            #expect(try client.bytes(10) == Array("part of it".utf8))
            cutShort.open()
            #expect(try client.rest().by == .reset)
        }
    }

    @Test(arguments: [(BackendStep.reset, StreamEnding.reset), (.close, .closed)])
    func `a backend reset during the upload resets the client, and a close does not`(
        _ end: BackendStep,
        _ seen: StreamEnding
    ) async throws {
        let mayEnd = Latch()
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\npart of it"), .wait(mayEnd), end]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            let fields = "Content-Length: 1000\r\n"
            try client.send(Request.text("POST", "/a", fields: fields) + "half")
            #expect(try client.head()?.status == 200)
            #expect(try client.bytes(10) == Array("part of it".utf8))
            // The gate processes the upload first, and writes it to a connection that no longer exists.
            try scene.gate.pause()
            try client.send("more")
            mayEnd.open()
            try scene.backend.wait(for: "the end") { $0.connections.first?.end }
            scene.gate.resume()
            #expect(try client.rest().by == seen)
        }
    }

    @Test
    func `a GET on a stale pooled connection is retried once`() async throws {
        let script: ScriptedBackend.Script = { $0.index == 0 ? [.echo] : [.close] }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/1"))
            #expect(try client.response().status == 200)
            try client.send(Request.text("GET", "/2"))
            #expect(try client.response().json(EchoReport.self).target == "/2")
            client.close()
            let record = try scene.finalRecord()
            #expect(
                record.connections.map { $0.exchanges.map(\.request.target) } == [
                    ["/1", "/2"], ["/2"],
                ]
            )
        }
    }

    @Test
    func `a request is never sent a third time`() async throws {
        let script: ScriptedBackend.Script = { $0.target == "/warm" ? [.echo] : [.close] }
        try await Scene.play(backend: script) { scene in
            let warm = try scene.ask(Request.text("GET", "/warm"))
            #expect(warm.status == 200)
            let response = try scene.ask(Request.text("GET", "/dies"))
            #expect(response.status == 502)
            #expect(try scene.finalRecord().targets.filter { $0 == "/dies" }.count == 2)
        }
    }

    @Test
    func `a POST that the backend may have read is not retried`() async throws {
        let script: ScriptedBackend.Script = { $0.index == 0 ? [.echo] : [.readBody, .close] }
        try await Scene.play(backend: script) { scene in
            let warm = try scene.ask(Request.text("GET", "/warm"))
            #expect(warm.status == 200)
            let response = try scene.ask(Request.text("POST", "/pay", body: "once"))
            #expect(response.status == 502)
            #expect(try scene.finalRecord().targets == ["/warm", "/pay"])
        }
    }

    @Test
    func `a backend that closes an idle connection causes no failed request`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = { request in
            request.connection == 0 ? [.echo, .wait(latch), .close] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let warm = try scene.ask(Request.text("GET", "/warm"))
            #expect(warm.status == 200)
            latch.open()
            try scene.backend.wait(for: "the close") { $0.connections[0].end }
            let response = try scene.ask(Request.text("GET", "/a"))
            #expect(response.status == 200)
        }
    }

    @Test
    func `a backend that never responds causes a 504`() async throws {
        let flags = [GateFlag.responseTimeout(seconds: 1)]
        try await Scene.play(flags: flags, backend: { _ in [.stall] }) { scene in
            let response = try scene.ask(Request.text())
            #expect(response.status == 504)
            _ = try response.problem()
            try scene.backend.wait(for: "the gate to give up") { $0.connections.first?.end }
        }
    }

    @Test(arguments: [true, false])
    func `surplus bytes on a pooled connection never answer a request`(_ comeLater: Bool)
        async throws
    {
        let latch = Latch()
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let script: ScriptedBackend.Script = { request in
            guard request.connection == 0 else { return [.echo] }
            return comeLater
                ? [.send(answer), .wait(latch), .send(poison), .stall] : [.send(answer + poison)]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/1"))
            #expect(try client.response().text == "ok")
            latch.open()
            if comeLater {
                try scene.backend.wait(for: "the gate to close") { $0.connections.first?.end }
            }
            for index in 2...4 {
                try client.send(Request.text("GET", "/\(index)"))
                let echo: EchoReport = try client.response().json()
                #expect(echo.target == "/\(index)")
                #expect(echo.connection > 0)
            }
        }
    }

    @Test
    func `a client that disconnects ends the exchange with the backend`() async throws {
        try await Scene.play(backend: { _ in [.stall] }) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            try scene.backend.waitForRequests(1)
            client.reset()
            try scene.backend.wait(for: "the gate to give up") { $0.connections.first?.end }
            client.close()
        }
    }

    @Test
    func `a request whose body is cut short is never complete`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: "Content-Length: 100\r\n") + "half")
            try scene.backend.waitForRequests(1)
            client.close()
            try scene.backend.wait(for: "the gate to give up") { $0.connections.first?.end }
            #expect(scene.backend.record.exchanges.map(\.isComplete) == [false])
        }
    }
}
