import Glibc
import NIOCore
import NIOPosix

/// The sockets that connections are accepted on: one of the gate's own, or those that it was given.
struct ListenerSet: Sendable {
    private let channels: [any Channel]
    /// Those of them that the gate has opened itself.
    private let own: [any Channel]
    /// Whether another process, here or behind the same load balancer, goes on when these close.
    private let hasSuccessor: Bool
    private let sharesPort: Bool

    /// The address that clients connect to first.
    let address: SocketAddress
    /// The address that they connect to for TLS alone, if there is one.
    let tlsAddress: SocketAddress?

    /// `bootstrap`: makes what listens, given whether connections are encrypted.
    init(
        _ settings: GateSettings,
        inherited: [CInt],
        hasTLS: Bool,
        bootstrap: (_ isSecure: Bool) -> ServerBootstrap
    ) async throws {
        let isSecure = hasTLS && settings.tlsListen == nil
        var channels: [any Channel] = []
        var own: [any Channel] = []
        if inherited.isEmpty {
            own.append(try await Self.bind(bootstrap(isSecure), to: settings.listen, settings))
        } else {
            for descriptor in inherited {
                channels.append(try await bootstrap(isSecure).withBoundSocket(descriptor).get())
            }
        }
        if let endpoint = settings.tlsListen {
            own.append(try await Self.bind(bootstrap(true), to: endpoint, settings))
        }
        channels += own
        self.channels = channels
        self.own = own
        self.sharesPort = settings.reusesPort
        self.hasSuccessor =
            settings.reusesPort || !inherited.isEmpty || settings.drainDelay > .zero
        guard let address = channels.first?.localAddress else {
            throw ChannelError.unknownLocalAddress
        }
        self.address = address
        self.tlsAddress = settings.tlsListen == nil ? nil : own.last?.localAddress
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

    /// How long idle connections may stay while the gate drains.
    ///
    /// A restart with a successor is not to lose a request that is on its way.
    var drainGrace: TimeAmount { self.hasSuccessor ? .seconds(1) : .zero }

    /// Returns when one of the sockets is closed, by whomever, or the task is cancelled.
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
    /// Connections that have been accepted reach their event loop first, and so do those that wait
    /// to be accepted on sockets that end with this process: the kernel resets them otherwise.
    func close(_ eventLoops: [any EventLoop]) async {
        if self.hasSuccessor {
            if !self.own.isEmpty {
                if self.sharesPort { await self.turnAwayNewcomers() }
                await self.acceptAllWaiting()
            }
            for channel in self.channels {
                try? await channel.setOption(.autoRead, value: false).get()
            }
            // From the listener's loop to the connection's, back, and there again.
            for _ in 0..<3 {
                for eventLoop in eventLoops { try? await eventLoop.submit {}.get() }
            }
        }
        for channel in self.channels { try? await channel.close() }
    }

    /// Lets the kernel ignore attempts to connect, which are repeated a second later and then come
    /// to the successor; handshakes that have begun go on.
    ///
    /// The minimal hop count is the one thing that a listener checks before it takes on a handshake
    /// and not after; no peer on an ordinary network can have 255.
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

    /// `IP_MINTTL` and `IPV6_MINHOPCOUNT` of Linux.
    private static let minimalTTL: CInt = 21
    private static let minimalHopCount: CInt = 73

    /// Waits until handshakes have had time to end and nobody stands in the queue.
    private func acceptAllWaiting() async {
        for round in 0..<20 {
            try? await Task.sleep(for: .milliseconds(50))
            var waiting: UInt32 = 0
            for channel in self.own {
                guard let socket = channel as? any SocketOptionProvider,
                    let info = try? await socket.getTCPInfo().get()
                else { continue }
                // Of a listener, this is the length of its queue.
                waiting += info.tcpi_unacked
            }
            if waiting == 0, round >= 1 { return }
        }
    }
}

/// Why an address cannot be listened on, and the way out.
package struct BindProblem: Error, CustomStringConvertible {
    /// The address that was asked for.
    package let endpoint: Endpoint
    package let description: String

    package init(_ endpoint: Endpoint, _ error: any Error) {
        self.endpoint = endpoint
        self.description = Self.words(endpoint, error)
    }

    private static func words(_ endpoint: Endpoint, _ error: any Error) -> String {
        if error is SocketAddressError.UnknownHost {
            return "the name '\(endpoint.host)' is unknown: name an address of this machine, "
                + "or 0.0.0.0 for all of them"
        }
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE:
            return
                "another program listens there, which 'ss -ltnp sport = :\(endpoint.port)' names: "
                + "stop it, or choose another port"
        case EADDRNOTAVAIL:
            return "this machine has no address \(endpoint.host): choose one of its own "
                + "('ip address' lists them), or 0.0.0.0 for all of them"
        case EACCES:
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: grant it, "
                + "or choose a port from 1024 on"
        default:
            return "\(error)"
        }
    }
}
