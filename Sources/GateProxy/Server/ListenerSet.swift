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

/// The listening sockets: the gate's own, or inherited ones.
struct ListenerSet: Sendable {
    private let channels: [any Channel]
    /// The sockets that the gate has opened itself.
    private let own: [any Channel]
    /// Whether another process, on this machine or behind the same load balancer, continues to
    /// serve clients.
    private let hasSuccessor: Bool
    private let sharesPort: Bool

    /// The address for clients; `nil` if there are only gateways.
    let clientAddress: SocketAddress?
    /// The address that accepts only TLS connections, if there is one.
    let tlsAddress: SocketAddress?
    /// The address for authorization requests from gateways, if there is one.
    let gatewayAddress: SocketAddress?

    /// Creates the listeners.
    ///
    /// `bootstrap` returns the bootstrap for a kind of peers.
    init(
        _ settings: GateSettings,
        inherited: InheritedListeners,
        hasTLS: Bool,
        bootstrap: (_ peers: PeerKind) -> ServerBootstrap
    ) async throws {
        var channels: [any Channel] = []
        var own: [any Channel] = []
        /// Listens on inherited sockets or, without them, on an endpoint; returns the first address.
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
    /// With a successor, a restart must not lose requests that are in transit.
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
    /// Accepted connections reach their event loops first. The same applies to connections in the
    /// accept queues of sockets that are closed with this process, because the kernel would reset
    /// them.
    func close(_ eventLoops: [any EventLoop]) async {
        if self.hasSuccessor {
            if !self.own.isEmpty {
                if self.sharesPort { await self.turnAwayNewcomers() }
                await self.acceptAllWaiting()
            }
            for channel in self.channels {
                try? await channel.setOption(.autoRead, value: false).get()
            }
            // Three rounds: from the listener's event loop to the connection's, back again, and
            // once more to the connection's.
            for _ in 0..<3 {
                for eventLoop in eventLoops { try? await eventLoop.submit {}.get() }
            }
        }
        for channel in self.channels { try? await channel.close() }
    }

    /// Makes the kernel ignore new connection attempts; handshakes in progress continue.
    ///
    /// Clients retry after a second, and then reach the successor. The minimum hop count is the
    /// only setting that a listener checks for new handshakes but not for handshakes in progress.
    /// No peer on an ordinary network can have a hop count of 255.
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

    /// `IP_MINTTL` and `IPV6_MINHOPCOUNT` on Linux.
    private static let minimalTTL: CInt = 21
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
                // For a listener, this is the length of its accept queue.
                waiting += info.tcpi_unacked
            }
            if waiting == 0, round >= 1 { return }
        }
    }
}

/// The reason why the gate cannot listen on an address, and how to fix the problem.
package struct BindProblem: Error, CustomStringConvertible {
    /// The configured address.
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
