import GateWire
import NIOCore

/// A queue of log lines for the writer thread, with a maximum size in bytes.
///
/// Lines that do not fit are dropped and counted.
struct LogQueue {
    /// The maximum size of the queue in bytes.
    private let capacity: Int
    /// Whole lines, each including its line feed.
    private var bytes: ByteBuffer
    /// Whether the writer thread is running or has been woken.
    private var isAwake = false
    /// The number of dropped lines, in total and since the last report in the log.
    private(set) var dropped: UInt64 = 0
    private var unreported: UInt64 = 0
    /// Whether the last write failed.
    private var isRefused = false

    enum AppendAction: Equatable {
        case wake
        case doNothing
    }

    enum TakeAction: Equatable {
        /// Write the lines, and then a line that reports the number of dropped lines.
        case write(dropped: UInt64)
        case sleep
    }

    init(capacity: Int) {
        self.capacity = capacity
        // The full capacity is allocated at once, because growing the buffer would delay an event loop, and unused
        // pages take up no memory.
        self.bytes = ByteBufferAllocator().buffer(capacity: capacity)
    }

    /// Appends either all of the given lines or none.
    ///
    /// Each of the `lines` includes its line feed, and `reserve` is the number of bytes to leave free for more
    /// important lines.
    mutating func append(_ lines: Span<UInt8>, keeping reserve: Int = 0) -> AppendAction {
        if self.bytes.readableBytes + lines.count <= self.capacity - reserve {
            unsafe self.bytes.writeBytes(lines.bytes)
        } else {
            self.count(lost: lines.lineFeeds(from: 0))
        }
        if self.isAwake { return .doNothing }
        self.isAwake = true
        return .wake
    }

    /// Moves the queued lines to `batch`, whose previous memory is reused for further lines.
    mutating func take(into batch: inout ByteBuffer) -> TakeAction {
        // While writes fail, the number of dropped lines is not reported again until there are new lines.
        guard self.bytes.readableBytes > 0 || self.unreported > 0 && !self.isRefused else {
            self.isAwake = false
            return .sleep
        }
        batch.clear()
        swap(&self.bytes, &batch)
        self.isRefused = false
        defer { self.unreported = 0 }
        return .write(dropped: self.unreported)
    }

    /// Counts the lines that could not be written.
    ///
    /// `unreported` is the number of dropped lines in a report that could not be written either.
    mutating func refused(_ lines: Int, unreported: UInt64) {
        self.isRefused = true
        self.count(lost: lines)
        self.unreported += unreported
    }

    private mutating func count(lost lines: Int) {
        self.dropped += UInt64(lines)
        self.unreported += UInt64(lines)
    }
}

extension Span<UInt8> {
    func lineFeeds(from start: Int) -> Int {
        var count = 0
        for index in start..<self.count where self[index] == ASCII.lineFeed { count += 1 }
        return count
    }
}
