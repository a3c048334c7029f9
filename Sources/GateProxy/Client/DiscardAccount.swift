/// An account of the bytes that are discarded after the last response on a connection.
struct DiscardAccount {
    /// The client of a denied request with a body, if a trusted proxy forwarded the request; `nil` otherwise.
    var forwardedClient: ClientNetwork?
    /// The number of bytes that may be discarded before more bytes are taken from the budget.
    private var prepaid = 0

    // Inlined, so that a new value is written in place.
    @inline(__always)
    init() {}

    /// Sets the number of bytes that are not charged.
    ///
    /// The client may have sent that many bytes before it could receive the response.
    mutating func begin(free: Int) {
        self.prepaid = free
    }

    /// Charges discarded bytes to the budgets of the gate and of `client`, which is `nil` if the client is unknown.
    ///
    /// - Returns: Whether the budgets cover the bytes.
    mutating func charge(_ count: Int, to client: ClientNetwork?, _ budget: DiscardBudget) -> Bool {
        self.prepaid -= count
        while self.prepaid < 0 {
            guard budget.take(DiscardBudget.lot, for: client) else { return false }
            self.prepaid += DiscardBudget.lot
        }
        return true
    }
}
