import GateControl
import GateFeeds
import GateRules
import GateSystem
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RulesTestSupport
import Testing

@testable import GateAdmin

/// Probe responses, which need only the listener's event loop.
struct ProbeTests {
    private static func endpoints(isWell: Bool) -> AdminEndpoints {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: "/nowhere"),
            logger: logger
        ) { _ in }
        return AdminEndpoints(
            reloader: reloader,
            coordinator: FeedCoordinator(reloader: reloader, store: nil, logger: logger),
            hooks: FeedHooks(logger: logger),
            gate: GateView(
                isHealthy: { $0.makeSucceededFuture(isWell) },
                isReady: { isWell }
            ),
            now: SystemClock.now
        )
    }

    @Test(
        arguments: [(AdminRoute.healthy, true), (.healthy, false), (.ready, true), (.ready, false)]
    )
    func `a probe is answered within one event-loop tick`(
        route: AdminRoute,
        isWell: Bool
    ) throws {
        let loop = EmbeddedEventLoop()
        let probe = Self.endpoints(isWell: isWell).probe(route, on: loop)
        var statuses: [UInt] = []
        try #require(probe).assumeIsolated().whenSuccess { statuses.append($0.status.code) }
        loop.run()
        #expect(statuses == [isWell ? 200 : 503])
    }

    @Test func `only open routes are probes`() {
        let loop = EmbeddedEventLoop()
        for route in AdminRoute.places.values where route.audience != .open {
            #expect(Self.endpoints(isWell: true).probe(route, on: loop) == nil)
        }
    }
}
