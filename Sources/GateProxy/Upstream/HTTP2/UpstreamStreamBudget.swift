/// Which streams may still be opened on a connection to the backend, and by what numbers (RFC 9113
/// 5.1.1, 5.1.2 and 6.8).
struct UpstreamStreamBudget: Equatable {
    /// Streams at the same time, whatever the backend would take: more share the fate of one
    /// connection than is good.
    static let most = 128

    /// None before the backend has said how many it takes.
    private(set) var limit = 0
    private var inUse = 0
    private var next: UInt32 = 1
    private(set) var isRetired = false

    var hasRoom: Bool { !self.isRetired && self.inUse < self.limit && self.next < 1 << 31 }

    var isUnused: Bool { self.inUse == 0 }

    /// Whether a stream by this number was ever opened.
    func hasOpened(_ id: UInt32) -> Bool { id % 2 == 1 && id < self.next }

    /// The backend says how many streams it takes at the same time; `nil`: any number.
    mutating func allow(_ count: Int?) {
        self.limit = Swift.min(count ?? Self.most, Self.most)
    }

    /// Keeps room for a request that is about to be sent.
    mutating func reserve() {
        self.inUse += 1
    }

    /// The number of a stream for which room was kept; `nil`: none is left.
    mutating func open() -> UInt32? {
        guard self.next < 1 << 31 else { return nil }
        defer { self.next += 2 }
        return self.next
    }

    /// A stream is over, or was never opened.
    mutating func release() {
        self.inUse -= 1
    }

    /// No more streams are opened.
    mutating func retire() {
        self.isRetired = true
    }
}
