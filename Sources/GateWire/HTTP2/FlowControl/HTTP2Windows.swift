/// A receive window, which determines when to announce an increase to the peer (RFC 9113 section 5.2).
package struct HTTP2ReceiveWindow: Equatable {
    private let size: Int
    /// The number of bytes that the peer can still send.
    package private(set) var left: Int
    /// The number of bytes that have been received but not yet consumed.
    package private(set) var untaken = 0

    /// Creates a window with a maximum size; `first` is the initially announced size if it is smaller.
    package init(size: Int, first: Int? = nil) {
        self.size = size
        self.left = first ?? size
    }

    /// Counts received bytes, including padding; returns `false` if they exceed the window.
    package mutating func receive(_ count: Int) -> Bool {
        self.left -= count
        self.untaken += count
        return self.left >= 0
    }

    /// Marks all received bytes as consumed; returns the same value as `take(_:)`.
    package mutating func take() -> Int? {
        self.take(self.untaken)
    }

    /// Marks `count` of the received bytes as consumed.
    ///
    /// - Returns: The increment to announce to the peer, or `nil` if the window is still large enough.
    package mutating func take(_ count: Int) -> Int? {
        self.untaken -= count
        let increment = self.size - self.left - self.untaken
        guard increment >= self.size / 2 else { return nil }
        self.left += increment
        return increment
    }
}

/// A send window (RFC 9113 section 6.9.1).
package struct HTTP2SendWindow: Equatable {
    /// The maximum size of a window in bytes.
    static let largest = 0x7FFF_FFFF
    /// The initial size in bytes of a connection's window, and of a stream's window unless a
    /// setting overrides it.
    package static let initial = 65_535

    /// The number of bytes that can still be sent.
    ///
    /// The number can be negative after the peer has reduced its initial window (RFC 9113 section 6.9.2).
    package private(set) var left: Int

    package init(_ left: Int = Self.initial) {
        self.left = left
    }

    package mutating func use(_ count: Int) {
        self.left -= count
    }

    /// Increases the window; returns `false` if the result exceeds the maximum.
    package mutating func widen(by increment: Int) -> Bool {
        self.left += increment
        return self.left <= Self.largest
    }
}
