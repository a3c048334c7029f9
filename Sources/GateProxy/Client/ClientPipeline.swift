package import NIOCore
internal import NIOSSL

/// The handlers on a client's connection, in the order in which bytes come by.
package enum ClientPipeline {
    /// Makes a connection that was just accepted ready.
    ///
    /// `isSecure`: whether the client speaks TLS; a PROXY header stands in front of it, unencrypted.
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

    /// Makes it ready for requests, once it is known whose it is.
    private static func complete(
        on channel: any Channel,
        clients: LoopClients,
        peer: SocketAddress?,
        isSecure: Bool
    ) throws {
        let origin = ClientOrigin(
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
        // A trusted proxy is no client: through it come the connections of many.
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

    /// Puts a connection behind what stands there; its permit among those of its client goes with the channel.
    static func add(_ connection: ClientConnection, to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(connection)
        guard let permit = connection.permit else { return }
        channel.closeFuture.assumeIsolated().whenComplete { _ in permit.leave() }
    }
}
