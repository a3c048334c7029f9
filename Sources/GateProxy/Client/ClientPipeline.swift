package import NIOCore
internal import NIOSSL

/// The handlers on a client's connection, in the order in which bytes come by.
package enum ClientPipeline {
    /// Makes a connection that was just accepted ready.
    ///
    /// `isSecure`: whether the client speaks TLS; a PROXY header stands in front of it, unencrypted.
    package static func begin(on channel: any Channel, worker: Worker, isSecure: Bool) throws {
        worker.counters.connectionsAccepted += 1
        let peer = channel.remoteAddress
        guard worker.settings.readsProxyHeaders else {
            return try self.complete(on: channel, worker: worker, peer: peer, isSecure: isSecure)
        }
        try channel.pipeline.syncOperations.addHandler(
            ProxyHeaderHandler(worker: worker, peer: peer) { client in
                try self.complete(on: channel, worker: worker, peer: client, isSecure: isSecure)
            }
        )
    }

    /// Makes it ready for requests, once it is known whose it is.
    private static func complete(
        on channel: any Channel,
        worker: Worker,
        peer: SocketAddress?,
        isSecure: Bool
    ) throws {
        let origin = ClientOrigin(
            peer,
            trusted: worker.settings.trustedProxies,
            isSecure: isSecure
        )
        if isSecure {
            guard let tls = worker.tls else { throw ChannelError.inappropriateOperationForState }
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: tls.context)
            )
        }
        var admission = ClientConnection.Admission.welcome
        // A trusted proxy is no client: through it come the connections of many.
        if let limit = worker.addressLimit, !origin.isTrusted,
            let client = ClientNetwork(origin.address)
        {
            admission =
                ConnectionPermit.take(for: client, in: limit).map { .counted($0) } ?? .unwelcome
        }
        try self.add(
            ClientConnection(worker: worker, origin: origin, admission: admission),
            to: channel
        )
    }

    /// Makes a connection ready that was parked, for its next request.
    static func resume(
        _ parked: ParkedConnection,
        on channel: any Channel,
        worker: Worker
    ) throws {
        let origin = ClientOrigin(
            address: parked.address,
            isTrusted: parked.isTrusted,
            isSecure: false
        )
        let connection = ClientConnection(
            worker: worker,
            origin: origin,
            admission: parked.permit.map { .counted($0) } ?? .welcome,
            silentUntil: parked.deadline
        )
        try self.add(connection, to: channel)
    }

    /// Lets the permit of a connection among those of its client go with the channel.
    private static func add(_ connection: ClientConnection, to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(connection)
        guard let permit = connection.permit else { return }
        channel.closeFuture.assumeIsolated().whenComplete { _ in permit.leave() }
    }
}
