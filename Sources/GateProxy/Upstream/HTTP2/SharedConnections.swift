import NIOCore

/// The HTTP/2 connections to one address, and the requests that wait for one.
///
/// The first connection that has room takes the next request, so that there are no more of them than
/// it takes.
struct SharedConnections {
    typealias Waiter = (Result<UpstreamConnection, UpstreamPool.ConnectError>) -> Void

    private(set) var connections: [UpstreamHTTP2Connection] = []
    private var waiting = CircularBuffer<Waiter>()
    /// Connections that are being opened.
    private var opening = 0
    /// The requests that a new connection is likely to take.
    private var expectedRoom = UpstreamStreamBudget.most

    /// A stream of a connection that is there; `nil`: none has room.
    func take() -> UpstreamConnection? {
        self.connections.first { $0.hasRoom }?.takeStream()
    }

    mutating func wait(_ waiter: @escaping Waiter) {
        self.waiting.append(waiter)
    }

    /// The oldest that waits, and a stream for it; `nil`: nobody waits, or there is no room.
    mutating func takeWaiting() -> (Waiter, UpstreamConnection)? {
        guard !self.waiting.isEmpty, let upstream = self.take() else { return nil }
        return (self.waiting.removeFirst(), upstream)
    }

    /// Whether those that are being opened are too few for all that wait; counts one more if so.
    mutating func beginsOpening() -> Bool {
        guard self.waiting.count > self.opening * self.expectedRoom else { return false }
        self.opening += 1
        return true
    }

    mutating func opened(_ connection: UpstreamHTTP2Connection) {
        self.opening -= 1
        self.expectedRoom = connection.budget.limit
        self.connections.append(connection)
    }

    /// No connection was opened.
    ///
    /// - Returns: everybody who waits and has nothing more to wait for.
    mutating func openingFailed() -> [Waiter] {
        self.opening -= 1
        return self.opening == 0 ? self.takeAllWaiting() : []
    }

    /// The backend has chosen HTTP/1.1.
    ///
    /// - Returns: everybody who waits.
    mutating func openedExclusive() -> [Waiter] {
        self.opening -= 1
        return self.takeAllWaiting()
    }

    private mutating func takeAllWaiting() -> [Waiter] {
        defer { self.waiting = [] }
        return Array(self.waiting)
    }

    mutating func remove(_ connection: UpstreamHTTP2Connection) {
        self.connections.removeAll { $0 === connection }
    }
}
