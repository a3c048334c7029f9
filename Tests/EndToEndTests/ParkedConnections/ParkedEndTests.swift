import GateTestSupport
import Glibc
import Testing

/// A parked connection ends like one that is not parked, and releases all of its resources.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ParkedEndTests {
    enum Ending: CaseIterable {
        case close, reset, halfClose
    }

    @Test(arguments: Ending.allCases)
    func `the end of the client's side releases the descriptor and the count`(
        _ ending: Ending
    ) async throws {
        try await Scene.play(flags: [Scene.parking, .maxConnections(20)]) { scene in
            let before = try scene.descriptorsAtRest()
            for _ in 0..<3 {
                let clients = try scene.parkedClients(20)
                #expect(try scene.ask(Request.text()).status == 503)
                for client in clients {
                    switch ending {
                    case .close: client.close()
                    case .reset: client.reset()
                    case .halfClose:
                        client.finishSending()
                        let rest = try client.rest()
                        #expect(rest.bytes.isEmpty)
                        #expect(rest.by == .closed)
                    }
                }
                try scene.gate.waitUntilParked(0)
                try scene.waitForDescriptors(before)
            }
        }
    }

    @Test
    func `a last request and the end of the client's side may arrive together`() async throws {
        try await Scene.play(flags: [Scene.parking]) { scene in
            let client = try scene.parkedClient()
            try client.send(Request.text("GET", "/last"))
            client.finishSending()
            let answer = try client.response()
            #expect(answer.status == 200)
            #expect(try answer.json(EchoReport.self).target == "/last")
            let rest = try client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(rest.by == .closed)
            try scene.gate.waitUntilParked(0)
        }
    }

    @Test
    func `the idle timeout between requests is unchanged`() async throws {
        try await Scene.play(flags: [Scene.parking, .idleTimeout(seconds: 2)]) { scene in
            let before = try scene.descriptorsAtRest()
            let clients = try scene.parkedClients(2)
            let started = ContinuousClock.now
            #expect(try !clients[1].receivesData(within: .milliseconds(500)))
            try clients[1].send(Request.text(fields: Request.outdated))
            #expect(try clients[1].response().status == 426)
            for (client, least) in zip(clients, [1.0, 1.9]) {
                let rest = try client.rest()
                #expect(rest.bytes.isEmpty)
                #expect(rest.by == .closed)
                #expect(started.duration(to: .now) > .seconds(least))
            }
            #expect(started.duration(to: .now) < .seconds(5))
            try scene.waitForDescriptors(before)
        }
    }

    @Test
    func `a head that never ends gets a 408`() async throws {
        try await Scene.play(flags: [Scene.parking, .headTimeout(seconds: 1)]) { scene in
            let client = try scene.parkedClient()
            let started = ContinuousClock.now
            try client.send("GET / HTTP/1.1\r\nHost: gate\r\nX-Slow: ")
            #expect(try client.response().status == 408)
            #expect(try client.rest().bytes.isEmpty)
            // The gate's clock may lag by a tick, and by more on a busy machine.
            #expect(started.duration(to: .now) > .milliseconds(500))
        }
    }

    @Test
    func `SIGTERM closes parked connections at once`() async throws {
        try await Scene.play(flags: [Scene.parking, .drainTimeout(seconds: 20), .threads(2)]) {
            scene in
            let clients = try scene.parkedClients(100)
            let started = ContinuousClock.now
            scene.gate.send(signal: SIGTERM)
            for client in clients {
                let rest = try client.rest()
                #expect(rest.bytes.isEmpty)
                #expect(rest.by == .closed)
            }
            #expect(try scene.gate.waitForExit() == .status(0))
            #expect(started.duration(to: .now) < .seconds(8))
        }
    }

    @Test
    func `a request that arrived before SIGTERM gets a response, parked or not`()
        async throws
    {
        let drain = GateFlag.drainTimeout(seconds: 20 * GateExecutable.slowdown)
        try await Scene.play(flags: [Scene.parking, drain]) { scene in
            let clients = try scene.parkedClients(200)
            for client in clients { try client.send(Request.text()) }
            scene.gate.send(signal: SIGTERM)
            for client in clients {
                let status = try client.response().status
                #expect(status == 200)
                client.close()
            }
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `with port sharing, a request in flight during the drain is served as the last one`()
        async throws
    {
        try await Scene.play(
            flags: [Scene.parking, .drainTimeout(seconds: 20), .reusePort]
        ) { scene in
            let clients = try scene.parkedClients(20)
            scene.gate.send(signal: SIGTERM)
            try scene.gate.logLine("draining") { $0.message == "draining" }
            // The log line appears shortly before the drain takes effect.
            try Deadline.usual.poll("the last answer") {
                try clients[7].send(Request.text("GET", "/late"))
                let answer = try clients[7].response()
                #expect(answer.status == 200)
                return answer.fields.tokens("Connection").contains("close") ? true : nil
            }
            for client in clients {
                #expect(try client.rest().bytes.isEmpty)
                client.close()
            }
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `a parked or woken connection counts once for its client address`() async throws {
        let flags: [GateFlag] = [
            Scene.parking, .maxConnectionsPerAddress(2), .proxyProtocol(trusted: "127.0.0.1"),
        ]
        let (header, other) = ("PROXY TCP4 203.0.113.9 127.0.0.1 1 1\r\n", "PROXY UNKNOWN\r\n")
        try await Scene.play(flags: flags) { scene in
            let clients = [
                try scene.parkedClient(introducedBy: header),
                try scene.parkedClient(after: 1, introducedBy: header),
            ]
            #expect(try scene.ask(header + Request.text()).status == 429)
            #expect(try scene.ask(other + Request.text()).status == 200)
            for client in clients {
                try client.send(Request.text())
                #expect(try client.response().status == 200)
            }
            #expect(try scene.ask(header + Request.text()).status == 429)
            try scene.gate.waitUntilParked(2)
            #expect(try scene.ask(header + Request.text()).status == 429)
            clients[0].close()
            try scene.gate.waitUntilParked(1)
            let third = try scene.parkedClient(after: 1, introducedBy: header)
            #expect(try scene.ask(header + Request.text()).status == 429)
            clients[1].reset()
            third.close()
            try scene.gate.waitUntilParked(0)
            for count in 0..<2 {
                let again = try scene.parkedClient(introducedBy: header)
                #expect(try scene.gate.parkedCount() == 1, "\(count)")
                again.close()
                try scene.gate.waitUntilParked(0)
            }
        }
    }

    @Test
    func `idle connections do not take the last descriptors, and every client is served`()
        async throws
    {
        // The census timer needs one more descriptor, and the limits below leave none.
        try await Scene.play(
            flags: [Scene.parking, .census(false)],
            surroundings: .descriptors(48)
        ) { scene in
            let clients = try (0..<60).map { _ in try scene.connect() }
            for client in clients { try client.send(Request.text(fields: Request.outdated)) }
            try scene.gate.logLine("descriptors are gone") { $0.message.hasPrefix("cannot accept") }
            #expect(try clients[0].response().status == 426)
            // Parking a connection with a reserved descriptor would let one more client in. The
            // gate tries to park four times a second.
            #expect(try !clients[59].receivesData(within: .seconds(1)))
            // Reading the rules briefly takes one or two descriptors.
            try Deadline.usual.poll("a reserve") {
                try scene.gate.descriptorCount() < 44 ? true : nil
            }
            try clients[0].send(Request.text(fields: Request.outdated))
            #expect(try clients[0].response().status == 426)
            // Each client that leaves makes way for one waiting client, not for all of them.
            for leaving in 1...3 {
                let next = try #require(
                    try clients.dropFirst(4).first { try !$0.receivesData(within: .zero) }
                )
                clients[leaving].close()
                #expect(try next.receivesData(within: .seconds(10)))
                try Deadline.usual.poll("a reserve after \(leaving) have left") {
                    try scene.gate.descriptorCount() < 44 ? true : nil
                }
            }
            // After these clients leave, there are enough descriptors to serve and park the others.
            for client in clients.prefix(40) { client.close() }
            for client in clients.suffix(20) { #expect(try client.response().status == 426) }
            try scene.gate.waitUntilParked(20)
        }
    }
}
