/// A backend that speaks HTTP/2 and sends exactly the frames that its script says, each connection on
/// a thread of its own.
package final class RawHTTP2Backend: Sendable {
    /// The steps of one connection, from the first byte on.
    package typealias Script = @Sendable (RawHTTP2Peer) throws -> Void

    /// The frames that reached it, by connection.
    package struct Record: Sendable {
        package var connections: [Connection] = []

        package struct Connection: Sendable {
            package var frames: [HTTP2Frame] = []
            package var hasEnded = false
        }

        /// All requests, connection by connection, as their fields.
        package var requests: [FieldLines] {
            self.connections.flatMap { connection in
                connection.frames.filter { $0.isA(.headers) }
                    .compactMap { try? HTTP2Fields.read($0.payload) }
                    .filter { !$0[":path"].isEmpty }
            }
        }

        /// The paths of all requests.
        package var paths: [String] { self.requests.flatMap { $0[":path"] } }

        /// The frames of one kind that came on all connections.
        package func frames(_ kind: HTTP2Frame.Kind) -> [HTTP2Frame] {
            self.connections.flatMap(\.frames).filter { $0.isA(kind) }
        }
    }

    private let listener: LoopbackListener
    private let watched: Watched<Record>

    package init(script: @escaping Script) throws {
        let watched = Watched(Record())
        self.watched = watched
        self.listener = try LoopbackListener { descriptor in
            let index = watched.update { record in
                record.connections.append(Record.Connection())
                return record.connections.count - 1
            }
            let peer = RawHTTP2Peer(
                LoopbackSocket(adopting: descriptor),
                index: index,
                record: watched
            )
            try? script(peer)
            peer.close()
            watched.update { $0.connections[index].hasEnded = true }
        }
    }

    deinit {
        self.listener.stop()
    }

    package var port: UInt16 { self.listener.port }

    package var record: Record { self.watched.current }

    /// Blocks until the record holds what the closure looks for.
    @discardableResult
    package func wait<Result: Sendable>(
        for awaited: String,
        until find: (Record) -> Result?
    ) throws -> Result {
        try self.watched.wait(for: awaited, until: find)
    }
}
