/// Everything that a backend received, by connection.
package struct BackendRecord: Sendable {
    package var connections: [Connection] = []

    package init() {}

    package struct Connection: Sendable {
        /// The received bytes, up to the first MiB.
        package var received: [UInt8] = []
        package var exchanges: [Exchange] = []
        package var end: End?
        /// The number of a stream's bytes that the peer has accepted.
        package var streamed = 0
        /// Whether the peer ever accepted no bytes of a stream for half a second.
        package var wasBlocked = false
    }

    package struct Exchange: Sendable {
        package var request: BackendRequest
        package var bodyLength = 0
        /// The first 64 KiB of the body.
        package var body: [UInt8] = []
        package var trailers = FieldLines()
        /// Whether the whole request was received, including the body and the trailers.
        package var isComplete = false
    }

    package enum End: Sendable, Equatable {
        case byPeer(StreamEnding)
        case byBackend
        case failed(String)
    }

    package var exchanges: [Exchange] { self.connections.flatMap(\.exchanges) }

    package var requests: [BackendRequest] { self.exchanges.map(\.request) }

    /// The targets of the requests, in the order of the connections.
    package var targets: [String] { self.requests.map(\.target) }

    /// All received bytes.
    package var received: [UInt8] { self.connections.flatMap(\.received) }

    /// Returns whether the received bytes contain a text.
    package func contains(_ text: String) -> Bool {
        let pattern = Array(text.utf8)
        return self.connections.contains { $0.received.contains(pattern) }
    }
}
