import NIOCore

/// Lets one log line a second through and counts the others, so that what a peer can bring about
/// again and again fills no disk.
struct LogLimiter {
    static let interval = TimeAmount.seconds(1)

    private var next: NIODeadline?
    private var suppressed = 0

    /// Asks to log one line.
    ///
    /// - Returns: how many were held back since the last one; `nil` if this one is, too.
    mutating func admit(at now: NIODeadline) -> Int? {
        if let next = self.next, now < next {
            self.suppressed += 1
            return nil
        }
        defer { self.suppressed = 0 }
        self.next = now + Self.interval
        return self.suppressed
    }
}
