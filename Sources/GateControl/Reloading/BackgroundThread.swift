import Dispatch
import Glibc
import Synchronization

/// A thread that does long work, one piece after the other, and gives way to others.
///
/// On a machine with one core, the work and an event loop compete for it. Of equal rank, each would
/// get half of it, and requests would queue up. It ends some time after the last of it. There is
/// never more than one, because every thread that works at the same time as another has memory of
/// its own to allocate from, and keeps it.
enum BackgroundThread {
    /// Enough for the event loops to come first, and little enough for the work to come to its end
    /// on a core that is never idle: a quarter of the core is left to it then.
    static let niceness: CInt = 5

    /// Seconds that it waits for more: feeds may change their minds many times in one.
    private static let patience = 10

    private struct State {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private static let state = Mutex(State())
    /// Tells the thread that there may be more.
    private static let arrivals = DispatchSemaphore(value: 0)

    /// The result of the work.
    static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            self.add { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    /// Lets go of a value that takes long to take apart.
    static func release(_ value: some Sendable) {
        // The caller has a reference of its own until this returns, and the last one frees the value.
        self.add { withExtendedLifetime(value) { _ = usleep(Self.handover) } }
    }

    /// Microseconds in which a caller has certainly let go of what it gave away.
    private static let handover: UInt32 = 20_000

    /// Work of which nobody waits for the result.
    static func add(_ work: @escaping @Sendable () -> Void) {
        let isRunning = self.state.withLock { state in
            state.work.append(work)
            defer { state.isRunning = true }
            return state.isRunning
        }
        if isRunning { self.arrivals.signal() } else { self.start() }
    }

    private static func start() {
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { _ in
                // Of the thread alone, as Linux understands it.
                _ = nice(BackgroundThread.niceness)
                BackgroundThread.workOff(patience: BackgroundThread.patience)
                return nil
            },
            nil
        )
        // Better here than never.
        guard code == 0 else { return self.workOff(patience: 0) }
        pthread_detach(thread)
    }

    private static func workOff(patience: Int) {
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

    private static func next() -> (@Sendable () -> Void)? {
        self.state.withLock { $0.work.isEmpty ? nil : $0.work.removeFirst() }
    }
}
