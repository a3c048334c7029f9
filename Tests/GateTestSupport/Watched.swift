import Dispatch
import Synchronization

/// State that several threads can change and wait for.
package final class Watched<State: Sendable>: Sendable {
    private struct Guarded {
        var state: State
        var waiters: [DispatchSemaphore] = []
    }

    private let guarded: Mutex<Guarded>

    package init(_ state: State) {
        self.guarded = Mutex(Guarded(state: state))
    }

    package var current: State { self.guarded.withLock { $0.state } }

    /// Changes the state and wakes all waiting threads.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, waiters) = self.guarded.withLock { guarded in
            let result = change(&guarded.state)
            let waiters = guarded.waiters
            guarded.waiters = []
            return (result, waiters)
        }
        for waiter in waiters {
            waiter.signal()
        }
        return result
    }

    /// Blocks until the closure returns a value for the state.
    @discardableResult
    package func wait<Result: Sendable>(
        for awaited: String,
        by deadline: Deadline = .usual,
        until find: (State) -> Result?
    ) throws -> Result {
        while true {
            let waiter = DispatchSemaphore(value: 0)
            let found = self.guarded.withLock { guarded in
                let found = find(guarded.state)
                if found == nil {
                    guarded.waiters.append(waiter)
                }
                return found
            }
            if let found {
                return found
            }
            let limit = DispatchTime.now() + .milliseconds(Int(deadline.milliseconds))
            if waiter.wait(timeout: limit) == .timedOut, deadline.hasPassed {
                throw HarnessError.timedOut(awaited)
            }
        }
    }

    /// Suspends until the closure returns a value for the state.
    @discardableResult
    package func reaches<Result: Sendable>(
        _ awaited: String,
        by deadline: Deadline = .usual,
        _ find: (State) -> Result?
    ) async throws -> Result {
        try await withTaskExecutorPreference(BlockingExecutor.shared) {
            try self.wait(for: awaited, by: deadline, until: find)
        }
    }
}
