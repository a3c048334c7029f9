/// How much of a body a peer may still send, and when it is given room for more (RFC 9113 5.2).
struct HTTP2ReceiveWindow: Equatable {
    private let size: Int
    /// The bytes that the peer may still send.
    private var left: Int
    /// The bytes that have come and were not yet taken by whoever they are for.
    private(set) var untaken = 0

    /// `size`: what the peer may send at the most; `first`: what it was told at the beginning, if
    /// that is less.
    init(size: Int, first: Int? = nil) {
        self.size = size
        self.left = first ?? size
    }

    /// Bytes came, padding included; `false`: more than there was room for.
    mutating func receive(_ count: Int) -> Bool {
        self.left -= count
        self.untaken += count
        return self.left >= 0
    }

    /// All that has come was taken.
    ///
    /// - Returns: the room to give to the peer; `nil`: it has enough for now.
    mutating func take() -> Int? {
        self.take(self.untaken)
    }

    /// Some of what has come was taken.
    ///
    /// - Returns: the room to give to the peer; `nil`: it has enough for now.
    mutating func take(_ count: Int) -> Int? {
        self.untaken -= count
        let increment = self.size - self.left - self.untaken
        guard increment >= self.size / 2 else { return nil }
        self.left += increment
        return increment
    }
}
