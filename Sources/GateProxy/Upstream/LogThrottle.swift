import NIOCore

/// Lets one line a second through, so that a failure that hits every request floods no log.
struct LogThrottle: Equatable {
    static let interval = TimeAmount.seconds(1)

    private var end: NIODeadline?
    private var held = 0

    /// - Returns: how many lines were held back since the last one; `nil`: hold this one back, too.
    mutating func pass(at now: NIODeadline) -> Int? {
        if let end = self.end, now < end {
            self.held += 1
            return nil
        }
        defer { self.held = 0 }
        self.end = now + Self.interval
        return self.held
    }
}
