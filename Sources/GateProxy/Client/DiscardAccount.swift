/// The account of the bytes that are discarded after the last response on a connection.
struct DiscardAccount {
    /// The client whose denied request a trusted proxy has forwarded, if the request has a body.
    var forwardedClient: ClientNetwork?
    /// The number of bytes that may be discarded before more are taken from the budget.
    private var prepaid = 0

    // Inlined, so that a new value is written in place.
    @inline(__always)
    init() {}

    /// Sets the number of bytes that are not charged: the client may have sent them before it could receive the
    /// response.
    mutating func begin(free: Int) {
        self.prepaid = free
    }

    /// Charges discarded bytes to the budgets of the gate and of `client`; `nil` if the client is unknown.
    ///
    /// - Returns: Whether the budgets permit them.
    mutating func charge(_ count: Int, to client: ClientNetwork?, _ budget: DiscardBudget) -> Bool {
        self.prepaid -= count
        while self.prepaid < 0 {
            guard budget.take(DiscardBudget.lot, for: client) else { return false }
            self.prepaid += DiscardBudget.lot
        }
        return true
    }
}
