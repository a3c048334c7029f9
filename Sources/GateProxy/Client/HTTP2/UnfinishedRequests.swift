import GateWire
import NIOCore

/// The requests of a connection that have their answer, and of which the client still sends the body.
///
/// A stream of such a request is over for the gate, and open for its client until that has sent everything or is told
/// that it need not (RFC 9113 8.1). OkHttp, `java.net.http` and httpx show an answer only then, so that they get room for
/// the rest; curl 7.88 takes a reset for a failure, so that what gets no room has a moment to read its answer.
struct UnfinishedRequests {
    /// One of them.
    struct Entry {
        /// The bytes of the body that the client may still send; `nil`: any number.
        var length: AnnouncedLength?
        var window: HTTP2ReceiveWindow
        /// Bytes for which it may be given room.
        var left: UInt64
        /// Whether it is given room at all.
        var getsRoom: Bool
        /// When the client is told, whatever it sends.
        var end: NIODeadline
        /// When it is told if it sends nothing until then.
        var deadline: NIODeadline
        /// The client whose budget it counts for, if that is known.
        let client: ClientNetwork?

        /// Whether the client has more to send than there is room for.
        ///
        /// Of a body whose length is not known, much must have come before: most are small.
        var needsRoom: Bool {
            guard self.getsRoom else { return false }
            guard let length else { return self.window.left <= HTTP2OwnSettings.firstWindow / 2 }
            return length.remaining > UInt64(clamping: self.window.left)
        }
    }

    private var entries: [UInt32: Entry] = [:]

    /// How long a client without room has to read its answer.
    static let lastMoment = TimeAmount.milliseconds(250)

    var isEmpty: Bool { self.entries.isEmpty }
    var count: Int { self.entries.count }

    subscript(_ stream: UInt32) -> Entry? {
        get { self.entries[stream] }
        set { self.entries[stream] = newValue }
    }

    /// The stream that has been here for the longest time.
    var oldest: UInt32? { self.entries.keys.min() }

    /// The streams whose time is over.
    func overdue(at now: NIODeadline) -> [UInt32] {
        self.entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
    }
}
