/// An HTTP/2 backend that sends exactly the frames of its script.
///
/// Each connection has a thread of its own.
package final class RawHTTP2Backend: Sendable {
    /// The script of one connection, from its first byte.
    package typealias Script = @Sendable (RawHTTP2Peer) throws -> Void

    /// The received frames, by connection.
    package struct Record: Sendable {
        package var connections: [Connection] = []

        package struct Connection: Sendable {
            package var frames: [HTTP2Frame] = []
            package var hasEnded = false
        }

        /// The fields of all requests, in the order of the connections.
        package var requests: [FieldLines] {
            self.connections.flatMap { connection in
                connection.frames.filter { $0.isA(.headers) }
                    .compactMap { try? HTTP2Fields.read($0.payload) }
                    .filter { !$0[":path"].isEmpty }
            }
        }

        /// The paths of all requests.
        package var paths: [String] { self.requests.flatMap { $0[":path"] } }

        /// Returns the frames of one kind from all connections.
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

    /// Blocks until the closure returns a value for the record.
    @discardableResult
    package func wait<Result: Sendable>(
        for awaited: String,
        until find: (Record) -> Result?
    ) throws -> Result {
        try self.watched.wait(for: awaited, until: find)
    }
}
