import Foundation

/// The current state of the client, shared by all readers and subscribers.
final class CurrentState: Sendable {
    private struct Known: Sendable {
        var kept: StoredState
        /// The current state, initially `unknown` with the stored state.
        var current: GateState
        /// The number of states received from the gate; used to discard a response that a newer
        /// state has overtaken.
        var words = 0
        /// Whether the event stream is connected, so that the gate sends changes.
        var isLive = false
        var subscribers: [UUID: AsyncStream<GateState>.Continuation] = [:]
        var feed: Task<Void, Never>?
    }

    private let known: Locked<Known>
    private let storage: any GateStorage
    private let key: String

    init(baseURL: URL, identity: AppIdentity, storage: any GateStorage) {
        self.storage = storage
        self.key = StoredState.key(baseURL: baseURL, identity)
        let kept = StoredState(storage.data(for: self.key), for: StoredState.build(identity))
        self.known = Locked(Known(kept: kept, current: .unknown(last: kept.state)))
    }

    var current: GateState { self.known.withLock { $0.current } }

    /// The announced maintenance window, if there is one.
    var announced: MaintenanceWindow? { self.known.withLock { $0.kept.announced } }

    /// Handles a state from the event stream, which will also deliver the next change.
    func heard(_ state: GateState, announced: MaintenanceWindow?) {
        self.update { known in
            known.isLive = true
            known.words += 1
            known.kept.state = state
            known.kept.announced = announced
            known.kept.tag = nil
            known.current = state
        }
    }

    /// Handles the end of the event stream.
    func fellSilent() {
        self.known.withLock { $0.isLive = false }
    }

    /// Requests the current state from the gate, and stores it.
    ///
    /// - Returns: The current state.
    @discardableResult
    func check(by endpoints: GateEndpoints) async -> GateState {
        let (words, tag) = self.known.withLock { ($0.words, $0.kept.tag) }
        let answer = await endpoints.status(path: nil, method: nil, knownTag: tag)
        // A canceled request provides no information about the gate.
        guard !Task.isCancelled else { return self.current }
        self.update { known in
            guard known.words == words else { return }
            switch answer {
            case .state(let state, let announced, let tag):
                known.words += 1
                known.kept.state = state
                known.kept.announced = announced
                known.kept.tag = tag
                known.current = state
            case .unchanged:
                known.current = known.kept.state ?? known.current
            case .foreign where known.isLive:
                break
            case .foreign:
                known.current = .unknown(last: known.kept.state)
            }
        }
        return self.current
    }

    func snooze(_ update: Update, at now: Date) -> Bool {
        self.update { known in known.kept.snooze(update, at: now) }
    }

    func isSnoozed(_ update: Update, at now: Date) -> Bool {
        self.known.withLock { $0.kept.isSnoozed(update, at: now) }
    }

    /// Changes the state under the lock, stores it, and notifies subscribers in the order of
    /// changes.
    private func update<Result>(_ change: (inout Known) -> Result) -> Result {
        self.known.withLock { known in
            let (kept, current) = (known.kept, known.current)
            let result = change(&known)
            if known.kept != kept { self.storage.store(known.kept.data, for: self.key) }
            if known.current != current {
                for subscriber in known.subscribers.values { subscriber.yield(known.current) }
            }
            return result
        }
    }

    /// Returns a stream with the current state and each change.
    ///
    /// The feed runs while there is at least one subscriber.
    func states(fedBy feed: @escaping @Sendable () async -> Void) -> AsyncStream<GateState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = UUID()
            continuation.onTermination = { _ in self.unsubscribe(id) }
            self.known.withLock { known in
                known.subscribers[id] = continuation
                continuation.yield(known.current)
                guard known.feed == nil else { return }
                known.feed = Task.detached(priority: .utility) { await feed() }
            }
        }
    }

    private func unsubscribe(_ id: UUID) {
        self.known.withLock { known in
            known.subscribers[id] = nil
            guard known.subscribers.isEmpty else { return }
            known.feed?.cancel()
            known.feed = nil
            known.isLive = false
        }
    }
}
