import NIOCore

/// A connection with a deadline by which it must have made progress.
protocol RegisteredConnection: AnyObject {
    /// The deadline; `nil` if there is no deadline.
    var deadline: NIODeadline? { get }
    /// The index of the connection in its registry.
    var registryIndex: Int { get set }
}

/// The connections of one event loop, which can be added and removed in constant time.
///
/// A check of all connections four times a second replaces a timer for each connection, which would have to be set and
/// canceled several times per request.
struct ConnectionRegistry<Connection: RegisteredConnection> {
    private(set) var all: [Connection] = []

    var count: Int { self.all.count }

    mutating func add(_ connection: Connection) {
        connection.registryIndex = self.all.count
        self.all.append(connection)
    }

    /// Removes a connection.
    ///
    /// - Returns: Whether the registry contained the connection.
    @discardableResult
    mutating func remove(_ connection: Connection) -> Bool {
        let index = connection.registryIndex
        guard self.all.indices.contains(index), self.all[index] === connection else {
            return false
        }
        self.all.swapAt(index, self.all.count - 1)
        self.all.removeLast()
        if index < self.all.count { self.all[index].registryIndex = index }
        return true
    }

    /// Removes and returns the last connection, usually the most recently added one.
    mutating func popLast() -> Connection? {
        self.all.popLast()
    }

    func overdue(at now: NIODeadline) -> [Connection] {
        self.all.filter { connection in connection.deadline.map { $0 <= now } ?? false }
    }
}
