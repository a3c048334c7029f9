import GateCensus
import GateControl
import GateProxy
import GateRecords
import GateSystem
import NIOCore
import ServiceLifecycle

/// Fetches every few seconds what the event loops have counted, and a last time when they have ended;
/// while the breaker watches a change, more often.
struct CensusService: Service {
    /// The time after which a change that refuses too many is found out, at most twice of it.
    private static let watchInterval = Duration.seconds(2)

    private let census: Census
    private let breaker: Breaker
    private let audit: AuditLog?
    private let server: GateServer
    private let interval: Duration

    /// - Returns: `nil` if nobody is counted.
    init?(
        _ settings: CensusSettings?,
        _ census: Census?,
        _ breaker: Breaker?,
        _ audit: AuditLog?,
        _ server: GateServer
    ) {
        guard let settings, let census, let breaker else { return nil }
        self.census = census
        self.breaker = breaker
        self.audit = audit
        self.server = server
        self.interval = settings.interval
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let pause = min(self.interval, Self.watchInterval)
            var written = ContinuousClock.now
            while (try? await Task.sleep(for: pause)) != nil {
                let isDue = written.duration(to: .now) >= self.interval
                let wantsLook = await self.breaker.wantsLook
                guard isDue || wantsLook else { continue }
                let cells = await self.fetch(writes: isDue)
                await self.breaker.look(at: cells)
                guard isDue else { continue }
                written = .now
                self.audit?.settle(at: SystemClock.now())
            }
        }
        // Where nobody is judged any more, there is nothing to stop.
        _ = await self.fetch(writes: true)
    }

    private func fetch(writes: Bool) async -> [[CensusCell: CensusFigures]] {
        let harvests = await self.server.takeCensus()
        return await self.census.add(harvests, at: SystemClock.now(), writes: writes)
    }
}
