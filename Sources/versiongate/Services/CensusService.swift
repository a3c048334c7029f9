import GateCensus
import GateControl
import GateProxy
import NIOCore
import ServiceLifecycle

/// Fetches every few seconds what the event loops have counted, and a last time when they have ended.
struct CensusService: Service {
    let census: Census
    let server: GateServer
    let interval: Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: self.interval)) != nil { await self.write() }
        }
        await self.write()
    }

    private func write() async {
        await self.census.add(await self.server.takeCensus(), at: SystemClock.now())
    }
}

/// The settings of the census.
struct CensusSettings {
    /// Cells of clients that are told apart in a minute, and on each event loop until it is asked.
    var maxCells: Int
    /// The time between two writes, which is lost in a crash.
    var interval: Duration

    /// - Returns: `nil` if there is to be none.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        self.maxCells = try reader.number(.censusMaxCells, in: 1...100_000) ?? 2_000
        let seconds = try reader.seconds(.censusInterval) ?? 10
        self.interval = .milliseconds(Int64(seconds * 1_000))
        guard try reader.boolean(.census) ?? true else { return nil }
    }
}
