package import GatePolicy

/// The gate's counters since startup and its current state, for one event loop or all of them.
package struct GateStatistics: Sendable, Equatable {
    package var counters = GateCounters()
    /// The number of evaluated requests, by the terms of their verdicts.
    package var requests: [RequestTerms: UInt64] = [:]
    package var latency = LatencyFigures()
    /// Client connections, including parked ones.
    package var openConnections = 0
    package var parkedConnections = 0
    /// Requests that wait for the first byte of their response.
    package var pendingRequests = 0
    /// Open event streams.
    package var eventStreams = 0
    package var backends: [BackendStatistics] = []

    package init() {}

    /// Adds the statistics of another event loop.
    package mutating func add(_ other: GateStatistics) {
        self.counters = self.counters + other.counters
        self.requests.merge(other.requests, uniquingKeysWith: +)
        self.latency = self.latency + other.latency
        self.openConnections += other.openConnections
        self.parkedConnections += other.parkedConnections
        self.pendingRequests += other.pendingRequests
        self.eventStreams += other.eventStreams
        for backend in other.backends { self.add(backend) }
    }

    /// Adds the state of a backend as detected by another event loop or another pool.
    mutating func add(_ backend: BackendStatistics) {
        if let index = self.backends.firstIndex(where: { $0.name == backend.name }) {
            self.backends[index].add(backend)
        } else {
            self.backends.append(backend)
        }
    }
}

/// The state of one backend; `name` is written as in `--upstream`.
package struct BackendStatistics: Sendable, Equatable {
    /// The number of failures since startup.
    package struct Failures: Sendable, Equatable {
        /// Connections that could not be opened.
        package var connections: UInt64 = 0
        /// Requests that were sent but got no valid response.
        package var answers: UInt64 = 0
    }

    package let name: String
    /// Whether each address is excluded because of failures, keyed by address.
    ///
    /// An event loop does not detect failures of an address to which it has sent no requests.
    package var addresses: [String: Bool] = [:]
    package var failures = Failures()
    /// HTTP/1.1 connections that are not in use.
    package var idleConnections = 0
    /// HTTP/2 connections.
    package var sharedConnections = 0

    package init(name: String) {
        self.name = name
    }

    fileprivate mutating func add(_ other: BackendStatistics) {
        self.addresses.merge(other.addresses) { $0 || $1 }
        self.failures.connections += other.failures.connections
        self.failures.answers += other.failures.answers
        self.idleConnections += other.idleConnections
        self.sharedConnections += other.sharedConnections
    }
}
