package import Foundation
import Glibc
import Synchronization

extension Process {
    private static let turn = Mutex(())

    /// Runs the process with no signal blocked, and with no descriptor of another process that is
    /// started in the same moment.
    ///
    /// A process inherits the signal mask of the thread that starts it, and the threads of
    /// Dispatch, like those that they start, block every signal: SIGTERM would never arrive.
    ///
    /// That a process has ended Foundation learns from a socket whose other end the process has. One
    /// that was started beside it could get that end as well: the first would then count as running
    /// for as long as the second does.
    package func start() throws {
        try Self.turn.withLock { _ in
            var (none, previous) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &previous)
            defer { unsafe _ = pthread_sigmask(SIG_SETMASK, &previous, nil) }
            try self.run()
        }
    }
}
