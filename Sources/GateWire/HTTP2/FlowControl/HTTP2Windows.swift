/// A receive window, which decides when to increase itself (RFC 9113 section 5.2).
package struct HTTP2ReceiveWindow: Equatable {
    private let size: Int
    /// The number of bytes that the peer may still send.
    package private(set) var left: Int
    /// The number of bytes that were received but not yet consumed.
    package private(set) var untaken = 0

    /// Creates a window with the given maximum size; `first` is the size announced initially, if it
    /// is smaller.
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

    /// Marks all received bytes as consumed: see `take(_:)`.
    package mutating func take() -> Int? {
        self.take(self.untaken)
    }

    /// Marks some of the received bytes as consumed.
    ///
    /// - Returns: The increment to send to the peer; `nil` if the window is still large enough.
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
    /// The maximum size of a window.
    static let largest = 0x7FFF_FFFF
    /// The initial window of a connection, and of a stream if no setting overrides it.
    package static let initial = 65_535

    /// The number of bytes that may still be sent.
    ///
    /// The number can be negative after the peer has reduced its initial window (RFC 9113 section 6.9.2).
    package private(set) var left: Int

    package init(_ left: Int = Self.initial) {
        self.left = left
    }

    package mutating func use(_ count: Int) {
        self.left -= count
    }

    /// Increases the window; returns `false` if it exceeds the maximum.
    package mutating func widen(by increment: Int) -> Bool {
        self.left += increment
        return self.left <= Self.largest
    }
}
