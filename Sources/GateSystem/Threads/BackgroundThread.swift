import Dispatch
import Glibc
import Synchronization

/// A thread with low priority that runs long tasks one after the other.
///
/// On a machine with one core, the tasks compete with an event loop for the core. With equal
/// priority, the tasks would get half of the CPU time, and requests would queue up. The thread ends
/// if it has no work for a while. Only two of these threads exist, because each concurrent thread
/// has its own allocator arena, whose memory is never returned to the system.
package final class BackgroundThread: Sendable {
    /// The thread for loading, compiling and comparing rules; an undo must not wait for other tasks.
    package static let reloads = BackgroundThread()
    /// The thread for reading and writing the census and the audit log, which can take seconds.
    package static let records = BackgroundThread()

    /// The nice value: event loops have priority, but even on a core that is never idle, the thread
    /// gets a quarter of the CPU time.
    static let niceness: CInt = 5

    /// The number of seconds to wait for more work before the thread ends; feeds may change their
    /// values many times in quick succession.
    private static let patience = 10

    private struct State {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    /// Signals new work to the thread.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Runs work on this thread and returns its result.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            self.add { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    /// Queues work and returns a task for its result.
    package func task<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Task<
        Value, Never
    > {
        let (values, continuation) = AsyncStream<Value>.makeStream()
        self.add {
            continuation.yield(work())
            continuation.finish()
        }
        return Task {
            for await value in values { return value }
            return work()
        }
    }

    /// Releases a value whose deallocation takes a long time.
    package func release(_ value: some Sendable) {
        // The caller holds its reference until this method returns. The thread must release its own
        // reference later, because the last release frees the value.
        self.add { withExtendedLifetime(value) { _ = usleep(Self.handover) } }
    }

    /// The delay in microseconds that gives the caller time to release its reference.
    private static let handover: UInt32 = 20_000

    /// Queues work without a result.
    package func add(_ work: @escaping @Sendable () -> Void) {
        let isRunning = self.state.withLock { state in
            state.work.append(work)
            defer { state.isRunning = true }
            return state.isRunning
        }
        if isRunning { self.arrivals.signal() } else { self.start() }
    }

    private func start() {
        let hasBegun = DetachedThread.start("gate-background") {
            // On Linux, `nice` only affects the calling thread.
            _ = nice(Self.niceness)
            self.runQueuedWork(patience: Self.patience)
        }
        // If no thread can be created, the work runs on the calling thread.
        if !hasBegun { self.runQueuedWork(patience: 0) }
    }

    private func runQueuedWork(patience: Int) {
        while true {
            while let work = self.next() { work() }
            if self.arrivals.wait(timeout: .now() + .seconds(patience)) == .success { continue }
            let isDone = self.state.withLock { state in
                state.isRunning = !state.work.isEmpty
                return !state.isRunning
            }
            if isDone { return }
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        self.state.withLock { $0.work.isEmpty ? nil : $0.work.removeFirst() }
    }
}

/// Runs long tasks on request, one at a time, on a dedicated thread.
///
/// Such tasks must block neither the reload thread nor an event loop.
package final class LongTaskThread: Sendable {
    private let isBusy = Atomic(false)

    package init() {}

    /// Returns the result of the work; `nil` if other work is running, or no thread is available.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        guard !self.isBusy.exchange(true, ordering: .acquiring) else { return nil }
        return await withCheckedContinuation { continuation in
            let hasBegun = DetachedThread.start("gate-aside") {
                // On Linux, `nice` only affects the calling thread.
                _ = nice(BackgroundThread.niceness)
                let value = work()
                // Cleared before the caller resumes, because the caller may submit more work
                // immediately.
                self.isBusy.store(false, ordering: .releasing)
                continuation.resume(returning: value)
            }
            guard !hasBegun else { return }
            self.isBusy.store(false, ordering: .releasing)
            continuation.resume(returning: nil)
        }
    }
}
