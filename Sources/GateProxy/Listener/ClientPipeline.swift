package import NIOCore
internal import NIOSSL

/// What stands on a client's connection, in the order in which bytes come by.
package enum ClientPipeline {
    /// Makes a connection that was just accepted ready.
    ///
    /// `isSecure`: whether the client speaks TLS; a PROXY header stands in front of it, unencrypted.
    package static func begin(on channel: any Channel, worker: Worker, isSecure: Bool) throws {
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
