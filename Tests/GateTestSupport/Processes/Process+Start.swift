package import Foundation
import Glibc
import Synchronization

extension Process {
    private static let turn = Mutex(())

    /// Runs the process with no signals blocked, and without the descriptors of another process that starts at the same
    /// time.
    ///
    /// A process inherits the signal mask of the thread that starts it. Dispatch threads, and the threads that they
    /// start, block every signal, so SIGTERM would never arrive.
    ///
    /// Foundation detects the end of a process by a socket whose other end the process holds. A process that starts at
    /// the same time could also inherit that end, and the first process would then count as running until the second
    /// one ends.
    package func start() throws {
        try Self.turn.withLock { _ in
            var (none, previous) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &previous)
            defer { unsafe _ = pthread_sigmask(SIG_SETMASK, &previous, nil) }
            try self.run()
        }
    }

    /// Creates a pipe that no process inherits, except the one that it is meant for.
    ///
    /// Foundation closes the descriptors that exist when it starts a process. A pipe that is created between that and
    /// the start would be inherited, and would not end before that process.
    package static func makePipe() -> Pipe {
        self.turn.withLock { _ in Pipe() }
    }
}
