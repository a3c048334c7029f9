import Glibc
import NIOCore
import NIOPosix

/// The listening sockets that a service manager passed to the gate.
package struct InheritedListeners: Sendable {
    package var clients: [CInt]
    package var gateways: [CInt]

    package init(clients: [CInt] = [], gateways: [CInt] = []) {
        self.clients = clients
        self.gateways = gateways
    }

    package static let none = InheritedListeners()

    var isEmpty: Bool { self.clients.isEmpty && self.gateways.isEmpty }
}

/// The gate's listening sockets, which it opened itself or inherited.
struct ListenerSet: Sendable {
    private let channels: [any Channel]
    /// The sockets that the gate opened itself.
    private let own: [any Channel]
    /// Whether another gate, on this machine or behind the same load balancer, continues to serve clients.
    private let hasSuccessor: Bool
    private let sharesPort: Bool

    /// The address that clients connect to, or `nil` if the gate serves only gateways.
    let clientAddress: SocketAddress?
    /// The address for TLS connections only, or `nil` if there is none.
    let tlsAddress: SocketAddress?
    /// The address for authorization requests from gateways, or `nil` if there is none.
    let gatewayAddress: SocketAddress?

    /// Opens the configured listeners, or uses the inherited ones.
    ///
    /// `bootstrap` returns the bootstrap for a kind of peer.
    init(
        _ settings: GateSettings,
        inherited: InheritedListeners,
        hasTLS: Bool,
        bootstrap: (_ peers: PeerKind) -> ServerBootstrap
    ) async throws {
        var channels: [any Channel] = []
        var own: [any Channel] = []
        /// Listens on the inherited sockets or, if there are none, on the endpoint; returns the
        /// first address.
        func listen(
            for peers: PeerKind,
            on descriptors: [CInt],
            or endpoint: Endpoint?
        ) async throws -> SocketAddress? {
            let before = channels.count
            for descriptor in descriptors {
                channels.append(try await bootstrap(peers).withBoundSocket(descriptor).get())
            }
            guard descriptors.isEmpty else { return channels[before].localAddress }
            guard let endpoint else { return nil }
            let channel = try await Self.bind(bootstrap(peers), to: endpoint, settings)
            own.append(channel)
            return channel.localAddress
        }
        do {
            self.clientAddress = try await listen(
                for: .clients(isSecure: hasTLS && settings.tlsListen == nil),
                on: inherited.clients,
                or: settings.listen
            )
            self.tlsAddress = try await listen(
                for: .clients(isSecure: true),
                on: [],
                or: settings.tlsListen
            )
            self.gatewayAddress = try await listen(
                for: .gateways,
                on: inherited.gateways,
                or: settings.decideListen
            )
        } catch {
            for channel in channels + own { try? await channel.close() }
            throw error
        }
        channels += own
        self.channels = channels
        self.own = own
        self.sharesPort = settings.reusesPort
        self.hasSuccessor =
            settings.reusesPort || !inherited.isEmpty || settings.drainDelay > .zero
        guard self.clientAddress != nil || self.gatewayAddress != nil else {
            throw ChannelError.unknownLocalAddress
        }
    }

    var addresses: [SocketAddress] {
        [self.clientAddress, self.tlsAddress, self.gatewayAddress].compactMap(\.self)
    }

    private static func bind(
        _ bootstrap: ServerBootstrap,
        to endpoint: Endpoint,
        _ settings: GateSettings
    ) async throws -> any Channel {
        do {
            return
                try await bootstrap
                .serverChannelOption(
                    .socketOption(NIOBSDSocket.Option(rawValue: SO_REUSEPORT)),
                    value: settings.reusesPort ? 1 : 0
                )
                .bind(host: endpoint.host, port: endpoint.port).get()
        } catch {
            throw BindProblem(endpoint, error)
        }
    }

    /// How long idle connections may stay open during the drain.
    ///
    /// Not zero if another gate takes over, so that no request in transit is lost during a restart.
    var drainGrace: TimeAmount { self.hasSuccessor ? .seconds(1) : .zero }

    /// Returns once one of the sockets is closed, for any reason, or the task is canceled.
    func waitUntilClosed() async {
        let closed = self.channels.map(\.closeFuture)
        guard let eventLoop = self.channels.first?.eventLoop else { return }
        let first = eventLoop.makePromise(of: Void.self)
        for future in closed { future.whenComplete { _ in first.succeed() } }
        await withTaskCancellationHandler {
            try? await first.futureResult.get()
        } onCancel: {
            first.succeed()
        }
    }

    /// Stops listening.
    ///
    /// If another gate takes over, connections that have already been accepted first reach their
    /// event loops. Connections in the accept queues of the gate's own sockets are also accepted
    /// first, because the kernel would reset them.
    func close(_ eventLoops: [any EventLoop]) async {
        if self.hasSuccessor {
            if !self.own.isEmpty {
                if self.sharesPort { await self.turnAwayNewcomers() }
                await self.acceptAllWaiting()
            }
            for channel in self.channels {
                try? await channel.setOption(.autoRead, value: false).get()
            }
            // Three rounds, because an accepted connection passes from the listener's event loop to
            // the connection's own, back, and to the connection's own again.
            for _ in 0..<3 {
                for eventLoop in eventLoops { try? await eventLoop.submit {}.get() }
            }
        }
        for channel in self.channels { try? await channel.close() }
    }

    /// Makes the kernel ignore new connection attempts, but not handshakes in progress.
    ///
    /// Clients retry after a second, and then reach the gate that takes over. The minimum TTL (in IPv6, hop limit) is
    /// the only setting of a listener that the kernel checks for new handshakes but not for handshakes in progress.
    /// Packets from ordinary networks arrive with a TTL below 255.
    private func turnAwayNewcomers() async {
        for channel in self.own {
            guard let socket = channel as? any SocketOptionProvider else { continue }
            let all = CInt(255)
            try? await socket.unsafeSetSocketOption(
                level: .ip,
                name: NIOBSDSocket.Option(rawValue: Self.minimalTTL),
                value: all
            ).get()
            try? await socket.unsafeSetSocketOption(
                level: .ipv6,
                name: NIOBSDSocket.Option(rawValue: Self.minimalHopCount),
                value: all
            ).get()
        }
    }

    /// The value of `IP_MINTTL` on Linux.
    private static let minimalTTL: CInt = 21
    /// The value of `IPV6_MINHOPCOUNT` on Linux.
    private static let minimalHopCount: CInt = 73

    /// Waits until handshakes have had time to complete and the accept queues are empty.
    private func acceptAllWaiting() async {
        for round in 0..<20 {
            try? await Task.sleep(for: .milliseconds(50))
            var waiting: UInt32 = 0
            for channel in self.own {
                guard let socket = channel as? any SocketOptionProvider,
                    let info = try? await socket.getTCPInfo().get()
                else { continue }
                // For a listener, `tcpi_unacked` is the length of the accept queue.
                waiting += info.tcpi_unacked
            }
            if waiting == 0, round >= 1 { return }
        }
    }
}

/// The reason why the gate cannot listen on an address, and how to fix the problem.
package struct BindProblem: Error, CustomStringConvertible {
    /// The address and port as configured.
    package let endpoint: Endpoint
    package let description: String

    package init(_ endpoint: Endpoint, _ error: any Error) {
        self.endpoint = endpoint
        self.description = Self.words(endpoint, error)
    }

    private static func words(_ endpoint: Endpoint, _ error: any Error) -> String {
        if error is SocketAddressError.UnknownHost {
            return "unknown host '\(endpoint.host)': use one of this machine's addresses, "
                + "or 0.0.0.0 for all of them"
        }
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE:
            return
                "another process is using the port ('ss -ltnp sport = :\(endpoint.port)' shows "
                + "which): stop it, or choose another port"
        case EADDRNOTAVAIL:
            return "this machine has no address \(endpoint.host): choose one of its own "
                + "('ip address' lists them), or 0.0.0.0 for all of them"
        case EACCES:
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: grant it, "
                + "or choose a port above 1023"
        default:
            return "\(error)"
        }
    }
}
