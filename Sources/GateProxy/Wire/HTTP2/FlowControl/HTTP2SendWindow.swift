/// How much of bodies a peer still takes (RFC 9113 6.9.1).
struct HTTP2SendWindow: Equatable {
    /// No peer may make more room.
    static let largest = 0x7FFF_FFFF
    /// Of a connection, and of streams if nothing else is said.
    static let initial = 65_535

    /// Less than 0: the peer takes less than it has said before (RFC 9113 6.9.2).
    private(set) var left: Int

    init(_ left: Int = Self.initial) {
        self.left = left
    }

    mutating func use(_ count: Int) {
        self.left -= count
    }

    /// The peer makes room; `false`: more than it may.
    mutating func widen(by increment: Int) -> Bool {
        self.left += increment
        return self.left <= Self.largest
    }
}
