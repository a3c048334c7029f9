import Glibc
import NIOCore
import NIOPosix

/// Opens connections to the backend on one event loop.
struct UpstreamConnector {
    let eventLoop: any EventLoop
    let settings: GateSettings
    private let descriptors = DescriptorReserve()
    private let largeBuffers: LargeBuffers
    private let emptyBuffer: ByteBuffer

    init(
        eventLoop: any EventLoop,
        settings: GateSettings,
        largeBuffers: LargeBuffers,
        emptyBuffer: ByteBuffer
    ) {
        self.largeBuffers = largeBuffers
        self.emptyBuffer = emptyBuffer
        self.eventLoop = eventLoop
        self.settings = settings
    }

    /// The sizes for bytes that are decrypted or belong to several streams: they begin small, and
    /// grow while the backend fills what it is given.
    private static let receiveSizes = AdaptiveRecvByteBufferAllocator(
        minimum: 64,
        initial: 2048,
        maximum: 128 * 1024
    )

    /// Succeeds when the backend has agreed to the protocol, too.
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
                    // Without a socket there is nobody else who would do it.
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
                            link.fail(UpstreamHTTP2Connection.Failure.speaksNoHTTP2)
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

    /// `passesOn`: what is read goes to the client as it is, and before more is read.
    private func reader(_ bootstrap: ClientBootstrap, passesOn: Bool) -> ClientBootstrap {
        guard passesOn else {
            return bootstrap.channelOption(.recvAllocator, value: Self.receiveSizes)
        }
        let largeBuffers = NIOLoopBound(self.largeBuffers, eventLoop: self.eventLoop)
        return
            bootstrap
            .channelOption(.recvAllocator, value: LargeReadAllocator(largeBuffers))
            // The channel keeps as many buffers as it may read between two writes to the client.
            .channelOption(.maxMessagesPerRead, value: 1)
    }

    /// Puts what speaks the protocol on a channel, before anything is read from it.
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

/// The kinds of opened connections to the backend.
enum UpstreamLink {
    /// HTTP/1.1: for one exchange at a time.
    case exclusive(UpstreamConnection)
    /// HTTP/2: for many.
    case shared(UpstreamHTTP2Connection)
}

@available(*, unavailable)
extension UpstreamLink: Sendable {}
