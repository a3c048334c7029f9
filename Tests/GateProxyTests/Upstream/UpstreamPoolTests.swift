import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// Several backend addresses, as seen by a gate's clients.
struct UpstreamPoolTests {
    private let stage: Stage
    private let backends: FakeBackends
    private static let names = (1...5).map { "192.0.2.\($0):80" }
    private static let postLines = ["POST / HTTP/1.1", "Host: a", "X-App-Version: 3"]
    private static let post = wire(Self.postLines)

    private init(_ count: Int) throws {
        let loop = EmbeddedEventLoop()
        let backends = FakeBackends(loop: loop)
        self.backends = backends
        self.stage = try Stage(loop: loop, backends: backends) { settings in
            settings.upstream.targets = Self.names.prefix(count).compactMap {
                UpstreamTarget("http://\($0)")
            }
        }
    }

    init() throws {
        try self.init(3)
    }

    private func ask(_ text: String = Message.get) throws -> Wire<ClientConnection> {
        let client = try self.stage.client()
        try client.receive(text)
        return client
    }

    @Test func `addresses take turns, each with its own connections`() throws {
        for _ in 0..<3 {
            let client = try self.ask()
            try self.backends.accept().receive(Message.ok)
            #expect(client.socket.sent.hasPrefix("HTTP/1.1 200 "))
        }
        #expect(Set(self.backends.dialled) == Set(Self.names.prefix(3)))
        for _ in 0..<3 { _ = try self.ask() }
        #expect(self.backends.dialled.count == 3)
    }

    @Test(arguments: [Message.get, Self.post])
    func `an unsent request goes to another address`(_ request: String) throws {
        let client = try self.ask(request)
        self.backends.fail(FakeBackends.refused)
        self.backends.fail(FakeBackends.refused)
        let upstream = try self.backends.accept()
        #expect(Set(self.backends.dialled) == Set(Self.names.prefix(3)))
        #expect(upstream.socket.takeSent().hasPrefix(request.prefix(4)))
        try upstream.receive(Message.ok)
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a request to a silent address is retried once with another one`() throws {
        let client = try self.ask()
        let silent = try self.backends.accept()
        client.handler.deadlineReached()
        #expect(silent.socket.isClosed)
        #expect(client.socket.sent == "")
        let other = try self.backends.accept()
        #expect(Set(self.backends.dialled).count == 2)
        #expect(other.socket.takeSent().hasPrefix("GET /a HTTP/1.1\r\n"))
        let response = self.stage.worker.loop.settings.timeouts.response
        #expect(client.handler.deadline == self.stage.worker.loop.now + response)
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(self.backends.dialled.count == 2)
    }

    @Test func `a response from another address compensates for the silent one`() throws {
        let client = try self.ask()
        _ = try self.backends.accept()
        client.handler.deadlineReached()
        try self.backends.accept().receive(Message.ok)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
        try client.receive(Message.second)
        try self.backends.accept().receive(Message.ok)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a client that disconnects during a retry is removed`() throws {
        let client = try self.ask()
        _ = try self.backends.accept()
        client.handler.deadlineReached()
        client.disconnect()
        let other = try self.backends.accept()
        #expect(other.socket.sent == "" && !other.socket.isClosed)
    }

    @Test func `a request that is not retryable gets no other address`() throws {
        let client = try self.ask(Self.post)
        _ = try self.backends.accept()
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(self.backends.dialled.count == 1)
    }

    @Test func `the only address is not tried twice`() throws {
        let one = try UpstreamPoolTests(1)
        let client = try one.ask()
        _ = try one.backends.accept()
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(one.backends.dialled.count == 1)
    }

    @Test func `every serving address is tried before a request fails`() throws {
        let five = try UpstreamPoolTests(5)
        let client = try five.ask(Self.post)
        for _ in 0..<4 { five.backends.fail(FakeBackends.refused) }
        try five.backends.accept().receive(Message.ok)
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 200 "))
        #expect(Set(five.backends.dialled) == Set(Self.names))
        // The failed addresses are known, so no other request tries them.
        let next = try five.ask(Self.post)
        #expect(five.backends.dialled.count == 5)
        #expect(next.socket.sent == "")
    }

    @Test func `without a serving address, a request tries three at most`() throws {
        let five = try UpstreamPoolTests(5)
        _ = try five.ask(Self.post)
        for _ in 0..<5 { five.backends.fail(FakeBackends.refused) }
        let client = try five.ask(Self.post)
        for _ in 0..<3 { five.backends.fail(FakeBackends.refused) }
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 502 "))
        #expect(five.backends.dialled.count == 8)
    }

    @Test func `a request that no address accepts gets a bad gateway`() throws {
        let client = try self.ask()
        for _ in 0..<3 { self.backends.fail(FakeBackends.refused) }
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 502 "))
        #expect(self.backends.dialled.count == 3)
    }

    @Test func `after a timeout, only a serving address is tried`() throws {
        let client = try self.ask()
        self.backends.fail(FakeBackends.timeout)
        self.backends.fail(FakeBackends.refused)
        self.backends.fail(FakeBackends.timeout)
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        let second = try self.ask()
        self.backends.fail(FakeBackends.timeout)
        #expect(second.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(self.backends.dialled.count == 4)
    }

    @Test func `an unreachable address is left out`() throws {
        _ = try self.ask()
        let dead = try #require(self.backends.dialled.last)
        self.backends.fail(FakeBackends.refused)
        _ = try self.backends.accept()
        for _ in 0..<4 {
            _ = try self.ask()
            _ = try self.backends.accept()
        }
        #expect(self.backends.dialled.filter { $0 == dead }.count == 1)
    }

    @Test func `an address with broken responses is left out after a while`() throws {
        for _ in 0..<15 {
            let client = try self.ask(Self.post)
            let upstream = try self.backends.accept()
            if self.backends.dialled.last == Self.names[1] {
                upstream.disconnect()
                #expect(client.socket.sent.hasPrefix("HTTP/1.1 502 "))
            } else {
                try upstream.receive(
                    wire("HTTP/1.1 500 Mine", "Content-Length: 0", "Connection: close")
                )
                #expect(client.socket.sent.hasPrefix("HTTP/1.1 500 "))
            }
        }
        for _ in 0..<6 {
            _ = try self.ask(Self.post)
            _ = try self.backends.accept()
        }
        let counts = Self.names.prefix(3).map { name in
            self.backends.dialled.filter { $0 == name }.count
        }
        #expect(counts[1] == UpstreamBalancer.faultLimit)
        #expect(counts[0] + counts[2] == 16)
    }

    /// Two addresses with this many requests each; only the first address has responded.
    private static func halfSilent(_ count: Int, _ request: String) throws -> UpstreamPoolTests {
        let two = try UpstreamPoolTests(2)
        var asked: [Wire<UpstreamConnection>] = []
        for _ in 0..<2 * count {
            _ = try two.ask(request)
            let upstream = try two.backends.accept()
            if two.backends.dialled.last == Self.names[0] { asked.append(upstream) }
        }
        #expect(asked.count == count)
        let answer = wire("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close")
        for upstream in asked { try upstream.receive(answer) }
        return two
    }

    /// Returns the backends of the next two requests, after maintenance of the pool.
    private func nextBackends(at now: NIODeadline) throws -> Set<String> {
        let dialled = self.backends.dialled.count
        self.stage.worker.clients.pool.closeOverdue(at: now)
        for _ in 0..<2 {
            _ = try self.ask(Self.post)
            _ = try self.backends.accept()
        }
        return Set(self.backends.dialled[dialled...])
    }

    @Test func `an address that stays silent for half of the timeout is left out`() throws {
        let two = try Self.halfSilent(5, Self.post)
        let half = two.stage.worker.loop.settings.timeouts.response.nanoseconds / 2
        let start = two.stage.worker.loop.now
        #expect(
            try two.nextBackends(at: start + .nanoseconds(half - 1)) == Set(Self.names.prefix(2))
        )
        #expect(try two.nextBackends(at: start + .nanoseconds(half)) == [Self.names[0]])
    }

    @Test(arguments: [
        (4, Self.post), (5, wire(Self.postLines + ["Content-Length: 1"])),
        (5, wire(Self.postLines + ["Content-Type: application/grpc"])),
    ])
    func `few requests, unfinished ones and gRPC calls may wait longer`(
        _ count: Int,
        _ request: String
    ) throws {
        let two = try Self.halfSilent(count, request)
        let end = two.stage.worker.loop.now + two.stage.worker.loop.settings.timeouts.response
        #expect(try two.nextBackends(at: end) == Set(Self.names.prefix(2)))
    }

    @Test func `connections to a removed address close once they are idle`() throws {
        let waiting = try self.ask()
        let first = try self.backends.accept()
        _ = try self.ask()
        let second = try self.backends.accept()
        try second.receive(Message.ok)
        let target = try #require(UpstreamTarget("http://192.0.2.7"))
        self.stage.worker.clients.pool.use(UpstreamDirectory([target]).addresses)
        #expect(second.socket.isClosed && !first.socket.isClosed)
        try first.receive(Message.ok)
        #expect(waiting.socket.sent.hasPrefix("HTTP/1.1 200 "))
        #expect(first.socket.isClosed)
        _ = try self.ask()
        #expect(self.backends.dialled.last == "192.0.2.7:80")
    }

    @Test func `connections to a remaining address are kept`() throws {
        let one = try UpstreamPoolTests(1)
        _ = try one.ask()
        let upstream = try one.backends.accept()
        try upstream.receive(Message.ok)
        let targets = try #require(UpstreamTarget.list("http://192.0.2.9,http://192.0.2.1:80"))
        one.stage.worker.clients.pool.use(UpstreamDirectory(targets).addresses)
        #expect(!upstream.socket.isClosed)
        for _ in 0..<2 { _ = try one.ask() }
        #expect(one.backends.dialled.sorted() == ["192.0.2.1:80", "192.0.2.9:80"])
    }

    @Test func `without an address, every request of a client gets a response`() throws {
        self.stage.worker.clients.pool.use([])
        let client = try self.ask(Message.get + Message.second + Message.outdated)
        let statuses = client.socket.sent.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["502", "502", "426"])
        #expect(self.backends.dialled.isEmpty)
    }

    @Test func `without an address, all pipelined requests of a read get a response`() throws {
        self.stage.worker.clients.pool.use([])
        let count = 2_000
        let client = try self.ask(String(repeating: Message.get, count: count))
        #expect(client.socket.sent.split(separator: "HTTP/1.1 502 ").count == count)
        client.disconnect()
        #expect(self.stage.worker.loop.pendingCount == 0)
    }

    @Test func `a request on a stale connection is sent to any address`() throws {
        let one = try UpstreamPoolTests(1)
        _ = try one.ask()
        let stale = try one.backends.accept()
        try stale.receive(Message.ok)
        let client = try one.ask()
        stale.disconnect()
        let fresh = try one.backends.accept()
        #expect(fresh.socket.takeSent().hasPrefix("GET /a HTTP/1.1\r\n"))
        try fresh.receive(Message.ok)
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 200 "))
    }
}
