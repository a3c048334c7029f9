import NIOCore

/// The HTTP/2 connections to one address, and the requests that wait for a connection.
///
/// The next request gets the first connection with capacity, so that no more connections than
/// necessary are used.
struct SharedConnections {
    typealias Waiter = UpstreamPool.Done

    private(set) var connections: [UpstreamHTTP2Connection] = []
    private var waiting = CircularBuffer<Waiter>()
    /// The number of connections that are being opened.
    private var opening = 0
    /// The number of streams that a new connection is expected to allow, based on the last connection.
    private var expectedRoom = UpstreamStreamBudget.most

    /// Reserves a stream on an open connection, or returns `nil` if no connection has capacity.
    func take() -> UpstreamConnection? {
        self.connections.first { $0.hasRoom }?.takeStream()
    }

    mutating func wait(_ waiter: @escaping Waiter) {
        self.waiting.append(waiter)
    }

    /// Removes the oldest waiter and reserves a stream for it, or returns `nil` if there is no waiter or no capacity.
    mutating func takeWaiting() -> (Waiter, UpstreamConnection)? {
        guard !self.waiting.isEmpty, let upstream = self.take() else { return nil }
        return (self.waiting.removeFirst(), upstream)
    }

    /// Returns whether to open another connection for the waiters, and if so, counts it as being opened.
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

    /// Records that a connection could not be opened.
    ///
    /// - Returns: The waiters to notify: none if another connection is still being opened, otherwise all.
    mutating func openingFailed() -> [Waiter] {
        self.opening -= 1
        return self.opening == 0 ? self.takeAllWaiting() : []
    }

    /// Records that the backend has selected HTTP/1.1.
    ///
    /// - Returns: All waiters, each of which needs its own connection.
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
