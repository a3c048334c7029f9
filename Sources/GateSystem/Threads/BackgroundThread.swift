import Dispatch
import Glibc
import Synchronization

/// A thread that does long work, one piece after the other, and gives way to others.
///
/// On a machine with one core, the work and an event loop compete for it. Of equal rank, each would
/// get half of it, and requests would queue up. It ends some time after the last of it. There are
/// two and no more, because every thread that works at the same time as another has memory of
/// its own to allocate from, and keeps it.
package final class BackgroundThread: Sendable {
    /// Rules are read, compiled and compared on it, and nothing that an undo would have to wait for.
    package static let reloads = BackgroundThread()
    /// The census and the audit are read and written on it, which may take seconds.
    package static let records = BackgroundThread()

    /// Enough for the event loops to come first, and little enough for the work to come to its end
    /// on a core that is never idle: a quarter of the core is left to it then.
    static let niceness: CInt = 5

    /// Seconds that it waits for more: feeds may change their minds many times in one.
    private static let patience = 10

    private struct State {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    /// Tells the thread that there may be more.
    private let arrivals = DispatchSemaphore(value: 0)

    /// The result of the work.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            self.add { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    /// Work that begins in its turn, whenever its result is wanted.
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

    /// Lets go of a value that takes long to take apart.
    package func release(_ value: some Sendable) {
        // The caller has a reference of its own until this returns, and the last one frees the value.
        self.add { withExtendedLifetime(value) { _ = usleep(Self.handover) } }
    }

    /// Microseconds in which a caller has certainly let go of what it gave away.
    private static let handover: UInt32 = 20_000

    /// Work of which nobody waits for the result.
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
            // Of the thread alone, as Linux understands it.
            _ = nice(Self.niceness)
            self.workOff(patience: Self.patience)
        }
        // Better here than never.
        if !hasBegun { self.workOff(patience: 0) }
    }

    private func workOff(patience: Int) {
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
