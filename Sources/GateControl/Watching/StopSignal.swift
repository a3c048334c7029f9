private import Glibc
private import Synchronization

/// Ends a thread that waits in `poll`.
final class StopSignal: Sendable {
    /// What the thread polls; negative if the system has no descriptor to spare, and then the
    /// thread sees the signal at its next turn.
    let descriptor: Int32
    private let writer: Int32
    private let sent = Atomic<Bool>(false)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.descriptor = ends[0]
        self.writer = ends[1]
    }

    deinit {
        for end in [self.descriptor, self.writer] where end >= 0 { close(end) }
    }

    var isSent: Bool { self.sent.load(ordering: .acquiring) }

    func send() {
        self.sent.store(true, ordering: .releasing)
        // Without a pipe this fails, and needs to do nothing.
        _ = unsafe write(self.writer, [1], 1)
    }
}
