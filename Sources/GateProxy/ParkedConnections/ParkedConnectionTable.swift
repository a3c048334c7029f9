import NIOCore

/// The state that is kept for a connection between two requests.
struct ParkedConnection {
    /// The file descriptor of the socket.
    let descriptor: CInt
    /// Whether the client is a trusted proxy.
    let isTrusted: Bool
    /// The client's address, from the socket or from a PROXY protocol header.
    let address: String
    /// The permit for the connection limit of the client's address, if there is such a limit.
    var permit: ConnectionPermit?
    /// The time at which the connection is closed if the client stays idle.
    var deadline: NIODeadline
}

/// The parked connections of one event loop, as an array of records, without an object for each connection.
struct ParkedConnectionTable {
    private struct Slot {
        var generation: UInt32 = 0
        var connection: ParkedConnection?
    }

    private let worker: Int
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    /// The generation of the last connection, which distinguishes successive connections in a slot.
    private var generation: UInt32 = 0

    /// Creates a table; `worker` is the index of the event loop.
    init(worker: Int) {
        self.worker = worker
    }

    var count: Int { self.slots.count - self.free.count }

    mutating func add(_ connection: ParkedConnection) -> ParkedConnectionToken {
        self.generation = (self.generation &+ 1) & ParkedConnectionToken.generationMask
        let slot = Slot(generation: self.generation, connection: connection)
        let index: Int
        if let last = self.free.popLast() {
            index = Int(last)
            self.slots[index] = slot
        } else {
            index = self.slots.count
            self.slots.append(slot)
        }
        return ParkedConnectionToken(worker: self.worker, slot: index, generation: self.generation)
    }

    /// The connection with a token, or `nil` if it is no longer parked.
    subscript(_ token: ParkedConnectionToken) -> ParkedConnection? {
        guard self.slots.indices.contains(token.slot) else { return nil }
        let slot = self.slots[token.slot]
        return slot.generation == token.generation ? slot.connection : nil
    }

    mutating func give(_ permit: ConnectionPermit?, to token: ParkedConnectionToken) {
        guard self[token] != nil else { return }
        self.slots[token.slot].connection?.permit = permit
    }

    /// Removes and returns a connection, or returns `nil` if it is no longer parked.
    mutating func remove(_ token: ParkedConnectionToken) -> ParkedConnection? {
        guard let connection = self[token] else { return nil }
        self.slots[token.slot].connection = nil
        self.free.append(UInt32(token.slot))
        // Frees the memory of the slots, which may have held many connections.
        if self.count == 0 { self.removeAll() }
        return connection
    }

    /// Removes and returns all connections whose deadline has passed.
    mutating func removeOverdue(at now: NIODeadline) -> [ParkedConnection] {
        let overdue = self.slots.indices.filter { index in
            self.slots[index].connection.map { $0.deadline <= now } ?? false
        }
        return overdue.compactMap { index in
            self.remove(
                ParkedConnectionToken(
                    worker: self.worker,
                    slot: index,
                    generation: self.slots[index].generation
                )
            )
        }
    }

    /// Moves all deadlines that are later than `limit` to `limit`.
    mutating func limitDeadlines(to limit: NIODeadline) {
        for index in self.slots.indices {
            guard let deadline = self.slots[index].connection?.deadline else { continue }
            self.slots[index].connection?.deadline = Swift.min(deadline, limit)
        }
    }

    @discardableResult
    mutating func removeAll() -> [ParkedConnection] {
        let connections = self.slots.compactMap(\.connection)
        self.slots = []
        self.free = []
        return connections
    }
}

/// The token of a parked connection in epoll events: its event loop, its slot, and its generation
/// in the slot.
struct ParkedConnectionToken: Hashable, Sendable, RawRepresentable {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Creates a token; `worker` is between 0 and 255, and the low-order 24 bits of `generation`
    /// are used.
    init(worker: Int, slot: Int, generation: UInt32) {
        self.rawValue =
            UInt64(UInt8(truncatingIfNeeded: worker)) << 56
            | UInt64(generation & Self.generationMask) << 32
            | UInt64(UInt32(truncatingIfNeeded: slot))
    }

    var worker: Int { Int(self.rawValue >> 56) }
    var slot: Int { Int(UInt32(truncatingIfNeeded: self.rawValue)) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: self.rawValue >> 32) & Self.generationMask }

    static let lastWorker = 255
    static let generationMask: UInt32 = 0xFF_FFFF
}
