import GateProxy
import Logging
import NIOCore
import ServiceLifecycle

/// Tells the service manager that the gate is alive, as long as every event loop is.
struct WatchdogService: Service {
    let server: GateServer
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        guard let manager = self.manager, let interval = manager.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        // Half of it, as sd_watchdog_enabled(3) asks for: one that comes late is not yet too late.
        let pause = interval / 2
        let patience = TimeAmount(pause / 2)
        await cancelWhenGracefulShutdown {
            var wasResponsive = true
            while !Task.isCancelled {
                let isResponsive = await self.server.isResponsive(within: patience)
                if isResponsive { manager.tell(.alive) }
                if wasResponsive, !isResponsive {
                    self.logger.error("an event loop does not answer; the watchdog is not told")
                }
                wasResponsive = isResponsive
                try? await Task.sleep(for: pause)
            }
        }
    }
}
