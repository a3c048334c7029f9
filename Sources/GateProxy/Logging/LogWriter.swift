private import Dispatch
private import Glibc
package import NIOCore
private import NIOPosix
private import Synchronization

/// The log of the process: lines wait in a bounded queue for the one thread that writes them.
///
/// Handing lines over never waits for whoever reads the log. Lines that do not fit are dropped and
/// counted, and a line says how many as soon as there is room again.
package final class LogWriter: Sendable {
    /// Bytes that wait at most; as many again are on their way to the descriptor.
    package static let capacity = 1 << 20

    private let queue: Mutex<LogQueue>
    private let capacity: Int
    private let descriptor: CInt
    private let notice: @Sendable (_ dropped: UInt64) -> [UInt8]
    private let work = DispatchSemaphore(value: 0)
    private let whenIdle = Mutex<[DispatchSemaphore]>([])
    private let isEnding = Atomic(false)
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// - Parameters:
    ///   - descriptor: Where the log goes; it may block.
    ///   - capacity: Bytes that may wait.
    ///   - notice: Words the line, with its line feed, which says how many were dropped.
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

    /// Begins to write, on a thread of its own.
    package func start() {
        self.thread.start()
        self.thread.submit { state in
            guard state == .active else { return }
            self.writeUntilEnd()
        }
    }

    /// Lines that were dropped so far.
    package var droppedLines: UInt64 { self.queue.withLock { $0.dropped } }

    /// Takes whole lines, each with its line feed.
    package func write(_ lines: Span<UInt8>) {
        self.write(lines, keeping: 0)
    }

    /// Takes lines of the access log, of which there may be many: they leave room for the others.
    func writeAccessLines(_ lines: Span<UInt8>) {
        self.write(lines, keeping: self.capacity / 4)
    }

    private func write(_ lines: Span<UInt8>, keeping reserve: Int) {
        let action = self.queue.withLock { queue in
            queue.append(lines, keeping: reserve)
        }
        if action == .wake { self.work.signal() }
    }

    /// Waits until everything is written, or lost because the log took no more, but never for longer
    /// than this.
    ///
    /// - Returns: Whether it is.
    @discardableResult
    package func flush(atMost time: TimeAmount) -> Bool {
        let idle = DispatchSemaphore(value: 0)
        self.whenIdle.withLock { $0.append(idle) }
        // Awake or not, the thread looks at the queue once more, and tells when it is empty.
        self.work.signal()
        return idle.wait(timeout: .now() + .nanoseconds(Int(time.nanoseconds))) == .success
    }

    /// Ends the thread once it has written what waits.
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
            // Those who wait by now have nothing to write that the queue does not hold.
            let waiting = self.whenIdle.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            while case .write(let dropped) = self.queue.withLock({ $0.take(into: &batch) }) {
                if dropped > 0 { batch.writeBytes(self.notice(dropped)) }
                let lost = output.write(batch.readableBytesUInt8Span)
                guard lost > 0 else { continue }
                // The notice stood last, so that it is among them.
                let lines = dropped > 0 ? lost - 1 : lost
                self.queue.withLock { $0.refused(lines, untold: dropped) }
            }
            for idle in waiting { idle.signal() }
            if self.isEnding.load(ordering: .relaxed) { return }
            self.work.wait()
        }
    }

    /// A reader that is gone is an error of `write`, and must not end the process.
    private static func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
