import GateWire
import NIOCore

/// The client connections of one event loop, with the backend pools and limits that the connections share.
package final class LoopClients {
    let loop: LoopContext
    let pools: UpstreamPools
    /// The pool of the default backend.
    let pool: UpstreamPool
    /// The connection limit per address, shared by all event loops.
    let addressLimit: AddressLimit?
    /// The budget for discarded request bodies, shared by all event loops.
    let discardBudget: DiscardBudget
    /// The certificates for new connections to a TLS listener.
    var tls: ServerTLS?
    private let maxConnections: Int
    private let maxStreams: Int
    /// The HTTP/1.1 connections and HTTP/2 streams.
    private var connections = ConnectionRegistry<ClientConnection>()
    private var multiplexed = ConnectionRegistry<HTTP2Connection>()
    private var multiplexedStreamCount = 0
    /// The connections whose PROXY header has not arrived.
    private var arrivals = ConnectionRegistry<ProxyHeaderHandler>()
    /// The number of parked connections, updated by `ParkedConnectionStore`.
    var parkedCount = 0
    /// The number of open event streams.
    private(set) var streamCount = 0
    /// Called when the event loop is draining and no client is left.
    var whenDrained: (() -> Void)?

    init(
        loop: LoopContext,
        pools: UpstreamPools,
        addressLimit: AddressLimit?,
        discardBudget: DiscardBudget
    ) {
        self.loop = loop
        self.pools = pools
        self.pool = pools.standard
        self.addressLimit = addressLimit
        self.discardBudget = discardBudget
        let settings = loop.settings
        let threads = Swift.max(1, settings.threads)
        self.maxConnections = Swift.max(1, settings.maxConnections / threads)
        self.maxStreams = settings.maxEventStreams / threads
    }

    /// All HTTP/1.1 connections and all HTTP/2 streams.
    var all: [ClientConnection] { self.connections.all }

    var connectionCount: Int {
        self.connections.count - self.multiplexedStreamCount + self.multiplexed.count
            + self.arrivals.count + self.parkedCount
    }

    /// Whether another connection would be within the limit.
    var hasRoom: Bool {
        self.connectionCount < self.maxConnections
    }

    /// Whether a connection above the limit gets a response before it is closed.
    var hasRoomForRefusal: Bool {
        self.connectionCount < self.maxConnections + Swift.max(16, self.maxConnections / 10)
    }

    func add(_ client: ClientConnection) {
        self.connections.add(client)
    }

    /// Adds a stream whose connection has already been counted.
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

    /// Calls `whenDrained` if the event loop is draining and the last client has disconnected.
    func clientLeft() {
        guard self.loop.isDraining, self.isEmpty else { return }
        self.whenDrained?()
    }

    /// Whether no client is left, apart from connections whose PROXY header has not arrived.
    var isEmpty: Bool {
        self.connections.count == 0 && self.multiplexed.count == 0 && self.parkedCount == 0
    }

    /// Counts a new event stream, unless the limit is reached.
    ///
    /// - Returns: Whether the stream was counted.
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

/// Methods that apply an event to all clients.
extension LoopClients {
    /// Switches all connections to the event loop's current rules for their next requests.
    func rulesChanged() {
        for client in self.connections.all { client.rulesChanged() }
    }

    /// Handles all deadlines that have passed.
    func endOverdue() {
        let now = self.loop.now
        for client in self.connections.overdue(at: now) { client.deadlineReached() }
        for arrival in self.arrivals.overdue(at: now) { arrival.deadlineReached() }
        for connection in self.multiplexed.overdue(at: now) { connection.deadlineReached() }
    }

    /// Lets the exchanges of all clients complete.
    ///
    /// `grace` is how long idle connections stay open.
    func drain(grace: TimeAmount) {
        for arrival in self.arrivals.all { arrival.close() }
        for client in self.connections.all { client.drain(grace: grace) }
        for connection in self.multiplexed.all { connection.drain(grace: grace) }
    }

    /// Sends a close frame to both sides of all WebSockets, and the responses that wait for a request body, before
    /// `abortAll()` closes their connections.
    ///
    /// - Returns: The number of WebSockets.
    func closeWebSockets() -> Int {
        self.connections.all.count { client in
            client.endAwait()
            return client.closeWebSocket()
        }
    }

    /// Closes all connections immediately.
    func abortAll() {
        for client in self.connections.all { client.abort() }
        for connection in self.multiplexed.all { connection.fail(.noError) }
    }
}

@available(*, unavailable)
extension LoopClients: Sendable {}
