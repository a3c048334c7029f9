import GateWire
import NIOCore
import Synchronization

/// The limit on the bytes of denied request bodies that the gate reads and discards, shared by all threads.
///
/// Without a limit, denied requests could use the whole bandwidth of the gate. Threads take bytes in batches to keep
/// lock contention low. The first 64 KiB of each body are not counted.
final class DiscardBudget: Sendable {
    /// The batch size in bytes.
    static let lot = 128 * 1024

    /// The capacity, in bodies of the maximum size.
    ///
    /// An empty budget is refilled within the time limit for one body.
    private static let bodiesOfGate = 64
    private static let bodiesOfClient = 16
    /// The maximum number of clients with a budget.
    ///
    /// A client is removed once its budget is full again.
    private static let mostClients = 16_384
    /// The minimum time between two searches for clients with a full budget.
    ///
    /// Each search visits all clients under the lock.
    private static let pruneInterval = TimeAmount.seconds(1)

    private struct State {
        var gate: FloodBudget
        var clients: [ClientNetwork: FloodBudget] = [:]
        var prunedAt: NIODeadline?
    }

    private let state: Mutex<State>
    private let limits: DiscardLimits
    private let clock: @Sendable () -> NIODeadline

    /// Creates a full budget.
    ///
    /// `clock` returns the time that determines the refill.
    init(
        _ limits: DiscardLimits,
        clock: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.limits = limits
        self.clock = clock
        self.state = Mutex(State(gate: .bodies(Self.bodiesOfGate, limits)))
    }

    /// Takes a number of bytes from the budgets of the client and of the gate.
    ///
    /// `client` is `nil` if the client is unknown, for example if a trusted proxy sends no `X-Forwarded-For`.
    ///
    /// - Returns: Whether the bytes were taken, which requires that both budgets contain them.
    func take(_ count: Int, for client: ClientNetwork?) -> Bool {
        let now = self.clock()
        return self.state.withLock { state in
            guard state.gate.has(count, at: now) else { return false }
            if let client {
                guard self.take(count, for: client, from: &state, at: now) else { return false }
            }
            return state.gate.charge(count, at: now)
        }
    }

    private func take(
        _ count: Int,
        for client: ClientNetwork,
        from state: inout State,
        at now: NIODeadline
    ) -> Bool {
        if state.clients[client] == nil, state.clients.count >= Self.mostClients {
            self.prune(&state, at: now)
            guard state.clients.count < Self.mostClients else { return false }
        }
        return state.clients[client, default: .bodies(Self.bodiesOfClient, self.limits)]
            .charge(count, at: now)
    }

    private func prune(_ state: inout State, at now: NIODeadline) {
        if let prunedAt = state.prunedAt, now - prunedAt < Self.pruneInterval { return }
        state.prunedAt = now
        state.clients = state.clients.filter { !$0.value.isFull(at: now) }
    }
}

extension FloodBudget {
    /// Creates a budget in bytes from a number of bodies of the maximum size.
    static func bodies(_ count: Int, _ limits: DiscardLimits) -> FloodBudget {
        // The minimum keeps the product within the range of `Int`.
        let bytes = Int(clamping: Swift.min(limits.bytes, 1 << 50)) * count
        let seconds = Swift.max(1, Int(limits.time.nanoseconds / 1_000_000_000))
        return FloodBudget(capacity: bytes, perSecond: Swift.max(1, bytes / seconds))
    }
}
