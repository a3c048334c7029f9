/// Lets a peer do a number of things that cost the gate more than the peer, and more of them for
/// every useful one.
///
/// A client that resets each stream that it opens (CVE-2023-44487), or makes the gate do so, runs
/// out of it; one that now and then gives up a request never does.
struct FloodBudget: Equatable {
    private let capacity: Int
    private var left: Int

    init(capacity: Int) {
        self.capacity = capacity
        self.left = capacity
    }

    /// - Returns: whether the peer may go on.
    mutating func charge() -> Bool {
        self.left -= 1
        return self.left >= 0
    }

    mutating func earn(_ amount: Int) {
        self.left = Swift.min(self.capacity, self.left + amount)
    }
}
