import Glibc
import NIOCore
import NIOPosix

/// Opens connections to the backend on one event loop.
struct UpstreamConnector {
    let eventLoop: any EventLoop
    let settings: GateSettings
    let largeBuffers: LargeBuffers
    let emptyBuffer: ByteBuffer
    private let descriptors = DescriptorReserve()

    /// The sizes of receive buffers for data that is decrypted or belongs to several streams.
    ///
    /// The buffers start small, and grow while the backend fills them.
    private static let receiveSizes = AdaptiveRecvByteBufferAllocator(
        minimum: 64,
        initial: 2048,
        maximum: 128 * 1024
    )

    /// Opens a connection; the future succeeds once the protocol has been negotiated.
    func connect(
        to address: UpstreamAddress,
        speaking offer: UpstreamProtocol
    ) -> EventLoopFuture<UpstreamLink> {
        guard self.descriptors.hasRoom(for: .backend) else {
            return self.eventLoop.makeFailedFuture(IOError(errnoCode: EMFILE, reason: "socket"))
        }
        let timeout = self.settings.timeouts.connect
        let link = self.eventLoop.makePromise(of: UpstreamLink.self)
        let handshake: Handshake?
        do {
            handshake = try self.handshake(with: address)
        } catch {
            link.fail(error)
            return link.futureResult
        }
        let end = NIODeadline.now() + timeout
        self.bootstrap(address, offer, handshake, timeout)
            .connect(to: address.socket)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .failure(let error):
                    // Without a channel, no handler completes the promise.
                    handshake?.promise.fail(error)
                    link.fail(error)
                case .success(let channel):
                    guard let handshake else {
                        return self.establish(channel, offer == .http2, address, by: end, link)
                    }
                    handshake.promise.futureResult.assumeIsolated().whenComplete { result in
                        switch result {
                        case .failure(let error):
                            link.fail(error)
                        case .success(let agreed) where offer == .http2 && agreed != "h2":
                            channel.close(promise: nil)
                            link.fail(UpstreamHTTP2Connection.Failure.doesNotSupportHTTP2)
                        case .success(let agreed):
                            let isShared = offer != .http1 && agreed == "h2"
                            self.establish(channel, isShared, address, by: end, link)
                        }
                    }
                }
            }
        return link.futureResult
    }

    private func bootstrap(
        _ address: UpstreamAddress,
        _ offer: UpstreamProtocol,
        _ handshake: Handshake?,
        _ timeout: TimeAmount
    ) -> ClientBootstrap {
        let bootstrap = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeout)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let handshake else { return }
                    let (tls, waiter) = try handshake.tls.makeHandlers(
                        host: handshake.host,
                        offering: offer,
                        promise: handshake.promise,
                        timeout: timeout
                    )
                    try channel.pipeline.syncOperations.addHandlers(tls, waiter)
                }
            }
        let reader = self.reader(bootstrap, passesOn: handshake == nil && offer != .http2)
        guard address.isInternet else { return reader }
        return
            reader
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// Returns the bootstrap with a suitable receive allocator.
    ///
    /// `passesOn` indicates whether received data is forwarded unchanged before the next read.
    private func reader(_ bootstrap: ClientBootstrap, passesOn: Bool) -> ClientBootstrap {
        guard passesOn else {
            return bootstrap.channelOption(.recvAllocator, value: Self.receiveSizes)
        }
        let largeBuffers = NIOLoopBound(self.largeBuffers, eventLoop: self.eventLoop)
        return
            bootstrap
            .channelOption(.recvAllocator, value: LargeReadAllocator(largeBuffers))
            // With more reads per tick, the channel would use several buffers before data is
            // written to the client.
            .channelOption(.maxMessagesPerRead, value: 1)
    }

    /// Adds the protocol handler to a channel, before anything is read from it.
    private func establish(
        _ channel: any Channel,
        _ isShared: Bool,
        _ address: UpstreamAddress,
        by end: NIODeadline,
        _ link: EventLoopPromise<UpstreamLink>
    ) {
        let pipeline = channel.pipeline.syncOperations
        let bypasses = self.settings.bypassesChannel(isSecure: address.target.isSecure)
        do {
            guard isShared else {
                let connection = UpstreamConnection(
                    limits: self.settings.headLimits,
                    bypassesChannel: bypasses,
                    largeBuffers: self.largeBuffers,
                    emptyBuffer: self.emptyBuffer
                )
                try pipeline.addHandler(connection)
                return link.assumeIsolated().succeed(.exclusive(connection))
            }
            let ready = self.eventLoop.makePromise(of: Void.self)
            let connection = UpstreamHTTP2Connection(
                eventLoop: self.eventLoop,
                isSecure: address.target.isSecure,
                bypassesChannel: bypasses,
                limits: self.settings.headLimits,
                silence: self.settings.timeouts.upstreamPing,
                whenReady: ready
            )
            let timeout = self.settings.timeouts.connect
            let timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
                ready.fail(ChannelError.connectTimeout(timeout))
                channel.close(promise: nil)
            }
            ready.futureResult.assumeIsolated().whenComplete { result in
                timer.cancel()
                link.assumeIsolated().completeWith(result.map { .shared(connection) })
            }
            try pipeline.addHandler(connection)
        } catch {
            channel.close(promise: nil)
            link.fail(error)
        }
    }

    private struct Handshake {
        let tls: UpstreamTLS
        let host: String
        let promise: EventLoopPromise<String?>
    }

    /// Prepares the handshake that an address requires, or returns `nil` if its connection is unencrypted.
    private func handshake(with address: UpstreamAddress) throws -> Handshake? {
        guard let endpoint = address.target.endpoint, address.target.isSecure else { return nil }
        guard let tls = self.settings.upstream.tls else {
            throw UpstreamTLS.Failure(description: "TLS to backends is not configured")
        }
        let isDefault = self.settings.upstream.targets.contains(address.target)
        let name = isDefault ? tls.serverName : nil
        return Handshake(
            tls: tls,
            host: name ?? endpoint.host,
            promise: self.eventLoop.makePromise()
        )
    }
}

/// An open connection to the backend.
enum UpstreamLink {
    /// An HTTP/1.1 connection, for one exchange at a time.
    case exclusive(UpstreamConnection)
    /// An HTTP/2 connection, for many concurrent exchanges.
    case shared(UpstreamHTTP2Connection)
}

@available(*, unavailable)
extension UpstreamLink: Sendable {}
