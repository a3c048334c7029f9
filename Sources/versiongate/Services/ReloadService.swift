import GateControl
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the rules again on SIGHUP and whenever their file changes.
struct ReloadService: Service {
    let reloader: RulesReloader
    let path: String
    /// SIGHUP, trapped since before the gate listened: nobody may end it by asking too early.
    let hangups: UnixSignalsSequence
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    for await _ in self.hangups {
                        await self.reloader.reload(reason: .signal)
                    }
                }
                group.addTask {
                    for await _ in RulesWatcher(path: self.path, logger: self.logger) {
                        await self.reloader.reload(reason: .fileChanged)
                    }
                }
                await group.waitForAll()
            }
        }
    }
}
