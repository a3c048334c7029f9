import NIOCore

/// All that is kept of a connection between two requests.
struct ParkedConnection {
    /// The socket.
    let descriptor: CInt
    /// Whether the client is a proxy whose word on addresses is believed.
    let isTrusted: Bool
    /// The client's address as the gate knows it, from wherever it does.
    let address: String
    /// Its permit among the connections of its client, if those are counted.
    var permit: ConnectionPermit?
    /// When the client has been silent for too long.
    var deadline: NIODeadline
}

/// The parked connections of one event loop: records in one array, without an object each.
struct ParkedConnectionTable {
    private struct Slot {
        var generation: UInt32 = 0
        var connection: ParkedConnection?
    }

    private let worker: Int
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    /// Told to each connection, so that what is heard of one is never taken for another's.
    private var generation: UInt32 = 0

    /// `worker`: which of all event loops this is.
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

    /// The connection of a token; `nil` if it is not parked any more.
    subscript(_ token: ParkedConnectionToken) -> ParkedConnection? {
        guard self.slots.indices.contains(token.slot) else { return nil }
        let slot = self.slots[token.slot]
        return slot.generation == token.generation ? slot.connection : nil
    }

    /// Gives a connection its permit.
    mutating func give(_ permit: ConnectionPermit?, to token: ParkedConnectionToken) {
        guard self[token] != nil else { return }
        self.slots[token.slot].connection?.permit = permit
    }

    /// Takes a connection out; `nil` if it is not parked any more.
    mutating func remove(_ token: ParkedConnectionToken) -> ParkedConnection? {
        guard let connection = self[token] else { return nil }
        self.slots[token.slot].connection = nil
        self.free.append(UInt32(token.slot))
        // A crowd that has gone is no reason to keep its room.
        if self.count == 0 { self.removeAll() }
        return connection
    }

    /// Takes out all whose time is over.
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

    /// Leaves none more time than that.
    mutating func limitDeadlines(to limit: NIODeadline) {
        for index in self.slots.indices {
            guard let deadline = self.slots[index].connection?.deadline else { continue }
            self.slots[index].connection?.deadline = Swift.min(deadline, limit)
        }
    }

    /// Takes out all.
    @discardableResult
    mutating func removeAll() -> [ParkedConnection] {
        let connections = self.slots.compactMap(\.connection)
        self.slots = []
        self.free = []
        return connections
    }
}
