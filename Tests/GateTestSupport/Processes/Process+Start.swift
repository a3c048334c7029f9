import Foundation
import Glibc

extension Process {
    /// Runs the process with no signal blocked.
    ///
    /// A process inherits the signal mask of the thread that starts it, and the threads of
    /// Dispatch, like those that they start, block every signal: SIGTERM would never arrive.
    func start() throws {
        var (none, previous) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { unsafe _ = pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try self.run()
    }
}
