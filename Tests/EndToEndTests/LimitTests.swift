import GateTestSupport
import Glibc
import Testing

/// The limits for the resources that one client can use.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LimitTests {
    struct Excess: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var flag: GateFlag
        var within: String
        var beyond: String
        var status: Int
    }

    static let excesses: [Excess] = [
        Excess(
            testDescription: "target bytes",
            flag: .maxTargetBytes(200),
            within: Request.text("GET", "/" + String(repeating: "a", count: 199)),
            beyond: Request.text("GET", "/" + String(repeating: "a", count: 200)),
            status: 414
        ),
        Excess(
            testDescription: "head bytes",
            flag: .maxHeadBytes(2000),
            within: Request.text(fields: "X-A: \(String(repeating: "a", count: 1800))\r\n"),
            beyond: Request.text(fields: "X-A: \(String(repeating: "a", count: 2100))\r\n"),
            status: 431
        ),
        Excess(
            testDescription: "header count",
            flag: .maxHeaderCount(10),
            within: Request.text(fields: String(repeating: "X-A: 1\r\n", count: 9)),
            beyond: Request.text(fields: String(repeating: "X-A: 1\r\n", count: 10)),
            status: 431
        ),
        Excess(
            testDescription: "a counted body",
            flag: .maxBodyBytes(1000),
            within: Request.text("POST", body: String(repeating: "a", count: 1000)),
            beyond: Request.text("POST", body: String(repeating: "a", count: 1001)),
            status: 413
        ),
        Excess(
            testDescription: "a chunked body",
            flag: .maxBodyBytes(1000),
            within: Self.chunked(1000),
            beyond: Self.chunked(1001),
            status: 413
        ),
    ]

    private static func chunked(_ count: Int) -> String {
        let chunks = [count / 2, count - count / 2].map { size in
            String(size, radix: 16) + "\r\n" + String(repeating: "a", count: size) + "\r\n"
        }
        let head = Request.text("POST", fields: "Transfer-Encoding: chunked\r\n")
        return head + chunks.joined() + "0\r\n\r\n"
    }

    @Test(arguments: Self.excesses)
    func `a request at the limit is served, and a larger one is rejected`(_ excess: Excess)
        async throws
    {
        try await Scene.play(flags: [excess.flag]) { scene in
            let within = try scene.ask(excess.within)
            #expect(within.status == 200)
            let client = try scene.connect()
            try client.send(excess.beyond + Request.text("GET", "/follower"))
            let beyond = try client.response()
            #expect(beyond.status == excess.status)
            _ = try beyond.problem()
            #expect(try client.rest().bytes.isEmpty)
            client.close()
            let record = try scene.finalRecord()
            #expect(record.exchanges.filter(\.isComplete).count == 1)
            #expect(!record.targets.contains("/follower"))
        }
    }

    @Test
    func `the end of a body that exceeds the limit is not read as a request`() async throws {
        let smuggled = Request.text("GET", "/smuggled", fields: Request.current)
        let first = String(repeating: "a", count: 900)
        let last = smuggled + String(repeating: "a", count: 200)
        let size = String(first.utf8.count + last.utf8.count, radix: 16)
        try await Scene.play(flags: [.maxBodyBytes(1000)]) { scene in
            let client = try scene.connect()
            let head = Request.text("POST", "/a", fields: "Transfer-Encoding: chunked\r\n")
            try client.send("\(head)\(size)\r\n\(first)")
            // Once the first part is forwarded, the next one starts in the middle of the chunk. A gate may also reject
            // the chunk because of its size and forward nothing.
            _ = try? scene.backend.wait(for: "the first piece", by: .after(.seconds(2))) { record in
                record.exchanges.first?.bodyLength == first.utf8.count ? true : nil
            }
            try client.send("\(last)\r\n0\r\n\r\n")
            #expect(try client.response().status == 413)
            #expect(try client.rest().bytes.isEmpty)
            client.close()
            let record = try scene.finalRecord()
            #expect(record.targets.allSatisfy { $0 == "/a" })
            #expect(record.exchanges.allSatisfy { !$0.isComplete })
        }
    }

    @Test
    func `a head that is not complete in time gets a 408, even if bytes keep coming`() async throws
    {
        try await Scene.play(flags: [.headTimeout(seconds: 1)]) { scene in
            for drips in [false, true] {
                let client = try scene.connect()
                let started = ContinuousClock.now
                try client.send("GET / HTTP/1.1\r\nHost: gate\r\nX-Slow: ")
                while drips, try !client.receivesData(within: .milliseconds(100)) {
                    try client.send("a")
                    try #require(started.duration(to: .now) < .seconds(15))
                }
                let response = try client.response()
                #expect(response.status == 408)
                _ = try response.problem()
                #expect(try client.rest().bytes.isEmpty)
                // The gate's clock may lag by a tick, and by more on a busy machine.
                #expect(started.duration(to: .now) > .milliseconds(500))
            }
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `an idle connection is closed without a response`() async throws {
        try await Scene.play(flags: [.idleTimeout(seconds: 1)]) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            #expect(try client.response().status == 200)
            let rest = try client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(rest.by == .closed)
        }
    }

    @Test
    func `a connection that exceeds the limit is refused, and a later one is served`() async throws
    {
        try await Scene.play(flags: [.maxConnections(2)]) { scene in
            let clients = [try scene.connect(), try scene.connect()]
            for client in clients {
                try client.send(Request.text())
                #expect(try client.response().status == 200)
            }
            let third = try scene.connect()
            try third.send(Request.text("GET", "/third"))
            if try third.receivesData(within: .seconds(1)), let answer = try third.head() {
                #expect(answer.status == 503)
            }
            third.close()
            #expect(!scene.backend.record.targets.contains("/third"))
            clients[0].close()
            try self.waitUntilServed(scene)
        }
    }

    /// Sends requests until the gate has noticed the closed connection.
    private func waitUntilServed(_ scene: Scene) throws {
        let deadline = Deadline.usual
        while true {
            let client = try scene.connect()
            try client.send(Request.text("GET", "/later"))
            if let answer = try client.head(), answer.status == 200 {
                return
            }
            try #require(!deadline.hasPassed)
        }
    }

    @Test
    func `SIGTERM lets an exchange finish, and then the gate exits`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = { _ in [.wait(latch), .echo] }
        try await Scene.play(flags: [.drainTimeout(seconds: 20)], backend: script) { scene in
            let idle = try scene.connect()
            let busy = try scene.connect()
            try busy.send(Request.text())
            try scene.backend.waitForRequests(1)
            scene.gate.send(signal: SIGTERM)
            // The idle connection ends at once, which shows that the gate is draining.
            #expect(try idle.rest().bytes.isEmpty)
            #expect(throws: HarnessError.self) { try scene.connect() }
            latch.open()
            let response = try busy.response()
            #expect(response.status == 200)
            #expect(response.fields.tokens("Connection").contains("close"))
            #expect(try busy.rest().by == .closed)
            busy.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `a drain ends at its timeout`() async throws {
        try await Scene.play(backend: { _ in [.stall] }) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            try scene.backend.waitForRequests(1)
            let started = ContinuousClock.now
            scene.gate.send(signal: SIGTERM)
            #expect(try scene.gate.waitForExit() == .status(0))
            #expect(started.duration(to: .now) < .seconds(8))
            client.close()
        }
    }
}
