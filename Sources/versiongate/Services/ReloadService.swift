import GateControl
import GateRules
import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the rules on SIGHUP and when their files change, and the certificates on SIGHUP.
struct ReloadService: Service {
    let reloader: RulesReloader
    let certificates: CertificateReloader?
    let path: String
    /// SIGHUP signals, trapped before the gate listens, so that an early signal does not end the
    /// process.
    let hangups: UnixSignalsSequence
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    for await _ in self.hangups {
                        await self.reload(.signal)
                        await self.certificates?.reload()
                    }
                }
                group.addTask {
                    for await sighting in RulesWatcher(path: self.path, logger: self.logger) {
                        await self.reload(.fileChanged, seen: sighting)
                    }
                }
                await group.waitForAll()
            }
        }
    }

    private func reload(
        _ reason: RulesChange.Reason,
        seen sighting: RulesSighting? = nil
    ) async {
        let now = ServiceManager.monotonicMicroseconds()
        self.manager?.tell(.reloading(monotonicMicroseconds: now), .status("reloading the rules"))
        let status = await self.reloader.reload(reason: reason, seen: sighting)
        self.manager?.tell(
            .ready,
            .status(
                status.lastReloadSuccessful
                    ? "revision \(status.revision ?? "") is active"
                    : "the new rules are invalid; the previous rules stay active"
            )
        )
    }
}
