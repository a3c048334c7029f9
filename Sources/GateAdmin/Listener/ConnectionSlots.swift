internal import GateProxy

/// The slots for the connections in one phase.
///
/// If all slots are occupied, a new connection is still accepted, and another connection loses its slot. This way,
/// clients that occupy slots without using them cannot block other clients. The connection that loses its slot is the
/// oldest connection from the network with the most connections, so that a network cannot displace the connections of
/// other networks.
struct ConnectionSlots<Connection: Hashable> {
    private struct Slot {
        let connection: Connection
        /// The client's network; `nil` for a connection without an IP address.
        let network: ClientNetwork?
    }

    private let limit: Int
    /// The slots, oldest first.
    private var slots: [Slot] = []
    private var counts: [ClientNetwork?: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of occupied slots.
    var count: Int { self.slots.count }

    /// Assigns a slot to a connection that has none.
    ///
    /// - Returns: The connection that loses its slot, if all slots were occupied.
    mutating func take(_ connection: Connection, from network: ClientNetwork?) -> Connection? {
        self.slots.append(Slot(connection: connection, network: network))
        self.counts[network, default: 0] += 1
        return self.slots.count > self.limit ? self.freeOldest() : nil
    }

    /// Frees the slot of a connection, if it has one.
    mutating func free(_ connection: Connection) {
        let index = self.slots.firstIndex { $0.connection == connection }
        if let index { self.free(at: index) }
    }

    /// Frees the slot of the oldest connection from the network that has the most connections.
    ///
    /// - Returns: The connection that loses its slot; `nil` if no slot is occupied.
    mutating func freeOldest() -> Connection? {
        let most = self.counts.values.max()
        guard let index = self.slots.firstIndex(where: { self.counts[$0.network] == most }) else {
            return nil
        }
        let connection = self.slots[index].connection
        self.free(at: index)
        return connection
    }

    private mutating func free(at index: Int) {
        let network = self.slots.remove(at: index).network
        let count = self.counts[network, default: 0] - 1
        self.counts[network] = count > 0 ? count : nil
    }
}
