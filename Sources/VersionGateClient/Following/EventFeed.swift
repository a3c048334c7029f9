import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads the event stream while there are subscribers, and reconnects when the connection is lost.
struct EventFeed: Sendable {
    /// The time without data, in seconds, after which a stream is considered dead; the gate sends a
    /// heartbeat every 15 s.
    static let heartbeatTimeout: TimeInterval = 45

    let endpoints: GateEndpoints
    let currentState: CurrentState

    /// Runs until the task is canceled.
    func run() async {
        let connection = Locked(Connection())
        while !Task.isCancelled {
            let ending = await self.listen(connection)
            guard !Task.isCancelled else { return }
            self.currentState.fellSilent()
            let share = self.endpoints.surroundings.share()
            let step = connection.withLock { $0.reconnection.ended(ending, share: share) }
            if step.isLost {
                connection.withLock { $0.lastID = nil }
                // A proxy may buffer the stream, but still forward the status request.
                await self.currentState.check(by: self.endpoints)
            }
            guard (try? await self.endpoints.surroundings.sleep(step.delay)) != nil else { return }
        }
    }

    /// The state that is kept from one stream to the next.
    private struct Connection: Sendable {
        var reconnection = Reconnection()
        /// The ID of the last event; `nil` to make the next stream start with the current state.
        var lastID: String?
        /// The number of parts received; each shows that the connection is alive.
        var parts = 0
    }

    private func listen(_ connection: Locked<Connection>) async -> Reconnection.Ending {
        await withTaskGroup(of: Reconnection.Ending.self) { group in
            defer { group.cancelAll() }
            group.addTask { await self.read(connection) }
            group.addTask { await self.watch(connection) }
            return await group.next() ?? .failed
        }
    }

    /// Waits until the stream is dead, and returns how it ended.
    private func watch(_ connection: Locked<Connection>) async -> Reconnection.Ending {
        while true {
            let before = connection.withLock { $0.parts }
            let slept: Void? = try? await self.endpoints.surroundings.sleep(Self.heartbeatTimeout)
            guard slept != nil, connection.withLock({ $0.parts }) != before else { return .failed }
        }
    }

    private func read(_ connection: Locked<Connection>) async -> Reconnection.Ending {
        let lastID = connection.withLock { $0.lastID }
        guard let transfer = self.endpoints.events(lastID: lastID) else { return .failed }
        var parser = EventParser()
        var ending = Reconnection.Ending.failed
        do {
            for try await part in transfer.parts() {
                connection.withLock { $0.parts += 1 }
                switch part {
                case .head(let response):
                    if let refusal = Self.refusal(response) { return refusal }
                    ending = .ended
                case .piece(let piece):
                    for message in try parser.read(piece) {
                        connection.withLock { self.take(message, &$0) }
                    }
                }
            }
        } catch {
            // A lost connection also ends the stream.
        }
        return ending
    }

    /// Returns how the attempt ended; `nil` if the response is an event stream.
    private static func refusal(_ response: HTTPURLResponse) -> Reconnection.Ending? {
        if response.statusCode == 200, response.mediaType == "text/event-stream" { return nil }
        guard [429, 503].contains(response.statusCode), let seconds = response.retryAfter
        else { return .failed }
        return .refused(retryAfter: seconds)
    }

    private func take(_ message: EventParser.Message, _ connection: inout Connection) {
        switch message {
        case .retry(let milliseconds):
            connection.reconnection.named(retryMilliseconds: milliseconds)
        case .comment:
            connection.reconnection.succeeded()
        case .event("decision", let data, let id):
            // If an event cannot be parsed, the previous state is kept.
            let document = GateDocument(json: Data(data.utf8))
            guard let document, let state = document.state else { return }
            connection.reconnection.succeeded()
            connection.lastID = id.isEmpty ? nil : id
            self.currentState.heard(state, announced: document.announced)
        case .event:
            // Later versions of the gate may send events unknown to this library.
            break
        }
    }
}
