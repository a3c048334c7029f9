private import Glibc
private import Synchronization

/// Long work for whoever asks, one piece at a time, beside the thread that reloads.
///
/// The thread of reloads must not wait for it, and an event loop even less.
package final class AsideThread: Sendable {
    private let isBusy = Mutex(false)

    package init() {}

    /// The result of the work; `nil` if there is other work under way, or no thread to be had.
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
                // Of the thread alone, as Linux understands it.
                _ = nice(BackgroundThread.niceness)
                let value = work()
                // Whoever has the answer may ask the next thing.
                self.isBusy.withLock { $0 = false }
                continuation.resume(returning: value)
            }
            guard !hasBegun else { return }
            self.isBusy.withLock { $0 = false }
            continuation.resume(returning: nil)
        }
    }
}
