import Foundation

/// A server on loopback that follows a script and records every received byte.
package final class ScriptedBackend: Sendable {
    /// Returns the steps for a request, after its head was received.
    package typealias Script = @Sendable (BackendRequest) -> [BackendStep]

    private let listener: LoopbackListener
    private let watched: Watched<BackendRecord>
    private let sockets: OpenSockets

    /// Listens on a port of 127.0.0.1.
    ///
    /// Port 0 selects a free one.
    package convenience init(port: UInt16 = 0, script: @escaping Script) throws {
        try self.init(script: script) {
            try LoopbackListener(port: port, inOrder: true, onConnection: $0)
        }
    }

    /// Listens on a Unix socket.
    package convenience init(unixSocket path: String, script: @escaping Script) throws {
        try self.init(script: script) {
            try LoopbackListener(unixSocket: path, inOrder: true, onConnection: $0)
        }
    }

    private init(
        script: @escaping Script,
        listen: (@escaping @Sendable (Int32) -> Void) throws -> LoopbackListener
    ) throws {
        let watched = Watched(BackendRecord())
        let sockets = OpenSockets()
        self.watched = watched
        self.sockets = sockets
        self.listener = try listen { descriptor in
            let index = watched.update { record in
                record.connections.append(BackendRecord.Connection())
                return record.connections.count - 1
            }
            sockets.add(descriptor, as: index)
            Thread.detachNewThread {
                let conversation = BackendConversation(
                    socket: LoopbackSocket(adopting: descriptor),
                    index: index,
                    watched: watched,
                    script: script,
                    sockets: sockets
                )
                conversation.run()
            }
        }
    }

    deinit {
        self.listener.stop()
    }

    package var port: UInt16 { self.listener.port }

    package var record: BackendRecord { self.watched.current }

    /// Refuses new connections from now on.
    package func stopListening() {
        self.listener.stop()
    }

    /// Closes every connection with FIN, and forcibly if the peer does not close its side.
    ///
    /// A peer that has closed its side has seen the FIN, and no longer uses the connection.
    package func endConnections() throws {
        self.sockets.finishSending()
        do {
            _ = try self.waitUntilAllEnded(by: .after(.seconds(2)))
        } catch {
            self.sockets.end()
            _ = try self.waitUntilAllEnded()
        }
    }

    /// Blocks until the closure returns a value for the record.
    @discardableResult
    package func wait<Result: Sendable>(
        for awaited: String,
        by deadline: Deadline = .usual,
        until find: (BackendRecord) -> Result?
    ) throws -> Result {
        try self.watched.wait(for: awaited, by: deadline, until: find)
    }

    /// Suspends until the closure returns a value for the record.
    @discardableResult
    package func reaches<Result: Sendable>(
        _ awaited: String,
        _ find: (BackendRecord) -> Result?
    ) async throws -> Result {
        try await self.watched.reaches(awaited, find)
    }

    /// Blocks until this number of request heads was received.
    package func waitForRequests(_ count: Int) throws {
        try self.wait(for: "\(count) requests at the backend") { record in
            record.exchanges.count >= count ? true : nil
        }
    }

    /// Blocks until every connection has ended.
    ///
    /// If the gate has also ended, nothing can reach the backend after that.
    package func waitUntilAllEnded(by deadline: Deadline = .usual) throws -> BackendRecord {
        try self.wait(for: "all backend connections to end", by: deadline) { record in
            record.connections.allSatisfy { $0.end != nil } ? record : nil
        }
    }
}
