import GateAdmin
import GateProxy
import NIOCore

extension AdminServer.Place {
    /// Selects the inherited sockets, or the configured address if there are none; returns `nil` if there is no address
    /// either.
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
    /// The time within which each event loop must respond for the gate to be healthy.
    private static let patience = TimeAmount.seconds(2)

    /// Creates a view of the data plane of this process.
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
