internal import Synchronization

/// Wakes a runner that waits until its feed is due; repeated wake-ups have the effect of one.
package final class FeedWakeup: Sendable {
    private struct State {
        var wasCalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    func wake() {
        let waiter = self.state.withLock { state in
            state.wasCalled = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    var isAwaited: Bool { self.state.withLock { $0.waiter != nil } }

    /// Clears a pending wake-up.
    package func forget() {
        self.state.withLock { $0.wasCalled = false }
    }

    /// Waits until `wake()` is called or `isOver` returns; at most one caller can wait.
    ///
    /// `isOver` returns when the wait is over, and is canceled by a wake-up.
    ///
    /// - Returns: Whether `wake()` was called since the last wait or `forget()`.
    package func wakes(before isOver: @escaping @Sendable () async -> Void) async -> Bool {
        await withTaskGroup { group in
            group.addTask { await self.waitForCall() }
            group.addTask { await isOver() }
            await group.next()
            group.cancelAll()
        }
        return self.state.withLock { state in
            defer { state.wasCalled = false }
            return state.wasCalled
        }
    }

    private func waitForCall() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard !state.wasCalled, !Task.isCancelled else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.waiter.take() }
            waiter?.resume()
        }
    }
}
