import GateWire
import NIOCore

/// The requests of a connection whose response was sent before the client had sent the whole body.
///
/// The stream of such a request stays open for the client until it has sent the rest, or receives `RST_STREAM` (RFC 9113
/// 8.1). OkHttp, `java.net.http` and httpx return the response only after the whole body, so they get flow-control window
/// for the rest. curl 7.88 treats a reset as a failure, so a stream without window is reset only after `resetDelay`.
struct UnfinishedRequests {
    /// A request with an incomplete body.
    struct Entry {
        /// The rest of the announced length; `nil` if the request announced none.
        var length: AnnouncedLength?
        var window: HTTP2ReceiveWindow
        /// The number of bytes by which the window may still be increased.
        var left: UInt64
        /// Whether the window is increased at all.
        var getsRoom: Bool
        /// When the stream is reset at the latest.
        var end: NIODeadline
        /// When the stream is reset if no data arrives until then.
        var deadline: NIODeadline
        /// The client whose budget is charged; `nil` if it is unknown.
        let client: ClientNetwork?

        /// Whether the client needs a larger window for the rest of the body.
        ///
        /// If the length is unknown, half of the first window must be used: most bodies are smaller.
        var needsRoom: Bool {
            guard self.getsRoom else { return false }
            guard let length else { return self.window.left <= HTTP2OwnSettings.firstWindow / 2 }
            return length.remaining > UInt64(clamping: self.window.left)
        }
    }

    private var entries: [UInt32: Entry] = [:]
    /// Whether a check of the deadlines is scheduled.
    private var isWatched = false

    /// The time that a client without window has to read the response before the reset.
    static let resetDelay = TimeAmount.milliseconds(250)

    var isEmpty: Bool { self.entries.isEmpty }
    var count: Int { self.entries.count }

    subscript(_ stream: UInt32) -> Entry? {
        get { self.entries[stream] }
        set { self.entries[stream] = newValue }
    }

    /// Returns whether a check of the deadlines has to be scheduled.
    mutating func beginWatch() -> Bool {
        guard !self.isWatched, !self.entries.isEmpty else { return false }
        self.isWatched = true
        return true
    }

    /// Starts a check of the deadlines.
    mutating func endWatch() {
        self.isWatched = false
    }

    /// The stream with the oldest request.
    var oldest: UInt32? { self.entries.keys.min() }

    /// The streams whose deadline has passed, in ascending order.
    func overdue(at now: NIODeadline) -> [UInt32] {
        self.entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
    }
}
