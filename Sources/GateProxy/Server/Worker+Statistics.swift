import Logging

/// Clients are counted, and so is what becomes of them.
extension Worker {
    /// Counts that somebody was turned away, and logs it if that was not done a moment ago.
    func refused(_ refusal: Refusal, _ metadata: Logger.Metadata = [:]) {
        self.counters[keyPath: refusal.counter] += 1
        self.faultLog.report(.refusal(refusal), metadata)
    }

    /// Logs why a client could not connect by TLS, where somebody can do something about it.
    func handshakeFailed(_ problem: HandshakeProblem, with client: ClientOrigin) {
        guard problem.isActionable else { return }
        self.faultLog.report(.failedHandshake(problem), ["client": "\(client.address)"])
    }

    /// Everything that is counted on this loop, as it is now.
    var statistics: GateStatistics {
        var statistics = GateStatistics()
        statistics.counters = self.counters
        statistics.requests = self.tally.requests
        for (terms, count) in statistics.requests {
            statistics.counters.add(terms, times: count)
        }
        statistics.latency = self.latency
        statistics.openConnections = self.connectionCount
        statistics.parkedConnections = self.parkedConnections?.count ?? 0
        statistics.pendingRequests = self.pendingCount
        statistics.eventStreams = self.streamCount
        statistics.backends = self.pool.statistics(of: self.settings.upstream.targets)
        return statistics
    }

    /// Whether there is room for one more client.
    var hasRoom: Bool {
        self.connectionCount < self.maxConnections
    }

    /// Whether one client more can be told that there is no room; beyond that it is only closed.
    var hasRoomForRefusal: Bool {
        self.connectionCount < self.maxConnections + Swift.max(16, self.maxConnections / 10)
    }
}
