import GateWire
import NIOCore
import Synchronization

/// The bytes of refused bodies that a gate reads and throws away, over all threads.
///
/// Without it a client could make the gate receive as much as its network carries, with requests that no backend ever
/// sees. The budget is asked in lots, so that threads seldom meet there; the first 64 KiB of each body are free.
final class DiscardBudget: Sendable {
    /// The number of bytes that are taken at a time.
    static let lot = 128 * 1024

    /// How many bodies of the largest size may be thrown away at once; as many again are earned in the time that one
    /// body has.
    private static let bodiesOfGate = 64
    private static let bodiesOfClient = 16
    /// The number of clients that are remembered; one whose budget is whole again is forgotten.
    private static let mostClients = 16_384

    private struct State {
        var gate: FloodBudget
        var clients: [ClientNetwork: FloodBudget] = [:]
    }

    private let state: Mutex<State>
    private let limits: DiscardLimits
    private let clock: @Sendable () -> NIODeadline

    /// `clock`: the time by which the budget grows again.
    init(
        _ limits: DiscardLimits,
        clock: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.limits = limits
        self.clock = clock
        self.state = Mutex(State(gate: .bodies(Self.bodiesOfGate, limits)))
    }

    /// Takes a number of bytes out of the budgets of a client and of the gate.
    ///
    /// `client`: `nil` where it is not known, as behind a proxy that does not name it.
    ///
    /// - Returns: whether both have so many.
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
            state.clients = state.clients.filter { !$0.value.isFull(at: now) }
            guard state.clients.count < Self.mostClients else { return false }
        }
        return state.clients[client, default: .bodies(Self.bodiesOfClient, self.limits)]
            .charge(count, at: now)
    }
}

extension FloodBudget {
    /// A budget in bytes for a number of bodies of the largest size.
    static func bodies(_ count: Int, _ limits: DiscardLimits) -> FloodBudget {
        // Nobody has more than an exbibyte.
        let bytes = Int(clamping: Swift.min(limits.bytes, 1 << 50)) * count
        let seconds = Swift.max(1, Int(limits.time.nanoseconds / 1_000_000_000))
        return FloodBudget(capacity: bytes, perSecond: Swift.max(1, bytes / seconds))
    }
}
