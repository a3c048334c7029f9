package import NIOCore

/// Lets a peer do a number of things that cost the gate more than the peer: more of them for every
/// useful one, and a few for every second.
///
/// A client that resets each stream that it opens (CVE-2023-44487), or makes the gate do so, runs
/// out of it; one that now and then gives up a request, or asks all day whether the gate is still
/// there, never does.
package struct FloodBudget: Equatable {
    private let capacity: Int
    private let perSecond: Int
    private var left: Int
    private var refilled: NIODeadline?

    package init(capacity: Int, perSecond: Int) {
        self.capacity = capacity
        self.perSecond = perSecond
        self.left = capacity
    }

    /// - Returns: whether the peer may go on.
    package mutating func charge(_ amount: Int = 1, at now: NIODeadline) -> Bool {
        guard self.has(amount, at: now) else { return false }
        self.left -= amount
        return true
    }

    /// Whether so much is left.
    package mutating func has(_ amount: Int, at now: NIODeadline) -> Bool {
        self.refill(at: now)
        return self.left >= amount
    }

    /// Whether nothing of it is used any more.
    package func isFull(at now: NIODeadline) -> Bool {
        var budget = self
        return budget.has(self.capacity, at: now)
    }

    package mutating func earn(_ amount: Int) {
        self.left = Swift.min(self.capacity, self.left + amount)
    }

    /// Whole seconds only: what is left over counts for the next.
    private mutating func refill(at now: NIODeadline) {
        guard let refilled else {
            self.refilled = now
            return
        }
        let seconds = (now - refilled).nanoseconds / 1_000_000_000
        guard seconds > 0 else { return }
        self.refilled = refilled + .seconds(seconds)
        self.earn(Swift.min(self.capacity, Int(seconds) * self.perSecond))
    }
}
