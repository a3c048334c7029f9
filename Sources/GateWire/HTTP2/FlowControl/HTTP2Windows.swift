/// How much of a body a peer may still send, and when it is given room for more (RFC 9113 5.2).
package struct HTTP2ReceiveWindow: Equatable {
    private let size: Int
    /// The bytes that the peer may still send.
    package private(set) var left: Int
    /// The bytes that have come and were not yet taken by whoever they are for.
    package private(set) var untaken = 0

    /// `size`: what the peer may send at the most; `first`: what it was told at the beginning, if
    /// that is less.
    package init(size: Int, first: Int? = nil) {
        self.size = size
        self.left = first ?? size
    }

    /// Bytes came, padding included; `false`: more than there was room for.
    package mutating func receive(_ count: Int) -> Bool {
        self.left -= count
        self.untaken += count
        return self.left >= 0
    }

    /// All that has come was taken.
    ///
    /// - Returns: the room to give to the peer; `nil`: it has enough for now.
    package mutating func take() -> Int? {
        self.take(self.untaken)
    }

    /// Some of what has come was taken.
    ///
    /// - Returns: the room to give to the peer; `nil`: it has enough for now.
    package mutating func take(_ count: Int) -> Int? {
        self.untaken -= count
        let increment = self.size - self.left - self.untaken
        guard increment >= self.size / 2 else { return nil }
        self.left += increment
        return increment
    }
}

/// How much of bodies a peer still takes (RFC 9113 6.9.1).
package struct HTTP2SendWindow: Equatable {
    /// No peer may make more room.
    static let largest = 0x7FFF_FFFF
    /// Of a connection, and of streams if nothing else is said.
    package static let initial = 65_535

    /// Less than 0: the peer takes less than it has said before (RFC 9113 6.9.2).
    package private(set) var left: Int

    package init(_ left: Int = Self.initial) {
        self.left = left
    }

    package mutating func use(_ count: Int) {
        self.left -= count
    }

    /// The peer makes room; `false`: more than it may.
    package mutating func widen(by increment: Int) -> Bool {
        self.left += increment
        return self.left <= Self.largest
    }
}
