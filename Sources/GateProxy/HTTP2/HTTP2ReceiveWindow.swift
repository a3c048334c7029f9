/// How much of a body a peer may still send, and when it is given room for more (RFC 9113 5.2).
struct HTTP2ReceiveWindow: Equatable {
    private let size: Int
    /// What the peer may still send.
    private var left: Int
    /// What has come and was not yet taken by whoever it is for.
    private var untaken = 0
    /// What was taken, and the peer does not know it yet.
    private var uncredited = 0

    /// `size`: what the peer was told at the beginning.
    init(size: Int) {
        self.size = size
        self.left = size
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
        self.uncredited += self.untaken
        self.untaken = 0
        guard self.uncredited >= self.size / 2 else { return nil }
        defer { self.uncredited = 0 }
        self.left += self.uncredited
        return self.uncredited
    }
}
