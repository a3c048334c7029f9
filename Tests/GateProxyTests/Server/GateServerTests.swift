import Dispatch
import GatePolicy
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import GateProxy

@Suite(.timeLimit(.minutes(5)))
struct GateServerTests {
    /// Blocks the event loop that logs a failed connection until the test continues.
    private struct HoldingLog: LogHandler {
        let isHeld: DispatchSemaphore
        let mayGoOn: DispatchSemaphore
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.message == LoggedFault.unreachableBackend.message else { return }
            self.isHeld.signal()
            self.mayGoOn.wait()
        }
    }

    @Test func `a gate is responsive if each of its event loops is responsive`() async throws {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(Endpoint(host: "127.0.0.1", port: 1))
        )
        settings.threads = 2
        let server = try await GateServer.start(
            settings: settings,
            ruleSet: RuleSet(RuleSetDefinition(revision: "1")),
            logger: Logger(label: "test") { _ in HoldingLog(isHeld: isHeld, mayGoOn: mayGoOn) }
        )
        #expect(await server.isResponsive(within: .seconds(10)))
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: #require(server.clientAddress)).get()
        try await client.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        #expect(await !server.isResponsive(within: .milliseconds(100)))
        mayGoOn.signal()
        #expect(await server.isResponsive(within: .seconds(10)))
        try await client.close()
        #expect(await server.shutDown(timeout: .seconds(10)))
    }

    /// A reload may be in progress when the gate stops.
    @Test(.timeLimit(.minutes(5)))
    func `rules applied after the shutdown do not wait`() async throws {
        let settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(Endpoint(host: "127.0.0.1", port: 1))
        )
        let rules = RuleSet(RuleSetDefinition(revision: "1"))
        let server = try await GateServer.start(
            settings: settings,
            ruleSet: rules,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        #expect(server.isReady)
        #expect(await server.statistics()?.counters == GateCounters())
        #expect(await server.shutDown(timeout: .seconds(10)))
        #expect(!server.isReady)
        await server.use(rules)
        #expect(await server.statistics() == nil)
    }
}
