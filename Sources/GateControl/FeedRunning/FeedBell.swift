internal import Synchronization

/// Wakes whoever rests until a feed is due; however often it is rung meanwhile, it rings once.
final class FeedBell: Sendable {
    private struct State {
        var hasRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let waiter = self.state.withLock { state in
            state.hasRung = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    var isAwaited: Bool { self.state.withLock { $0.waiter != nil } }

    /// Forgets that it has rung.
    func silence() {
        self.state.withLock { $0.hasRung = false }
    }

    /// Waits until it rings or the other thing comes to its end; one at a time may wait.
    ///
    /// `isOver`: is cancelled when it rings.
    /// - Returns: Whether it has rung since it was silenced or waited for last.
    func rings(before isOver: @escaping @Sendable () async -> Void) async -> Bool {
        await withTaskGroup { group in
            group.addTask { await self.waitUntilRung() }
            group.addTask { await isOver() }
            await group.next()
            group.cancelAll()
        }
        return self.state.withLock { state in
            defer { state.hasRung = false }
            return state.hasRung
        }
    }

    private func waitUntilRung() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard !state.hasRung, !Task.isCancelled else { return false }
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
