/// Everything that reached a backend, by connection.
package struct BackendRecord: Sendable {
    package var connections: [Connection] = []

    package init() {}

    package struct Connection: Sendable {
        /// The bytes as they came, the first MiB of them.
        package var received: [UInt8] = []
        package var exchanges: [Exchange] = []
        package var end: End?
        /// How many bytes of a stream the peer has taken.
        package var streamed = 0
        /// Whether the peer took nothing of a stream for half a second.
        package var wasBlocked = false
    }

    package struct Exchange: Sendable {
        package var request: BackendRequest
        package var bodyLength = 0
        /// The first 64 KiB of the body.
        package var body: [UInt8] = []
        package var trailers = FieldLines()
        /// Whether the whole request has come, body and trailers included.
        package var isComplete = false
    }

    package enum End: Sendable, Equatable {
        case byPeer(StreamEnding)
        case byBackend
        case failed(String)
    }

    package var exchanges: [Exchange] { self.connections.flatMap(\.exchanges) }

    package var requests: [BackendRequest] { self.exchanges.map(\.request) }

    /// The targets of the requests, each connection after the other.
    package var targets: [String] { self.requests.map(\.target) }

    /// All bytes that came.
    package var received: [UInt8] { self.connections.flatMap(\.received) }

    /// Whether a text stands anywhere in what came.
    package func contains(_ text: String) -> Bool {
        let pattern = Array(text.utf8)
        return self.connections.contains { $0.received.contains(pattern) }
    }
}
