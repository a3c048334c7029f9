import GateControl
import GatePolicy
import GateTestSupport
import Logging
import NIOCore
import OwnThread
import Testing

@testable import GateAdmin

/// Real sockets on loopback: what a client that takes its time gets.
@Suite(OwnThreadTrait(), .serialized, .timeLimit(.minutes(5)))
struct AdminServerTests {
    private func play(_ body: @Sendable @escaping (UInt16) throws -> Void) async throws {
        var limits = AdminLimits()
        limits.idle = .seconds(1)
        limits.body = .seconds(1)
        limits.connections = 2
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
        // The server answers on the pool whose threads a client that waits would hold.
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
    func `a request that does not come to its end loses its connection`(
        beginning: String
    ) async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            try client.send(beginning)
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    @Test func `time begins anew with each request`() async throws {
        try await self.play { port in
            let client = try RawClient(port: port)
            for _ in 0..<4 {
                try client.send(Self.feeds)
                #expect(try client.response().status == 200)
                #expect(try !client.hears(within: .milliseconds(400)))
            }
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    @Test func `so many connections at the same time, and no more`() async throws {
        try await self.play { port in
            let clients = try (0..<3).map { _ in
                let client = try RawClient(port: port)
                try client.send(Self.feeds)
                return client
            }
            let answers = try clients.map { try $0.responseIfAny()?.status }
            #expect(answers.compactMap(\.self) == [200, 200])
        }
    }
}
