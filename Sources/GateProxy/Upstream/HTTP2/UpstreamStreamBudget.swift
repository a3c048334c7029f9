/// The stream IDs and the concurrency limit of a connection to the backend.
///
/// See RFC 9113 sections 5.1.1, 5.1.2 and 6.8.
struct UpstreamStreamBudget: Equatable {
    /// The maximum number of concurrent streams, even if the backend accepts more.
    ///
    /// The limit bounds the number of requests that fail if the connection is lost.
    static let most = 128

    /// The current maximum number of concurrent streams, or 0 until the backend has sent its settings.
    private(set) var limit = 0
    private var inUse = 0
    private var next: UInt32 = 1
    private(set) var isRetired = false

    var hasRoom: Bool { !self.isRetired && self.inUse < self.limit && self.next < 1 << 31 }

    var isUnused: Bool { self.inUse == 0 }

    /// Whether a stream with this ID has been opened.
    func hasOpened(_ id: UInt32) -> Bool { id % 2 == 1 && id < self.next }

    /// Applies the backend's limit on concurrent streams; `nil` means no limit.
    mutating func allow(_ count: Int?) {
        self.limit = Swift.min(count ?? Self.most, Self.most)
    }

    /// Reserves a stream for a request that is about to be sent.
    mutating func reserve() {
        self.inUse += 1
    }

    /// Assigns an ID to a reserved stream and returns the ID, or returns `nil` if all IDs are used.
    mutating func open() -> UInt32? {
        guard self.next < 1 << 31 else { return nil }
        defer { self.next += 2 }
        return self.next
    }

    /// Releases a stream that has ended, or was never opened.
    mutating func release() {
        self.inUse -= 1
    }

    /// Prevents new streams.
    mutating func retire() {
        self.isRetired = true
    }
}
