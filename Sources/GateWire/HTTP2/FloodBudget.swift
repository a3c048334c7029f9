package import NIOCore

/// A budget for operations by a peer that cost the gate more than they cost the peer.
///
/// The budget is refilled by a fixed amount per second, and by each useful operation. A client that
/// resets every stream that it opens (CVE-2023-44487), or makes the gate reset its streams,
/// exhausts the budget. A client that occasionally cancels a request, or sends regular pings, does
/// not.
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

    /// Deducts an amount from the budget, unless less than that amount is left.
    ///
    /// - Returns: Whether the amount was deducted.
    package mutating func charge(_ amount: Int = 1, at now: NIODeadline) -> Bool {
        guard self.has(amount, at: now) else { return false }
        self.left -= amount
        return true
    }

    /// Returns whether at least this amount is left.
    package mutating func has(_ amount: Int, at now: NIODeadline) -> Bool {
        self.refill(at: now)
        return self.left >= amount
    }

    /// Returns whether the budget is at its full capacity.
    package func isFull(at now: NIODeadline) -> Bool {
        var budget = self
        return budget.has(self.capacity, at: now)
    }

    package mutating func earn(_ amount: Int) {
        self.left = Swift.min(self.capacity, self.left + amount)
    }

    /// Refills the budget for the whole seconds that have passed; the remainder counts toward the
    /// next refill.
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
