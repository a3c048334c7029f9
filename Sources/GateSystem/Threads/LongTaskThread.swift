private import Glibc
private import Synchronization

/// Runs long tasks on request, one at a time, on a dedicated thread.
///
/// Such tasks must block neither the reload thread nor an event loop.
package final class LongTaskThread: Sendable {
    private let isBusy = Mutex(false)

    package init() {}

    /// Returns the result of the work; `nil` if other work is running, or no thread is available.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        let isFree = self.isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { return nil }
        return await withCheckedContinuation { continuation in
            let hasBegun = DetachedThread.start("gate-aside") {
                // On Linux, `nice` only affects the calling thread.
                _ = nice(BackgroundThread.niceness)
                let value = work()
                // Cleared before the caller resumes, because it may submit more work at once.
                self.isBusy.withLock { $0 = false }
                continuation.resume(returning: value)
            }
            guard !hasBegun else { return }
            self.isBusy.withLock { $0 = false }
            continuation.resume(returning: nil)
        }
    }
}
