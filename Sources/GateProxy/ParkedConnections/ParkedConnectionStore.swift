import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The idle connections of one event loop, each kept as a socket and a small record, without a channel.
///
/// Only the event loop accesses the store. A connection that the `ParkedConnectionPoller` reports
/// gets a channel again, or is closed.
final class ParkedConnectionStore {
    private let watch: ParkedConnectionPoller
    private let clients: LoopClients
    private let loop: LoopContext
    /// How long a connection must be idle before it is parked.
    private let idleTime: TimeAmount
    private let descriptors = DescriptorReserve()
    private var parked: ParkedConnectionTable {
        didSet { self.clients.parkedCount = self.count }
    }
    /// Idle connections that are about to be parked.
    private var leaving: [ClientConnection] = []
    /// The tokens of connections that were reported and have not been handled yet.
    private var readable: [ParkedConnectionToken] = []
    private var isWaking = false
    /// The number of connections whose channel is being created.
    private var resuming = 0 {
        didSet { self.clients.parkedCount = self.count }
    }

    /// The number of connections to park or resume in a batch.
    ///
    /// A batch takes about a millisecond; requests are processed between two batches.
    private static let parkingBatchSize = 16

    /// Creates an empty store; `index` is the index of its worker in the poller.
    init(
        clients: LoopClients,
        index: Int,
        watch: ParkedConnectionPoller,
        idleTime: TimeAmount
    ) {
        self.clients = clients
        self.loop = clients.loop
        self.watch = watch
        self.idleTime = idleTime
        self.parked = ParkedConnectionTable(worker: index)
    }

    var count: Int { self.parked.count + self.resuming }

    /// Closes connections whose deadline has passed, and parks those that have been idle long
    /// enough.
    func tick(_ clients: [ClientConnection]) {
        for connection in self.parked.removeOverdue(at: self.loop.now) { self.end(connection) }
        guard self.leaving.isEmpty, !self.loop.isDraining else { return }
        self.leaving = clients.filter { $0.isIdle(until: self.latestDeadline) }
        if !self.leaving.isEmpty { self.parkNext() }
    }

    /// The idle deadline of a connection that became idle exactly `idleTime` ago.
    private var latestDeadline: NIODeadline {
        self.loop.now + self.loop.settings.timeouts.idle - self.idleTime
    }

    private func parkNext() {
        for client in self.leaving.suffix(Self.parkingBatchSize) {
            guard client.isIdle(until: self.latestDeadline), !self.loop.isDraining else {
                continue
            }
            // If there are no resources for this connection, there are none for the remaining connections either.
            guard self.park(client) else {
                self.leaving = []
                return
            }
        }
        self.leaving.removeLast(Swift.min(Self.parkingBatchSize, self.leaving.count))
        if !self.leaving.isEmpty { self.soon { $0.parkNext() } }
    }

    private func park(_ client: ClientConnection) -> Bool {
        guard let descriptor = client.duplicateDescriptor() else { return false }
        // Parked connections must not use reserved descriptors. The closed channel frees a lower
        // descriptor for another client, so idle clients would soon exhaust the reserve.
        guard descriptor < self.descriptors.end(for: .client) else {
            _ = Glibc.close(descriptor)
            return false
        }
        let token = self.parked.add(
            ParkedConnection(
                descriptor: descriptor,
                isTrusted: client.origin.isTrusted,
                address: client.origin.address,
                permit: nil,
                deadline: client.deadline ?? self.loop.now
            )
        )
        guard self.watch.sockets.add(descriptor, as: token.rawValue) else {
            _ = self.parked.remove(token)
            _ = Glibc.close(descriptor)
            return false
        }
        self.watch.count.add(1, ordering: .relaxed)
        self.parked.give(client.permit?.moved(), to: token)
        client.detachSocket()
        return true
    }

    /// Resumes or closes connections that the poller has reported.
    func becameReadable(_ tokens: [ParkedConnectionToken]) {
        self.readable += tokens
        if !self.isWaking { self.wakeNext() }
    }

    private func wakeNext() {
        for token in self.readable.prefix(Self.parkingBatchSize) { self.inspect(token) }
        self.readable.removeFirst(Swift.min(Self.parkingBatchSize, self.readable.count))
        self.isWaking = !self.readable.isEmpty
        if self.isWaking { self.soon { $0.wakeNext() } }
    }

    private func inspect(_ token: ParkedConnectionToken) {
        guard let connection = self.parked[token] else { return }
        switch SocketPeek(connection.descriptor) {
        case .bytes: self.parked.remove(token).map(self.wake)
        case .nothing where self.watch.sockets.rearm(connection.descriptor, as: token.rawValue):
            break
        case .nothing, .end:
            self.parked.remove(token).map(self.close)
        }
    }

    /// Gives a connection a channel, as if it had just been accepted.
    private func wake(_ connection: ParkedConnection) {
        self.watch.sockets.remove(connection.descriptor)
        self.watch.count.subtract(1, ordering: .relaxed)
        let eventLoop = self.loop.eventLoop
        let clients = NIOLoopBound(self.clients, eventLoop: eventLoop)
        let woken = NIOLoopBound(connection, eventLoop: eventLoop)
        let store = NIOLoopBound(self, eventLoop: eventLoop)
        self.resuming += 1
        ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ClientPipeline.add(
                        ClientConnection(resuming: woken.value, clients: clients.value),
                        to: channel
                    )
                }
            }
            .withConnectedSocket(connection.descriptor)
            .whenComplete { result in
                store.value.resuming -= 1
                // If this fails, NIO has already closed the socket together with the channel.
                if case .failure = result { woken.value.permit?.leave() }
                // This may have been the last connection, closed before its channel was ready.
                clients.value.clientLeft()
            }
    }

    /// Closes the parked connections: at once, or after `grace` if it is not zero.
    ///
    /// Requests that have already been received still get a response.
    func drain(grace: TimeAmount) {
        self.leaving = []
        guard grace == .zero else {
            return self.parked.limitDeadlines(to: self.loop.now + grace)
        }
        for connection in self.parked.removeAll() { self.end(connection) }
    }

    /// Closes a removed connection, unless a request has been received on it.
    private func end(_ connection: ParkedConnection) {
        if case .bytes = SocketPeek(connection.descriptor) {
            self.wake(connection)
        } else {
            self.close(connection)
        }
    }

    /// Closes all connections immediately.
    func closeAll() {
        self.leaving = []
        for connection in self.parked.removeAll() { self.close(connection) }
    }

    private func close(_ connection: ParkedConnection) {
        self.watch.count.subtract(1, ordering: .relaxed)
        _ = Glibc.close(connection.descriptor)
        connection.permit?.leave()
        self.clients.clientLeft()
    }

    private func soon(_ action: @escaping (ParkedConnectionStore) -> Void) {
        let store = NIOLoopBound((self, action), eventLoop: self.loop.eventLoop)
        self.loop.eventLoop.scheduleTask(in: .milliseconds(1)) { store.value.1(store.value.0) }
    }
}

/// Methods that park and resume connections.
extension ClientConnection {
    /// Creates a connection from the record of a parked one, to process its next request.
    fileprivate convenience init(resuming parked: ParkedConnection, clients: LoopClients) {
        self.init(
            clients: clients,
            origin: ClientAddress(
                address: parked.address,
                isTrusted: parked.isTrusted,
                isSecure: false
            ),
            admission: .resumed(parked.permit, idleUntil: parked.deadline)
        )
    }

    /// Whether the connection is idle after a response, with an idle deadline no later than `limit`.
    ///
    /// Always false for TLS connections, which cannot be parked, because their state is not only in the socket.
    func isIdle(until limit: NIODeadline) -> Bool {
        guard self.exchange == .idle, let deadline = self.deadline,
            deadline <= limit, self.inbound.readableBytes == 0, !self.flow.isInputClosed,
            !self.origin.isSecure, !self.origin.isGateway, self.rejection == nil,
            self.output.pendingCount == nil,
            self.upstream == nil,
            case .channel(let output) = self.transport
        else { return false }
        return output.isEmpty
    }

    /// Returns a duplicate of the descriptor of the client's socket, or `nil` if no descriptor is available.
    func duplicateDescriptor() -> CInt? {
        guard case .channel(let output) = self.transport else { return nil }
        let pipeline = output.context.pipeline.syncOperations
        let descriptor = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            fcntl(socket, F_DUPFD_CLOEXEC, 0)
        }
        return descriptor.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Closes the channel; the duplicate descriptor keeps the socket open.
    func detachSocket() {
        self.exchange.close()
        self.transport.close()
    }
}

@available(*, unavailable)
extension ParkedConnectionStore: Sendable {}
