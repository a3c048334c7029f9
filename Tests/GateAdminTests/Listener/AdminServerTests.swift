import GateControl
import GateFeeds
import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import Logging
import NIOCore
import OwnThread
import RulesTestSupport
import Testing

@testable import GateAdmin

/// Slow clients on loopback sockets.
@Suite(OwnThreadTrait(), .serialized, .timeLimit(.minutes(5)))
struct AdminServerTests {
    private func play(_ body: @Sendable @escaping (UInt16) throws -> Void) async throws {
        var limits = AdminLimits()
        limits.head = .seconds(1)
        limits.idle = .seconds(1)
        limits.body = .seconds(1)
        limits.drain = .seconds(1)
        limits.waiting = 2
        limits.receiving = 1
        limits.drainedBytes = 3 << 20
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: "/nowhere"),
            logger: logger
        ) { _ in }
        let server = try await AdminServer.start(
            on: .address(host: "127.0.0.1", port: 0, sharesPort: false),
            endpoints: AdminEndpoints(
                reloader: reloader,
                coordinator: FeedCoordinator(reloader: reloader, store: nil, logger: logger),
                hooks: FeedHooks(logger: logger),
                now: SystemClock.now
            ),
            limits: limits,
            logger: logger
        )
        let port = UInt16(server.address.port ?? 0)
        // A blocking client would occupy threads of the cooperative pool, which the server needs.
        let result = await Task(executorPreference: BlockingExecutor.shared) {
            try body(port)
        }.result
        await server.shutDown()
        try result.get()
    }

    private static let feeds = "GET /feeds HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: [
        "", "GET /feeds HTTP/1.1\r\n", "POST /hooks/a HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc",
        "POST /hooks/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `an incomplete request is disconnected after the timeout`(
        beginning: String
    ) async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            try client.send(beginning)
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    @Test func `the timeout starts again with each request`() async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            for _ in 0..<4 {
                try client.send(Self.feeds)
                #expect(try client.response().status == 200)
                #expect(try !client.receivesData(within: .milliseconds(400)))
            }
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    @Test func `a head received byte by byte has the same timeout`() async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            var sent = 0
            for byte in Self.feeds.utf8 {
                try client.send([byte])
                sent += 1
                if try client.receivesData(within: .milliseconds(100)) { break }
            }
            #expect(1..<Self.feeds.utf8.count ~= sent)
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    /// `asking`: the connections that send a request before another one is opened, in order.
    @Test(arguments: [([], 0), ([0, 1], 0), ([0, 1, 0], 1)])
    func `a new connection is served, and the longest waiting one is closed`(
        asking: [Int],
        oldest: Int
    ) async throws {
        try await self.play { port in
            let clients = [try RawClient(port: port), try RawClient(port: port)]
            for number in asking {
                try clients[number].send(Self.feeds)
                #expect(try clients[number].response().status == 200)
            }
            for client in clients { try client.send("GET /feeds HTTP/1.1\r\n") }
            let next = try RawClient(port: port)
            try next.send(Self.feeds)
            #expect(try next.response().status == 200)
            #expect(try clients[oldest].rest().bytes.isEmpty)
            try clients[1 - oldest].send("\r\n")
            #expect(try clients[1 - oldest].response().status == 200)
        }
    }

    /// Opens a connection whose incomplete request body has reached the server.
    private static func incomplete(_ target: String, port: UInt16) throws -> RawClient {
        let client = try RawClient(port: port)
        let fields = "Content-Length: 9\r\nExpect: 100-continue\r\n"
        try client.send("POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        #expect(try client.head()?.status == 100)
        try client.send("abc")
        return client
    }

    @Test func `the oldest request with an incomplete body is refused`() async throws {
        try await self.play { port in
            let undo = try Self.incomplete("/api/v1/undo", port: port)
            let first = try Self.incomplete("/hooks/a", port: port)
            let second = try Self.incomplete("/hooks/a", port: port)
            let refusal = try first.response()
            #expect(refusal.status == 503)
            #expect(refusal.fields["Retry-After"] == ["1"])
            #expect(refusal.fields["Connection"] == ["close"])
            #expect(try first.rest().bytes.isEmpty)
            // Requests for another audience are not refused.
            for (client, status) in [(second, 404), (undo, 400)] {
                try client.send("defghi")
                #expect(try client.response().status == status)
            }
        }
    }

    @Test func `the bytes read after a refusal are limited`() async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            try client.send("POST /hooks/a HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n")
            #expect(try client.response().status == 413)
            #expect(try client.rest().by == .closed)
            let piece = [UInt8](repeating: 0x78, count: 1 << 16)
            let first = try client.sendUntilBlocked(piece, atMost: 2 << 20)
            #expect(first >= 2 << 20)
            #expect(throws: HarnessError.self) {
                try client.sendUntilBlocked(piece, atMost: 64 << 20)
            }
        }
    }
}
