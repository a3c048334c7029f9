import GateWire
import NIOCore

/// The requests on one connection that got a response before the client had sent the whole body.
///
/// The stream of such a request stays open for the client until the client has sent the rest or receives `RST_STREAM`
/// (RFC 9113 section 8.1). OkHttp, `java.net.http` and httpx return the response only after the whole body is sent, so
/// the gate increases their flow-control window for the rest. curl 7.88 treats a reset as a failure, so the gate waits
/// for `resetDelay` before it resets a stream whose window is exhausted.
struct UnfinishedRequests {
    /// A request with an incomplete body.
    struct Entry {
        /// The rest of the announced length; `nil` if no length was announced.
        var length: AnnouncedLength?
        var window: HTTP2ReceiveWindow
        /// The number of bytes by which the window can still be increased.
        var left: UInt64
        /// Whether the window may be increased at all.
        var getsRoom: Bool
        /// The time at which the stream is reset even if data is still arriving.
        var end: NIODeadline
        /// The time at which the stream is reset if no data arrives by then.
        var deadline: NIODeadline
        /// The client whose budget is charged; `nil` if the client is unknown.
        let client: ClientNetwork?

        /// Whether the client needs a larger window for the rest of the body.
        ///
        /// If the length is unknown, the client must first use half of the initial window, because most bodies fit into
        /// that half.
        var needsRoom: Bool {
            guard self.getsRoom else { return false }
            guard let length else { return self.window.left <= HTTP2OwnSettings.firstWindow / 2 }
            return length.remaining > UInt64(clamping: self.window.left)
        }
    }

    private var entries: [UInt32: Entry] = [:]
    /// Whether a check of the deadlines is scheduled.
    private var isWatched = false

    /// How long a client with an exhausted window has to read the response before its stream is reset.
    static let resetDelay = TimeAmount.milliseconds(250)

    var isEmpty: Bool { self.entries.isEmpty }
    var count: Int { self.entries.count }

    subscript(_ stream: UInt32) -> Entry? {
        get { self.entries[stream] }
        set { self.entries[stream] = newValue }
    }

    /// Marks a check of the deadlines as scheduled.
    ///
    /// - Returns: Whether the caller has to schedule the check.
    mutating func beginWatch() -> Bool {
        guard !self.isWatched, !self.entries.isEmpty else { return false }
        self.isWatched = true
        return true
    }

    /// Marks the scheduled check of the deadlines as started.
    mutating func endWatch() {
        self.isWatched = false
    }

    /// The ID of the stream with the oldest request; `nil` if there are no requests.
    var oldest: UInt32? { self.entries.keys.min() }

    /// Returns the IDs of the streams whose deadlines have passed, in ascending order.
    func overdue(at now: NIODeadline) -> [UInt32] {
        self.entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
    }
}

/// The announced length of a request body, minus the bytes that have arrived (RFC 9113 section 8.1.1).
struct AnnouncedLength: Equatable {
    private(set) var remaining: UInt64

    init(_ length: UInt64) {
        self.remaining = length
    }

    /// Whether the whole body has arrived.
    var isComplete: Bool { self.remaining == 0 }

    /// Subtracts the next bytes of the body from the remaining length.
    ///
    /// `isLast` indicates whether the client has ended the stream.
    ///
    /// - Throws: `PROTOCOL_ERROR` if the client sends more or fewer bytes than announced.
    mutating func take(_ count: Int, isLast: Bool) throws(HTTP2ErrorCode) {
        guard UInt64(count) <= self.remaining else { throw .protocolError }
        self.remaining -= UInt64(count)
        guard self.remaining == 0 || !isLast else { throw .protocolError }
    }
}
