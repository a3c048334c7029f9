import GateTestSupport
import Glibc
import Testing

/// A parked connection behaves as if it had not been parked.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ParkedConnectionTests {
    @Test
    func `a request wakes a parked connection, which is parked again, many times`() async throws {
        try await Scene.play(flags: [Scene.parking, .accessLog]) { scene in
            let client = try scene.parkedClient()
            for round in 0..<4 {
                try client.send(Request.text("POST", "/\(round)", body: "hello"))
                #expect(try client.response().status == 200)
                try scene.gate.waitUntilParked(1)
            }
            let record = scene.backend.record
            #expect(record.targets == ["/", "/0", "/1", "/2", "/3"])
            for request in record.requests {
                #expect(request.fields["X-Forwarded-For"] == ["127.0.0.1"])
            }
            try scene.gate.logLine("the last request") {
                $0.metadata["path"] == "/3" && $0.metadata["client"] == "127.0.0.1"
            }
        }
    }

    @Test
    func `pipelined requests wake the connection once, and are answered in order`() async throws {
        try await Scene.play(flags: [Scene.parking]) { scene in
            let client = try scene.parkedClient()
            let texts = (0..<20).map { Request.text("GET", "/\($0)") }
            try client.send(texts.joined())
            for index in 0..<20 {
                let answer = try client.response()
                #expect(answer.status == 200)
                #expect(try answer.json(EchoReport.self).target == "/\(index)")
            }
            try client.send(Request.text("GET", "/last") + Request.text(fields: Request.outdated))
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 426)
        }
    }

    @Test
    func `a request may arrive in parts, and with a body`() async throws {
        try await Scene.play(flags: [Scene.parking]) { scene in
            let client = try scene.parkedClient()
            for byte in Request.text("GET", "/bytes").utf8 { try client.send([byte]) }
            #expect(try client.response().status == 200)
            try scene.gate.waitUntilParked(1)
            let body = String(repeating: "a", count: 300_000)
            try client.send(Request.text("POST", "/body", body: body))
            #expect(try client.response().json(EchoReport.self).bodyLength == 300_000)
        }
    }

    @Test
    func `the client address of the PROXY protocol and its trust are kept`() async throws {
        let flags: [GateFlag] = [Scene.parking, .proxyProtocol(trusted: "127.0.0.1, 10.0.0.0/8")]
        try await Scene.play(flags: flags) { scene in
            let clients = [
                ("TCP4 203.0.113.9 127.0.0.1", ["203.0.113.9"]),
                ("TCP6 2001:db8::1234:5678:9abc:def0 ::1", ["2001:db8::1234:5678:9abc:def0"]),
                ("TCP4 10.1.2.3 127.0.0.1", ["198.51.100.7, 10.1.2.3"]),
            ]
            var parked: [RawClient] = []
            for (index, client) in clients.enumerated() {
                parked.append(
                    try scene.parkedClient(
                        after: index,
                        introducedBy: "PROXY \(client.0) 4711 80\r\n"
                    )
                )
            }
            for (client, (_, expected)) in zip(parked, clients) {
                let claim = "X-Forwarded-For: 198.51.100.7\r\n"
                try client.send(Request.text("GET", "/again", fields: claim))
                #expect(try client.response().status == 200)
                let request = try #require(scene.backend.record.requests.last)
                #expect(request.fields["X-Forwarded-For"] == expected)
            }
        }
    }

    @Test
    func `rules that changed meanwhile apply to the next request`() async throws {
        try await Scene.play(flags: [Scene.parking]) { scene in
            let client = try scene.connect()
            try client.send(Request.text(fields: Request.current))
            #expect(try client.response().status == 200)
            try scene.gate.waitUntilParked(1)
            try scene.reload(RulesText.shop(minimum: "5.0.0"))
            try client.send(Request.text(fields: Request.current))
            #expect(try client.response().problem().minimumVersion == "5.0.0")
        }
    }

    @Test
    func `hundreds of connections are parked and woken at once`() async throws {
        try await Scene.play(flags: [Scene.parking, .threads(2)]) { scene in
            let before = try scene.descriptorsAtRest()
            let clients = try scene.parkedClients(500)
            #expect(try scene.gate.descriptorCount() == before + 500)
            for round in 0..<2 {
                for client in clients {
                    try client.send(Request.text("GET", "/\(round)", fields: Request.outdated))
                }
                for client in clients { #expect(try client.response().status == 426) }
                try scene.gate.waitUntilParked(500)
            }
            for client in clients { client.close() }
            try scene.gate.waitUntilParked(0)
            try scene.waitForDescriptors(before)
        }
    }

    /// The gate parks sixteen connections at once.
    ///
    /// Over the rounds, requests arrive before, during and after parking.
    @Test(arguments: [1, 2])
    func `a request that arrives during parking is not lost`(
        _ threads: Int
    ) async throws {
        try await Scene.play(flags: [Scene.parking, .threads(threads)]) { scene in
            let clients = try (0..<40).map { _ in try scene.connect() }
            for (round, parked) in [0, 1, 17, 33, 40, 2, 18, 34, 40, 1, 17, 33].enumerated() {
                try Deadline.usual.poll("\(parked) of them parked") {
                    try scene.gate.parkedCount() >= parked ? true : nil
                }
                for (index, client) in clients.enumerated() {
                    try client.send(Request.text("GET", "/\(round)/\(index)"))
                }
                for (index, client) in clients.enumerated() {
                    let answer = try client.response()
                    #expect(answer.status == 200)
                    #expect(try answer.json(EchoReport.self).target == "/\(round)/\(index)")
                }
            }
        }
    }

    @Test
    func `a connection is not parked before its first request, nor if parking is off`() async throws
    {
        try await Scene.play(flags: [Scene.parking, .headTimeout(seconds: 1)]) { scene in
            let silent = try scene.connect()
            let started = ContinuousClock.now
            while try !silent.receivesData(within: .milliseconds(100)) {
                try #require(try scene.gate.parkedCount() == 0)
            }
            #expect(started.duration(to: .now) < .seconds(4))
        }
        try await Scene.play(flags: [.parkAfter(seconds: nil)]) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            #expect(try client.response().status == 200)
            #expect(try scene.staysUnparked())
        }
    }

    @Test
    func `a response that the client has not read is not lost`() async throws {
        let body = 8_000_000
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body)\r\n\r\n"), .stream(body)]
        }
        try await Scene.play(flags: [Scene.parking], backend: script) { scene in
            let client = try scene.connect(receiveBuffer: 4096)
            try client.send(Request.text())
            // The response is on its way to the client, in the kernel or in the gate.
            try scene.backend.wait(for: "an answer") { record in
                record.connections.contains { $0.wasBlocked || $0.streamed == body } ? true : nil
            }
            #expect(try scene.staysUnparked())
            #expect(try client.response().body.count == body)
            try scene.gate.waitUntilParked(1)
        }
    }

    @Test
    func `HTTP/2 cannot start after a request, parked or not`() async throws {
        try await Scene.play(flags: [Scene.parking]) { scene in
            let parked = try scene.parkedClient()
            let awake = try scene.connect()
            try awake.send(Request.text())
            #expect(try awake.response().status == 200)
            for client in [awake, parked] {
                try client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                #expect(try client.response().status == 505)
                #expect(try client.rest().bytes.isEmpty)
            }
        }
    }
}
