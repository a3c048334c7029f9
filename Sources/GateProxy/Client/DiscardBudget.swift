import GateWire
import NIOCore
import Synchronization

/// The limit for the bytes of denied request bodies that the gate reads and discards, shared by all threads.
///
/// Without a limit, denied requests could use the whole bandwidth of the gate. Threads take bytes in batches to keep
/// lock contention low. The first 64 KiB of each body are not counted.
final class DiscardBudget: Sendable {
    /// The batch size in bytes.
    static let lot = 128 * 1024

    /// The capacity, in bodies of the maximum size.
    ///
    /// The same amount is refilled within the time limit for a body.
    private static let bodiesOfGate = 64
    private static let bodiesOfClient = 16
    /// The maximum number of clients with a budget; a client is removed once its budget is full again.
    private static let mostClients = 16_384
    /// The minimum time between two searches for clients with a full budget; a search visits all clients under the
    /// lock.
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
    /// `clock` returns the time for the refill.
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
    /// `client` is `nil` if it is unknown, for example if a trusted proxy sends no `X-Forwarded-For`.
    ///
    /// - Returns: Whether both budgets have that many bytes.
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
    /// Creates a budget in bytes for a number of bodies of the maximum size.
    static func bodies(_ count: Int, _ limits: DiscardLimits) -> FloodBudget {
        // Keeps the product within `Int`.
        let bytes = Int(clamping: Swift.min(limits.bytes, 1 << 50)) * count
        let seconds = Swift.max(1, Int(limits.time.nanoseconds / 1_000_000_000))
        return FloodBudget(capacity: bytes, perSecond: Swift.max(1, bytes / seconds))
    }
}
