import GateControl
import GateRules
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the rules again on SIGHUP and whenever their file changes, and on SIGHUP the certificates.
struct ReloadService: Service {
    let reloader: RulesReloader
    let certificates: CertificateReloader?
    let path: String
    /// SIGHUP, trapped since before the gate listened: nobody may end it by asking too early.
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
        self.manager?.tell(.reloading(monotonicMicroseconds: now), .status("reading the rules"))
        let status = await self.reloader.reload(reason: reason, seen: sighting)
        self.manager?.tell(
            .ready,
            .status(
                status.lastReloadSuccessful
                    ? "serving by revision \(status.revision ?? "")"
                    : "serving by the rules of before: the new ones are wrong"
            )
        )
    }
}
