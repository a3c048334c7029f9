import Logging
import NIOCore

/// One event loop's connections to all backends.
struct UpstreamPools {
    /// The pool of the default backend.
    let standard: UpstreamPool
    /// The pools of the named backends, in the order of the settings.
    private let named: [UpstreamPool]
    /// A pool without addresses, for a route to a backend that the settings do not contain.
    private let unknown: UpstreamPool
    /// The targets of each pool, the default one first.
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

    /// Returns the pool of the backend that a verdict selects; `nil` for the default one.
    func pool(for route: BackendRoute?) -> UpstreamPool {
        guard let route else { return self.standard }
        return route.index.map { self.named[$0] } ?? self.unknown
    }

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

    /// The state of the targets, as seen by this event loop; a target of several backends occurs several times.
    var statistics: [BackendStatistics] {
        zip(self.all, self.targets).flatMap { $0.statistics(of: $1) }
    }
}
