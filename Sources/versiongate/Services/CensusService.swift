import GateCensus
import GateControl
import GateProxy
import GateRecords
import GateSystem
import NIOCore
import ServiceLifecycle

/// Collects the counts from the event loops every few seconds, and once more after the loops have stopped.
///
/// While the breaker watches a change, the counts are collected more often.
struct CensusService: Service {
    /// The interval for watched changes: a change that denies too many clients is detected within
    /// twice this time.
    private static let watchInterval = Duration.seconds(2)

    let census: Census
    let breaker: Breaker
    let audit: AuditLog?
    let server: GateServer
    /// The time between two writes of the census.
    let interval: Duration

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
        // The event loops have stopped, so the breaker need not check the last counts.
        _ = await self.fetch(writes: true)
    }

    private func fetch(writes: Bool) async -> [[CensusCell: CensusFigures]] {
        let harvests = await self.server.takeCensus()
        return await self.census.add(harvests, at: SystemClock.now(), writes: writes)
    }
}
