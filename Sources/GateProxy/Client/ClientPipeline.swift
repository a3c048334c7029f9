package import NIOCore
internal import NIOSSL

/// Methods that add the channel handlers of a client connection.
package enum ClientPipeline {
    /// Adds the handlers to the channel of a new connection.
    static func begin(
        on channel: any Channel,
        clients: LoopClients,
        peers: PeerKind
    ) throws {
        switch peers {
        case .clients(let isSecure):
            try self.begin(on: channel, clients: clients, isSecure: isSecure)
        case .gateways:
            clients.loop.counters.connectionsAccepted += 1
            let origin = ClientAddress(gateway: channel.remoteAddress)
            try self.add(ClientConnection(clients: clients, origin: origin), to: channel)
        }
    }

    /// Adds the handlers to the channel of a new client connection.
    ///
    /// `isSecure` indicates whether the client uses TLS, which starts after the unencrypted PROXY header, if there is
    /// one.
    package static func begin(
        on channel: any Channel,
        clients: LoopClients,
        isSecure: Bool
    ) throws {
        clients.loop.counters.connectionsAccepted += 1
        let peer = channel.remoteAddress
        guard clients.loop.settings.readsProxyHeaders else {
            return try self.complete(on: channel, clients: clients, peer: peer, isSecure: isSecure)
        }
        try channel.pipeline.syncOperations.addHandler(
            ProxyHeaderHandler(clients: clients, peer: peer) { client in
                try self.complete(on: channel, clients: clients, peer: client, isSecure: isSecure)
            }
        )
    }

    /// Adds the handlers for requests after the client's address has been determined.
    private static func complete(
        on channel: any Channel,
        clients: LoopClients,
        peer: SocketAddress?,
        isSecure: Bool
    ) throws {
        let origin = ClientAddress(
            peer,
            trusted: clients.loop.settings.trustedProxies,
            isSecure: isSecure
        )
        if isSecure {
            guard let tls = clients.tls else { throw ChannelError.inappropriateOperationForState }
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: tls.context)
            )
        }
        var admission = ClientConnection.Admission.admitted(nil)
        // The limit does not apply to a trusted proxy, because the proxy forwards the connections of many clients.
        if let limit = clients.addressLimit, !origin.isTrusted,
            let client = ClientNetwork(origin.address)
        {
            admission =
                ConnectionPermit.take(for: client, in: limit).map { .admitted($0) }
                ?? .overClientLimit
        }
        try self.add(
            ClientConnection(clients: clients, origin: origin, admission: admission),
            to: channel
        )
    }

    /// Adds a connection as the last handler, and releases the connection's permit when the channel closes.
    static func add(_ connection: ClientConnection, to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(connection)
        guard let permit = connection.permit else { return }
        channel.closeFuture.assumeIsolated().whenComplete { _ in permit.leave() }
    }
}

/// The kind of peer that connects to a listener.
enum PeerKind: Sendable {
    /// Clients, which use TLS if `isSecure` is true.
    case clients(isSecure: Bool)
    /// Gateways, which send authorization requests.
    case gateways
}
