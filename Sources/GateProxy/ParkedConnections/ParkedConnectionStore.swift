import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The idle connections of one event loop, each kept as a socket and a small record, without a
/// channel.
///
/// Only the event loop accesses it. When the `ParkedConnectionPoller` reports a connection, the
/// connection gets a channel again, or is closed.
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
    /// Connections that are idle and have not been parked yet.
    private var leaving: [ClientConnection] = []
    /// Connections that were reported and have not been resumed yet.
    private var readable: [ParkedConnectionToken] = []
    private var isWaking = false
    /// The number of connections whose channel is being created.
    private var resuming = 0 {
        didSet { self.clients.parkedCount = self.count }
    }

    /// The number of connections to park or resume together.
    ///
    /// A batch takes about a millisecond; requests are processed between two batches.
    private static let parkingBatchSize = 16

    /// Creates a store; `index` is the index of this worker in the poller.
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

    /// The deadline of a connection that has just been idle long enough.
    private var latestDeadline: NIODeadline {
        self.loop.now + self.loop.settings.timeouts.idle - self.idleTime
    }

    private func parkNext() {
        for client in self.leaving.suffix(Self.parkingBatchSize) {
            guard client.isIdle(until: self.latestDeadline), !self.loop.isDraining else {
                continue
            }
            // Without resources for one connection, there are none for the following ones.
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
        // Parking must not use the reserved descriptors: the closed channel frees a lower
        // descriptor for another client, so idle clients would soon use up the reserve.
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

    /// Handles connections that were reported.
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
                // The socket is closed together with its channel.
                if case .failure = result { woken.value.permit?.leave() }
                // This may have been the last connection, and may have ended before its channel was
                // ready.
                clients.value.clientLeft()
            }
    }

    /// Closes all connections at once or, if `grace` is not zero, after that time; received
    /// requests still get a response.
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

    /// Closes all connections at once.
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

/// Parking and resuming.
extension ClientConnection {
    /// Recreates a parked connection for its next request.
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

    /// Whether the connection is idle after a response, and its deadline is not later than `limit`.
    ///
    /// TLS connections cannot be parked, because their state is more than a socket.
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

    /// Returns a duplicate descriptor of the client's socket; `nil` if no descriptor is left.
    func duplicateDescriptor() -> CInt? {
        guard case .channel(let output) = self.transport else { return nil }
        let pipeline = output.context.pipeline.syncOperations
        let descriptor = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            fcntl(socket, F_DUPFD_CLOEXEC, 0)
        }
        return descriptor.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Closes the channel; the socket stays open through its other descriptor.
    func detachSocket() {
        self.exchange.close()
        self.transport.close()
    }
}

@available(*, unavailable)
extension ParkedConnectionStore: Sendable {}
