import GatePolicy
import GateTestSupport
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import GateProxy

/// A request in the socket's receive buffer that a busy event loop has not read yet.
@Suite(.timeLimit(.minutes(2 * GateExecutable.slowdown)))
struct UnreadRequestTests {
    private static let request = Message.outdated

    enum Ending: CaseIterable {
        /// The gate stops.
        case drain
        /// The gate stops, and the event loop is so late that the time for last requests is over.
        case lateDrain
        case lateDrainWithSuccessor
        /// The client has been idle until its timeout.
        case idleTimeout
    }

    /// Runs a client whose connection waits for the first or the second request.
    private func play(
        isFirst: Bool,
        _ ending: Ending,
        _ check: (RawClient) throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let accepted = loop.makePromise(of: Int32.self)
        let listener = try LoopbackListener { accepted.succeed($0) }
        defer { listener.stop() }
        let client = try RawClient(port: listener.port)
        let descriptor = try await accepted.futureResult.get()
        let worker = try await loop.submit {
            let settings = GateSettings(
                listen: Endpoint(host: "127.0.0.1", port: 0),
                upstream: UpstreamSettings(Endpoint(host: "192.0.2.1", port: 80))
            )
            let worker = Worker(
                eventLoop: loop,
                settings: settings,
                ruleSet: try Stage.ruleSet(minimum: "2.0"),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            return NIOLoopBound(worker, eventLoop: loop)
        }.get()
        let channel = try await ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ClientPipeline.begin(
                        on: channel,
                        clients: worker.value.clients,
                        isSecure: false
                    )
                }
            }
            .withConnectedSocket(descriptor).get()
        if !isFirst {
            try client.send(Self.request)
            #expect(try client.response().status == 426)
        }
        // The event loop reads nothing until it has finished this task.
        let (isHeld, mayGoOn) = (Latch(), Latch())
        let held = loop.submit {
            isHeld.open()
            try mayGoOn.wait()
        }
        try isHeld.wait()
        try client.send(Self.request)
        let ended = loop.submit {
            let connection = try channel.pipeline.syncOperations
                .handler(type: ClientConnection.self)
            switch ending {
            case .drain: _ = worker.value.drain()
            case .lateDrain:
                _ = worker.value.drain()
                connection.deadlineReached()
            case .lateDrainWithSuccessor:
                _ = worker.value.drain(grace: .seconds(1))
                connection.deadlineReached()
            case .idleTimeout: connection.deadlineReached()
            }
        }
        mayGoOn.open()
        try await held.get()
        try await ended.get()
        try check(client)
        client.close()
        try? await channel.closeFuture.get()
        try await group.shutdownGracefully()
    }

    @Test(arguments: [true, false], [Ending.drain, .lateDrain, .lateDrainWithSuccessor])
    func `an unread request gets the last response when the gate stops`(
        _ isFirst: Bool,
        _ ending: Ending
    ) async throws {
        try await self.play(isFirst: isFirst, ending) { client in
            let answer = try client.response()
            #expect(answer.status == 426)
            #expect(answer.fields["Connection"] == ["close"])
            #expect(try client.rest().bytes.isEmpty)
        }
    }

    @Test func `an unread request gets a response although the idle timeout is over`() async throws
    {
        try await self.play(isFirst: false, .idleTimeout) { client in
            let answer = try client.response()
            #expect(answer.status == 426)
        }
    }
}
