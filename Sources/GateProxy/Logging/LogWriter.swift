private import Dispatch
private import Glibc
package import NIOCore
private import NIOPosix
private import Synchronization

/// The log of the process, with a bounded queue of lines that a single thread writes.
///
/// Appending lines never waits for the reader of the log. Lines that do not fit are dropped and counted, and a line
/// reports their number as soon as there is space in the queue.
package final class LogWriter: Sendable {
    /// The maximum size of the queue in bytes.
    ///
    /// The lines that are being written can take up as many bytes again.
    package static let capacity = 1 << 20

    private let queue: Mutex<LogQueue>
    private let capacity: Int
    private let descriptor: CInt
    private let notice: @Sendable (_ dropped: UInt64) -> [UInt8]
    private let work = DispatchSemaphore(value: 0)
    private let whenIdle = Mutex<[DispatchSemaphore]>([])
    private let isEnding = Atomic(false)
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// Creates a log that writes to a file descriptor, which may block.
    ///
    /// `notice` returns the line that reports the number of dropped lines, including its line feed.
    package init(
        descriptor: CInt,
        capacity: Int = LogWriter.capacity,
        notice: @escaping @Sendable (_ dropped: UInt64) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.notice = notice
        self.queue = Mutex(LogQueue(capacity: capacity))
    }

    /// Starts the writer thread.
    package func start() {
        self.thread.start()
        self.thread.submit { state in
            guard state == .active else { return }
            self.writeUntilEnd()
        }
    }

    /// The number of lines that have been dropped so far.
    package var droppedLines: UInt64 { self.queue.withLock { $0.dropped } }

    /// Appends access log lines, and leaves a quarter of the queue free for other lines.
    func writeAccessLines(_ lines: Span<UInt8>) {
        self.write(lines, keeping: self.capacity / 4)
    }

    /// Appends whole lines, each including its line feed.
    ///
    /// `reserve` is the number of bytes to leave free.
    package func write(_ lines: Span<UInt8>, keeping reserve: Int = 0) {
        let action = self.queue.withLock { queue in
            queue.append(lines, keeping: reserve)
        }
        if action == .wake { self.work.signal() }
    }

    /// Waits for up to `time` until all lines have been written or dropped.
    ///
    /// - Returns: Whether all lines were written or dropped in time.
    @discardableResult
    package func flush(atMost time: TimeAmount) -> Bool {
        let idle = DispatchSemaphore(value: 0)
        self.whenIdle.withLock { $0.append(idle) }
        // The thread, whether idle or running, checks the queue again and signals once the queue is empty.
        self.work.signal()
        return idle.wait(timeout: .now() + .nanoseconds(Int(time.nanoseconds))) == .success
    }

    /// Writes the queued lines, and ends the thread.
    package func stop() async {
        self.isEnding.store(true, ordering: .relaxed)
        self.work.signal()
        try? await self.thread.shutdownGracefully()
    }

    private func writeUntilEnd() {
        Self.blockBrokenPipe()
        var output = LogOutput(descriptor: self.descriptor)
        var batch = ByteBufferAllocator().buffer(capacity: self.capacity)
        while true {
            // All lines from the callers that are waiting at this point are already in the queue.
            let waiting = self.whenIdle.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            while case .write(let dropped) = self.queue.withLock({ $0.take(into: &batch) }) {
                if dropped > 0 { batch.writeBytes(self.notice(dropped)) }
                let lost = output.write(batch.readableBytesUInt8Span)
                guard lost > 0 else { continue }
                // The notice was the last line, so it is one of the lost lines.
                let lines = dropped > 0 ? lost - 1 : lost
                self.queue.withLock { $0.refused(lines, unreported: dropped) }
            }
            for idle in waiting { idle.signal() }
            if self.isEnding.load(ordering: .relaxed) { return }
            self.work.wait()
        }
    }

    /// Makes writes to a closed pipe return an error instead of raising a signal that terminates the process.
    private static func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
