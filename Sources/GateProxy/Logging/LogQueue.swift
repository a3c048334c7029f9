import GateWire
import NIOCore

/// Log lines that wait for the thread that writes them, bounded in bytes: what does not fit is
/// dropped and counted.
struct LogQueue {
    /// Bytes that may wait.
    private let capacity: Int
    /// Whole lines, each with its line feed.
    private var bytes: ByteBuffer
    /// Whether the writing thread is at work, or has been told to be.
    private var isAwake = false
    /// Lines that were dropped, altogether and since it was last told.
    private(set) var dropped: UInt64 = 0
    private var untold: UInt64 = 0
    /// Whether the log took no more the last time.
    private var isRefused = false

    enum AppendAction: Equatable {
        case wake
        case doNothing
    }

    enum TakeAction: Equatable {
        /// Lines are to be written, and then that so many were dropped.
        case write(dropped: UInt64)
        case sleep
    }

    init(capacity: Int) {
        self.capacity = capacity
        // To grow would take its time from an event loop; what is not used is no memory yet.
        self.bytes = ByteBufferAllocator().buffer(capacity: capacity)
    }

    /// Takes whole lines, all of them or none.
    ///
    /// `lines`: each with its line feed; `reserve`: bytes that must stay free for lines that matter
    /// more.
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

    /// Hands the lines that wait to the writing thread, and takes its buffer for those to come.
    mutating func take(into batch: inout ByteBuffer) -> TakeAction {
        // A log that takes nothing is not told so again and again.
        guard self.bytes.readableBytes > 0 || self.untold > 0 && !self.isRefused else {
            self.isAwake = false
            return .sleep
        }
        batch.clear()
        swap(&self.bytes, &batch)
        self.isRefused = false
        defer { self.untold = 0 }
        return .write(dropped: self.untold)
    }

    /// Counts the lines that the log did not take.
    ///
    /// - Parameters:
    ///   - lines: How many those were.
    ///   - untold: How many drops were to be told by a line that is lost as well.
    mutating func refused(_ lines: Int, untold: UInt64) {
        self.isRefused = true
        self.count(lost: lines)
        self.untold += untold
    }

    private mutating func count(lost lines: Int) {
        self.dropped += UInt64(lines)
        self.untold += UInt64(lines)
    }
}

extension Span<UInt8> {
    func lineFeeds(from start: Int) -> Int {
        var count = 0
        for index in start..<self.count where self[index] == ASCII.lineFeed { count += 1 }
        return count
    }
}
