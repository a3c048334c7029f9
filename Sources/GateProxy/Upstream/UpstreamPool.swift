import Glibc
import NIOCore
import NIOPosix

/// The connections of one event loop to the backend.
///
/// The connection that was used last is taken first: it is the least likely to have been closed by
/// the backend in the meantime, and those that are not needed grow old together.
final class UpstreamPool {
    private let eventLoop: any EventLoop
    private let settings: GateSettings
    private let address: SocketAddress?
    private var idle = ConnectionRegistry<UpstreamConnection>()

    init(eventLoop: any EventLoop, settings: GateSettings) {
        self.eventLoop = eventLoop
        self.settings = settings
        // A literal address needs no resolver; a name is looked up for every connection.
        self.address = try? SocketAddress(
            ipAddress: settings.upstream.host,
            port: settings.upstream.port
        )
    }

    /// An idle connection, if there is one.
    func take() -> UpstreamConnection? {
        guard let connection = self.idle.all.last else { return nil }
        self.idle.remove(connection)
        return connection
    }

    /// Keeps a connection that is ready for another request.
    func keep(_ connection: UpstreamConnection, at now: NIODeadline) {
        connection.deadline = now + self.settings.timeouts.upstreamIdle
        self.idle.add(connection)
    }

    /// Forgets a connection that was closed while it was idle.
    func remove(_ connection: UpstreamConnection) {
        self.idle.remove(connection)
    }

    /// Opens a connection; `done` is called on the event loop, never before this returns.
    func connect(_ done: @escaping (Result<UpstreamConnection, ConnectError>) -> Void) {
        let timeouts = self.settings.timeouts
        let limits = self.settings.headLimits
        let bootstrap = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeouts.connect)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        UpstreamConnection(limits: limits)
                    )
                }
            }
        let connected =
            if let address = self.address {
                bootstrap.connect(to: address)
            } else {
                bootstrap.connect(
                    host: self.settings.upstream.host,
                    port: self.settings.upstream.port
                )
            }
        connected.assumeIsolated().whenComplete { result in
            done(
                result.flatMap { channel in
                    Result {
                        let connection = try channel.pipeline.syncOperations.handler(
                            type: UpstreamConnection.self
                        )
                        connection.pool = self
                        return connection
                    }
                }
                .mapError(ConnectError.init)
            )
        }
    }

    /// Why no connection to the backend could be opened.
    struct ConnectError: Error {
        let cause: any Error

        var isTimeout: Bool { Self.isTimeout(self.cause) }

        /// Whether it is this machine that has nothing left to connect with.
        var isOutOfDescriptors: Bool {
            let errors =
                (self.cause as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [self.cause]
            return errors.contains { error in
                let code = (error as? IOError)?.errnoCode
                return [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL].contains(code)
            }
        }

        private static func isTimeout(_ error: any Error) -> Bool {
            if case .connectTimeout? = error as? ChannelError { return true }
            guard let error = error as? NIOConnectionError else { return false }
            return error.connectionErrors.contains { self.isTimeout($0.error) }
        }
    }

    func closeOverdue(at now: NIODeadline) {
        for connection in self.idle.overdue(at: now) { connection.close() }
    }

    func closeAll() {
        for connection in self.idle.all { connection.close() }
    }
}
