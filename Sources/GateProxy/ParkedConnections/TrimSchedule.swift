import NIOCore

/// The schedule for returning free memory to the system.
///
/// Without trimming, the process would keep the memory that connections needed before they were
/// parked, and thus stay at its peak usage. Trimming takes time, so it is done immediately
/// only after many connections were parked. It is not done while about as many connections are
/// resumed as are parked, because the resumed connections would allocate the same memory again.
struct TrimSchedule {
    /// The minimum increase of the number of parked connections since its minimum after the last
    /// trim.
    static let leastGrowth = 500
    static let leastInterval = TimeAmount.seconds(5)
    /// The maximum time between two trims, regardless of how many connections were parked.
    static let longestInterval = TimeAmount.seconds(60)

    private var least = 0
    private var last: NIODeadline?
    private var previous = 0
    private let begin: NIODeadline

    init(begin: NIODeadline) {
        self.begin = begin
    }

    /// Whether to trim now; call it about once per second.
    ///
    /// `parked` is the number of parked connections.
    mutating func isDue(parked: Int, at now: NIODeadline) -> Bool {
        // While the number increases quickly, most connections have not been parked yet.
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
