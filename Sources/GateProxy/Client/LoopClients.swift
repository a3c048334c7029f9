import GateWire
import NIOCore

/// The clients of one event loop, and what they share besides its context: the way to the backend, and the room that
/// there is for them.
package final class LoopClients {
    let loop: LoopContext
    let pool: UpstreamPool
    /// Shared by all loops.
    let addressLimit: AddressLimit?
    /// Shared by all loops.
    let discardBudget: DiscardBudget
    /// The certificates that new connections of a TLS listener are encrypted by.
    var tls: ServerTLS?
    private let maxConnections: Int
    private let maxStreams: Int
    /// The connections of HTTP/1.1, and the streams of HTTP/2.
    private var connections = ConnectionRegistry<ClientConnection>()
    private var multiplexed = ConnectionRegistry<HTTP2Connection>()
    private var multiplexedStreamCount = 0
    /// Connections whose client is not yet known.
    private var arrivals = ConnectionRegistry<ProxyHeaderHandler>()
    /// Connections that are between two requests and have no channel; whoever keeps them keeps the number.
    var parkedCount = 0
    /// Clients that listen to events.
    private(set) var streamCount = 0
    /// Called when the loop drains and no client is left.
    var whenDrained: (() -> Void)?

    init(
        loop: LoopContext,
        pool: UpstreamPool,
        addressLimit: AddressLimit?,
        discardBudget: DiscardBudget
    ) {
        self.loop = loop
        self.pool = pool
        self.addressLimit = addressLimit
        self.discardBudget = discardBudget
        let settings = loop.settings
        let threads = Swift.max(1, settings.threads)
        self.maxConnections = Swift.max(1, settings.maxConnections / threads)
        self.maxStreams = settings.maxEventStreams / threads
    }

    /// The exchanges of all connections.
    var all: [ClientConnection] { self.connections.all }

    var connectionCount: Int {
        self.connections.count - self.multiplexedStreamCount + self.multiplexed.count
            + self.arrivals.count + self.parkedCount
    }

    /// Whether there is room for one more client.
    var hasRoom: Bool {
        self.connectionCount < self.maxConnections
    }

    /// Whether one client more can be told that there is no room; beyond that it is only closed.
    var hasRoomForRefusal: Bool {
        self.connectionCount < self.maxConnections + Swift.max(16, self.maxConnections / 10)
    }

    func add(_ client: ClientConnection) {
        self.connections.add(client)
    }

    /// Takes in a request of a connection that is counted already.
    func add(stream: ClientConnection) {
        self.connections.add(stream)
        self.multiplexedStreamCount += 1
    }

    func add(_ connection: HTTP2Connection) {
        self.multiplexed.add(connection)
    }

    func add(_ arrival: ProxyHeaderHandler) {
        self.arrivals.add(arrival)
    }

    func remove(_ client: ClientConnection) {
        guard self.connections.remove(client) else { return }
        if case .stream = client.transport { self.multiplexedStreamCount -= 1 }
        self.clientLeft()
    }

    func remove(_ connection: HTTP2Connection) {
        self.multiplexed.remove(connection)
        self.clientLeft()
    }

    func remove(_ arrival: ProxyHeaderHandler) {
        self.arrivals.remove(arrival)
    }

    /// A client is gone, or has become another's to count.
    func clientLeft() {
        guard self.loop.isDraining, self.isEmpty else { return }
        self.whenDrained?()
    }

    /// Connections that have not said whose they are do not count.
    var isEmpty: Bool {
        self.connections.count == 0 && self.multiplexed.count == 0 && self.parkedCount == 0
    }

    /// Counts a stream of events; `false` if there are as many as there may be.
    func openStream() -> Bool {
        guard self.streamCount < self.maxStreams else { return false }
        self.streamCount += 1
        self.loop.counters.eventStreams += 1
        return true
    }

    func closeStream() {
        self.streamCount -= 1
    }
}

/// The events that all of them hear of.
extension LoopClients {
    /// Requests are judged by other rules from now on.
    func rulesChanged() {
        for client in self.connections.all { client.rulesChanged() }
    }

    /// Ends what has made no progress in its time.
    func endOverdue() {
        let now = self.loop.now
        for client in self.connections.overdue(at: now) { client.deadlineReached() }
        for arrival in self.arrivals.overdue(at: now) { arrival.deadlineReached() }
        for connection in self.multiplexed.overdue(at: now) { connection.deadlineReached() }
    }

    /// Lets exchanges come to their end; `grace`: how long idle connections may stay.
    func drain(grace: TimeAmount) {
        for arrival in self.arrivals.all { arrival.close() }
        for client in self.connections.all { client.drain(grace: grace) }
        for connection in self.multiplexed.all { connection.drain(grace: grace) }
    }

    /// - Returns: the WebSockets that were told that the gate goes.
    func closeWebSockets() -> Int {
        self.connections.all.count { $0.closeWebSocket() }
    }

    /// Closes all, in the middle of whatever they do.
    func abortAll() {
        for client in self.connections.all { client.abort() }
        for connection in self.multiplexed.all { connection.fail(.noError) }
    }
}

@available(*, unavailable)
extension LoopClients: Sendable {}
