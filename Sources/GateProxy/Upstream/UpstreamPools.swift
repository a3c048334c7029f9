import Logging
import NIOCore

/// One event loop's connections to all backends.
struct UpstreamPools {
    /// The pool of the default backend.
    let standard: UpstreamPool
    /// The pools of the named backends, in the order of the settings.
    private let named: [UpstreamPool]
    /// A pool without addresses, for routes to backends that the settings do not contain.
    private let unknown: UpstreamPool
    /// The targets of each pool, starting with the default pool.
    private let targets: [[UpstreamTarget]]

    init(
        _ settings: UpstreamSettings,
        eventLoop: any EventLoop,
        timeouts: GateTimeouts,
        logger: Logger,
        connect: @escaping UpstreamPool.Connect
    ) {
        func pool(_ name: String?, _ targets: [UpstreamTarget]) -> UpstreamPool {
            UpstreamPool(
                name: name,
                eventLoop: eventLoop,
                timeouts: timeouts,
                addresses: UpstreamDirectory(targets).addresses,
                logger: logger,
                connect: connect
            )
        }
        self.standard = pool(nil, settings.targets)
        self.named = settings.named.map { pool($0.name, $0.targets) }
        self.unknown = pool(UpstreamPool.unknownName, [])
        self.targets = [settings.targets] + settings.named.map(\.targets)
    }

    /// Returns the pool of the backend that a route selects; `nil` selects the default backend.
    func pool(for route: BackendRoute?) -> UpstreamPool {
        guard let route else { return self.standard }
        return route.index.map { self.named[$0] } ?? self.unknown
    }

    /// Returns the address to try after a connection attempt failed, before any part of the request was sent.
    ///
    /// `tried` contains the addresses that could not be reached or have timed out. After a timeout,
    /// an excluded address is not tried, because it could also time out.
    ///
    /// - Returns: The address, or `nil` if there is none, or if at least `maxWaits` attempts were
    ///   made and the last one timed out.
    func nextAddress(
        after error: UpstreamPool.ConnectError,
        on route: BackendRoute?,
        tried: [UpstreamPool.Member],
        at now: NIODeadline
    ) -> UpstreamPool.Choice? {
        guard !error.isTimeout || tried.count < Self.maxWaits else { return nil }
        let insists =
            !error.isTimeout && tried.count < Self.maxTriedInDoubt && route?.fallsBack != true
        return self.pool(for: route).next(at: now, besides: tried, insisting: insists)
    }

    /// The number of attempts for one request after which excluded addresses are no longer tried.
    ///
    /// Addresses that are not excluded are still tried: once a request finds an address
    /// unreachable, other requests avoid that address.
    private static let maxTriedInDoubt = 3
    /// The number of attempts for one request after which a timeout is final.
    private static let maxWaits = 3

    private var all: [UpstreamPool] { [self.standard] + self.named }

    /// Replaces the addresses of all targets.
    func use(_ addresses: [UpstreamAddress]) {
        for (pool, targets) in zip(self.all, self.targets) {
            pool.use(addresses.filter { targets.contains($0.target) })
        }
    }

    func closeOverdue(at now: NIODeadline) {
        for pool in self.all { pool.closeOverdue(at: now) }
    }

    func closeAll() {
        for pool in self.all { pool.closeAll() }
    }

    /// The state of the targets, as seen by this event loop.
    ///
    /// A target that belongs to several backends occurs several times.
    var statistics: [BackendStatistics] {
        zip(self.all, self.targets).flatMap { $0.statistics(of: $1) }
    }
}
