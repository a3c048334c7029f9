import GateProxy
import Logging
import NIOCore
import ServiceLifecycle

/// Sends watchdog notifications to the service manager while all event loops respond.
struct WatchdogService: Service {
    let server: GateServer
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        guard let manager = self.manager, let interval = manager.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        // Half of the interval, as sd_watchdog_enabled(3) recommends, leaves time for a late
        // notification.
        let pause = interval / 2
        let patience = TimeAmount(pause / 2)
        await cancelWhenGracefulShutdown {
            var wasResponsive = true
            while !Task.isCancelled {
                let isResponsive = await self.server.isResponsive(within: patience)
                if isResponsive { manager.tell(.alive) }
                if wasResponsive, !isResponsive {
                    self.logger.error(
                        "an event loop is not responding; no watchdog notification is sent"
                    )
                }
                wasResponsive = isResponsive
                try? await Task.sleep(for: pause)
            }
        }
    }
}
