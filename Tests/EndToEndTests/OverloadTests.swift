import GateTestSupport
import Testing

/// Load that exceeds the limits is rejected early, and requests in progress continue.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct OverloadTests {
    @Test
    func `the connections of an address are limited, and a closed one makes way for another`()
        async throws
    {
        try await Scene.play(flags: [.maxConnectionsPerAddress(2), .threads(2)]) { scene in
            let clients = [try scene.connect(), try scene.connect()]
            for client in clients {
                try client.send(Request.text())
                #expect(try client.response().status == 200)
            }
            let third = try scene.connect()
            try third.send(Request.text("GET", "/third"))
            let refusal = try third.response()
            #expect(refusal.status == 429)
            #expect(refusal.fields["Retry-After"] == ["1"])
            _ = try refusal.problem()
            try scene.gate.logLine("a refusal") {
                $0.message.contains("--max-connections-per-address")
                    && $0.metadata["client"] == "127.0.0.1"
            }
            #expect(!scene.backend.record.targets.contains("/third"))
            clients[0].close()
            try Self.waitUntil("there is capacity") {
                let client = try scene.connect()
                try client.send(Request.text("GET", "/later"))
                return try client.responseIfAny()?.status == 200
            }
            try clients[1].send(Request.text())
            #expect(try clients[1].response().status == 200)
            _ = scene.gate.end()
            let end = try scene.gate.logLine("the end") { $0.message.hasPrefix("stopped") }
            #expect(Int(end.metadata["connections_per_address_refused"] ?? "") ?? 0 > 0)
        }
    }

    @Test
    func `connections are counted by the client address of the PROXY protocol`() async throws {
        let flags: [GateFlag] = [
            .maxConnectionsPerAddress(1), .proxyProtocol(trusted: "127.0.0.1"),
        ]
        try await Scene.play(flags: flags) { scene in
            var clients: [RawClient] = []
            for (family, address, status) in [
                ("TCP4 203.0.113.1 10.0.0.1", "the first", 200),
                ("TCP4 203.0.113.1 10.0.0.1", "the same", 429),
                ("TCP4 203.0.113.2 10.0.0.1", "another", 200),
                ("TCP6 2001:db8::1 ::1", "IPv6", 200),
                ("TCP6 2001:db8::ffff:2 ::1", "IPv6 of the same /64", 429),
                ("TCP6 2001:db8:0:1::1 ::1", "IPv6 of another /64", 200),
            ] {
                let client = try scene.connect()
                try client.send("PROXY \(family) 1 1\r\n\(Request.text())")
                #expect(try client.response().status == status, "\(address)")
                clients.append(client)
            }
        }
    }

    @Test
    func `a trusted proxy may open any number of connections`() async throws {
        let flags: [GateFlag] = [.maxConnectionsPerAddress(1), .trustedProxies("127.0.0.0/8")]
        try await Scene.play(flags: flags) { scene in
            let clients = try (0..<5).map { _ in try scene.connect() }
            for client in clients {
                try client.send(Request.text())
                #expect(try client.response().status == 200)
            }
        }
    }

    @Test
    func `requests beyond the limit of pending requests are rejected at once`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = { _ in [.wait(latch), .echo] }
        try await Scene.play(flags: [.maxPendingRequests(2)], backend: script) { scene in
            let waiting = [try scene.connect(), try scene.connect()]
            for client in waiting { try client.send(Request.text("GET", "/slow")) }
            try scene.backend.waitForRequests(2)
            let third = try scene.connect()
            for _ in 0..<3 {
                try third.send(Request.text("GET", "/refused"))
                let refusal = try third.response()
                #expect(refusal.status == 503)
                #expect(refusal.fields["Retry-After"] == ["1"])
                _ = try refusal.problem()
            }
            // A request that needs no backend gets a response as usual.
            try third.send(Request.text(fields: Request.outdated))
            #expect(try third.response().status == 426)
            latch.open()
            for client in waiting { #expect(try client.response().status == 200) }
            try third.send(Request.text("GET", "/served"))
            #expect(try third.response().status == 200)
            #expect(!scene.backend.record.targets.contains("/refused"))
            third.close()
            _ = try scene.finalRecord()
            let end = try scene.gate.logLine("the end") { $0.message.hasPrefix("stopped") }
            #expect(end.metadata["requests_shed"] == "3")
            // The log has a thread of its own, so its lines may be written after the response, but not after the gate
            // has exited.
            let lines = scene.gate.logLines.filter { $0.message.contains("--max-pending-requests") }
            #expect(!lines.isEmpty && lines.count < 3)
        }
    }

    @Test
    func `requests of clients that give up are no longer pending`() async throws {
        let script: ScriptedBackend.Script = { request in
            request.target == "/slow" ? [.stall] : [.echo]
        }
        try await Scene.play(flags: [.maxPendingRequests(2)], backend: script) { scene in
            for round in 1...3 {
                let waiting = [try scene.connect(), try scene.connect()]
                for client in waiting { try client.send(Request.text("GET", "/slow")) }
                try scene.backend.wait(for: "both requests") { record in
                    record.targets.filter { $0 == "/slow" }.count >= 2 * round ? true : nil
                }
                #expect(try scene.ask(Request.text()).status == 503)
                for client in waiting { client.reset() }
                try Self.waitUntil("the gate has noticed") {
                    try scene.ask(Request.text()).status == 200
                }
            }
        }
    }

    @Test
    func `without a free descriptor, open connections are served and new ones wait`() async throws {
        let latch = Latch()
        let script: ScriptedBackend.Script = { request in
            request.target == "/slow" ? [.wait(latch), .echo] : [.echo]
        }
        try await Scene.play(surroundings: .descriptors(48), backend: script) { scene in
            let (busy, other) = (try scene.connect(), try scene.connect())
            try busy.send(Request.text("GET", "/slow"))
            try scene.backend.waitForRequests(1)
            try other.send(Request.text(fields: Request.outdated))
            #expect(try other.response().status == 426)
            // The kernel accepts the connections that the gate does not accept.
            let idle = try (0..<60).map { _ in try scene.connect() }
            try scene.gate.logLine("descriptors are gone") {
                $0.message.hasPrefix("cannot accept")
            }
            let (started, used) = (ContinuousClock.now, try scene.gate.processorTime())
            // Descriptors that clients leave free are used for backend connections until they are exhausted as well.
            let served = Array(idle.prefix(8))
            for client in served { try client.send(Request.text("GET", "/slow")) }
            let refused = try served.filter { try $0.receivesData(within: .milliseconds(500)) }
            #expect(1..<served.count ~= refused.count)
            for client in refused {
                let refusal = try client.response()
                #expect(refusal.status == 503)
                #expect(refusal.fields["Retry-After"] == ["1"])
            }
            // The remaining descriptors are reserved for the gate itself.
            #expect(try scene.gate.descriptorCount() < 48)
            latch.open()
            #expect(try busy.response().status == 200)
            // This request uses a pooled connection that has become free.
            try other.send(Request.text())
            #expect(try other.response().status == 200)
            let waiting = try scene.connect()
            try waiting.send(Request.text("GET", "/waiting"))
            // The listener retries more than once.
            var tries = scene.gate.logLines.count
            for _ in 0..<2 {
                try scene.gate.logLine("another try", skipping: tries) {
                    $0.message.hasPrefix("cannot accept")
                }
                tries = scene.gate.logLines.count
            }
            #expect(try !waiting.receivesData(within: .milliseconds(100)))
            #expect(try scene.gate.processorTime() - used < .seconds(1))
            for client in idle { client.close() }
            #expect(try waiting.response().status == 200)
            let seconds = Int(started.duration(to: .now).components.seconds)
            let lines = scene.gate.logLines.filter { $0.message.hasPrefix("cannot accept") }
            #expect(lines.count <= seconds + 2)
        }
    }

    @Test
    func `a body that stalls gets a 408, and a slow one does not`() async throws {
        try await Scene.play(flags: [.bodyTimeout(seconds: 1)]) { scene in
            let head = "POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 20\r\n\r\n"
            let silent = try scene.connect()
            try silent.send(head + "abc")
            let response = try silent.response()
            #expect(response.status == 408)
            _ = try response.problem()
            #expect(try silent.rest().bytes.isEmpty)
            let slow = try scene.connect()
            try slow.send(head)
            for _ in 0..<20 {
                #expect(try !slow.receivesData(within: .milliseconds(100)))
                try slow.send("a")
            }
            #expect(try slow.response().status == 200)
            let record = try scene.finalRecord()
            #expect(record.exchanges.filter(\.isComplete).count == 1)
        }
    }

    @Test(arguments: [
        // The backend stops reading for a while, or reads slowly all the time.
        ([BackendStep.pause(milliseconds: 3000), .readBody], 10),
        ([.readSlowly(pauses: 15, milliseconds: 400)], 3 * GateExecutable.slowdown),
    ])
    func `the backend's timeout applies to a body that the backend reads slowly`(
        _ slow: [BackendStep],
        _ responseTimeout: Int
    ) async throws {
        let flags: [GateFlag] = [
            .bodyTimeout(seconds: 1), .responseTimeout(seconds: responseTimeout),
        ]
        let script: ScriptedBackend.Script = { _ in slow + [.answer()] }
        try await Scene.play(flags: flags, backend: script) { scene in
            // More than the kernel and the gate buffer for a backend.
            let body = [UInt8](repeating: 0, count: 8 << 20)
            let deadline = Deadline.after(.seconds(60) * GateExecutable.slowdown)
            let client = try scene.connect()
            try client.send(Request.text("POST", fields: "Content-Length: \(body.count)\r\n"))
            try client.send(body, by: deadline)
            #expect(try client.response(by: deadline).status == 200)
        }
    }

    private static func waitUntil(_ awaited: String, _ holds: () throws -> Bool) throws {
        try Deadline.usual.poll(awaited) { try holds() ? true : nil }
    }
}
