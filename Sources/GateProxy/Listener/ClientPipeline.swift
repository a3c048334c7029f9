import NIOCore

/// What stands on a client's connection, in the order in which bytes come by.
enum ClientPipeline {
    /// Makes a connection that was just accepted ready.
    static func begin(on channel: any Channel, worker: Worker) throws {
        let peer = channel.remoteAddress
        guard worker.settings.readsProxyHeaders else {
            return try self.complete(on: channel, worker: worker, peer: peer)
        }
        try channel.pipeline.syncOperations.addHandler(
            ProxyHeaderHandler(worker: worker, peer: peer) { client in
                try self.complete(on: channel, worker: worker, peer: client)
            }
        )
    }

    /// Makes it ready for requests, once it is known whose it is.
    private static func complete(
        on channel: any Channel,
        worker: Worker,
        peer: SocketAddress?
    ) throws {
        let origin = ClientOrigin(peer, trusted: worker.settings.trustedProxies)
        try channel.pipeline.syncOperations.addHandler(
            ClientConnection(
                worker: worker,
                origin: origin,
                isWelcome: self.enter(channel, of: origin, worker: worker)
            )
        )
    }

    /// Counts the connection among those of its client.
    ///
    /// A trusted proxy is no client: through it come the connections of many.
    private static func enter(
        _ channel: any Channel,
        of origin: ClientOrigin,
        worker: Worker
    ) -> Bool {
        guard let limit = worker.addressLimit, !origin.isTrusted,
            let client = ClientNetwork(origin.address)
        else { return true }
        guard limit.enter(client) else { return false }
        channel.closeFuture.whenComplete { _ in limit.leave(client) }
        return true
    }
}
