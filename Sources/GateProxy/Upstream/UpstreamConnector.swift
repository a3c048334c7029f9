import NIOCore
import NIOPosix

/// Opens connections to the backend on one event loop.
struct UpstreamConnector {
    let eventLoop: any EventLoop
    let settings: GateSettings

    func connect(to address: UpstreamAddress) -> EventLoopFuture<UpstreamConnection> {
        let limits = self.settings.headLimits
        let timeout = self.settings.timeouts.connect
        let handshake: Handshake?
        do {
            handshake = try self.handshake(with: address)
        } catch {
            return self.eventLoop.makeFailedFuture(error)
        }
        var bootstrap = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeout)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let handshake {
                        let (tls, waiter) = try handshake.tls.makeHandlers(
                            host: handshake.host,
                            promise: handshake.promise,
                            timeout: timeout
                        )
                        try channel.pipeline.syncOperations.addHandlers(tls, waiter)
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        UpstreamConnection(limits: limits)
                    )
                }
            }
        if address.isInternet {
            bootstrap =
                bootstrap
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        }
        var connected = bootstrap.connect(to: address.socket)
        if let handshake {
            // Without a socket there is nobody else who would do it.
            connected.whenFailure { handshake.promise.fail($0) }
            connected = connected.flatMap { channel in
                handshake.promise.futureResult.map { channel }
            }
        }
        return connected.flatMapThrowing { channel in
            try channel.pipeline.syncOperations.handler(type: UpstreamConnection.self)
        }
    }

    private struct Handshake {
        let tls: UpstreamTLS
        let host: String
        let promise: EventLoopPromise<Void>
    }

    /// The handshake that is to come; `nil`: there is none.
    private func handshake(with address: UpstreamAddress) throws -> Handshake? {
        guard case .endpoint(let endpoint) = address.target.place, address.target.isSecure
        else { return nil }
        guard let tls = self.settings.upstream.tls else {
            throw UpstreamTLS.Failure(description: "there is nothing to verify the backend by")
        }
        return Handshake(tls: tls, host: endpoint.host, promise: self.eventLoop.makePromise())
    }
}
