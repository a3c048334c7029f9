import NIOCore

/// Something with a time by which it must have made progress.
protocol Overdue: AnyObject {
    /// `nil`: it may take for ever.
    var deadline: NIODeadline? { get }
    /// Its place in the registry that it is in.
    var registryIndex: Int { get set }
}

/// The connections of one event loop; adding and removing are a few instructions.
///
/// A walk over all of them four times a second replaces a timer for each, which would have to be
/// set and cleared several times for every request.
struct ConnectionRegistry<Connection: Overdue> {
    private(set) var all: [Connection] = []

    var count: Int { self.all.count }

    mutating func add(_ connection: Connection) {
        connection.registryIndex = self.all.count
        self.all.append(connection)
    }

    /// - Returns: whether it was there.
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

    /// Takes out the one that was added last.
    mutating func popLast() -> Connection? {
        self.all.popLast()
    }

    func overdue(at now: NIODeadline) -> [Connection] {
        self.all.filter { connection in connection.deadline.map { $0 <= now } ?? false }
    }
}
