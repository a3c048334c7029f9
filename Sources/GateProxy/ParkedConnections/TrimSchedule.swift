import NIOCore

/// Decides when memory that is free is given back to the system.
///
/// Memory that a parked connection needed before stays with the process otherwise, and so does that
/// of the worst moment of many days. Giving it back costs time, so it is done at once for crowds
/// only; and it is not done while about as many wake as are parked, who would take the same memory
/// again.
struct TrimSchedule {
    /// How many more must be parked than there were at some time since the last trim.
    static let leastGrowth = 500
    static let leastInterval = TimeAmount.seconds(5)
    /// The longest time between two looks, whatever has happened.
    static let longestInterval = TimeAmount.seconds(60)

    private var least = 0
    private var last: NIODeadline?
    private var previous = 0
    private let begin: NIODeadline

    init(begin: NIODeadline) {
        self.begin = begin
    }

    /// Says whether to do it now; ask about once a second.
    ///
    /// `parked`: connections that are parked.
    mutating func isDue(parked: Int, at now: NIODeadline) -> Bool {
        // In the middle of a rush most of it is still to come.
        let isRush = parked > self.previous + self.previous / 8
        self.previous = parked
        self.least = Swift.min(self.least, parked)
        let isCrowd =
            parked >= self.least + Self.leastGrowth && !isRush
            && self.last.map { now - $0 >= Self.leastInterval } ?? true
        guard isCrowd || now - (self.last ?? self.begin) >= Self.longestInterval else {
            return false
        }
        self.least = parked
        self.last = now
        return true
    }
}
