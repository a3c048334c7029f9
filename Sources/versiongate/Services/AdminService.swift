import GateAdmin
import GateProxy
import NIOCore
import ServiceLifecycle

/// Leaves the admin listener to a successor as soon as the gate is asked to stop; without one, the
/// listener answers until the last request of a client has come to its end.
struct AdminService: Service {
    let server: AdminServer

    func run() async throws {
        try? await gracefulShutdown()
        await self.server.makeWay()
    }
}

extension AdminServer.Place {
    /// Sockets that were handed over, or else what the settings say; `nil`: nowhere.
    init?(_ settings: ServeSettings, inherited: [CInt]) {
        if !inherited.isEmpty {
            self = .sockets(inherited)
        } else if let endpoint = settings.adminListen {
            self = .address(
                host: endpoint.host,
                port: endpoint.port,
                sharesPort: settings.gate.reusesPort
            )
        } else {
            return nil
        }
    }
}

extension GateView {
    /// How long an event loop may take to have its turn before the gate is unhealthy.
    private static let patience = TimeAmount.seconds(2)

    /// The data plane of this process.
    init(_ server: GateServer, log: LogWriter) {
        self.init(
            release: Release(
                version: versiongate.Release.version,
                commit: versiongate.Release.commit
            ),
            statistics: { await server.statistics() },
            isHealthy: { server.isResponsive(within: Self.patience, on: $0) },
            isReady: { server.isReady },
            droppedLogLines: { log.droppedLines }
        )
    }
}
