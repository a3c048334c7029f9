private import Synchronization

/// Buffers the chunks of a stream until they are consumed; a full buffer pauses the transfer.
final class StreamBuffer: TransferSink {
    /// The result of one read: bytes, `nil` at the end of the stream, or the failure.
    typealias Piece = Result<[UInt8]?, FetchFailure>

    /// The number of buffered bytes at which the transfer pauses.
    static let capacity = 64 << 10

    private struct State {
        var head: ResponseHead?
        var bytes: [UInt8] = []
        /// The result of the transfer; `nil` until it ends.
        var end: Result<Void, FetchFailure>?
        var isFull = false
        var headWaiter: CheckedContinuation<Result<ResponseHead, FetchFailure>, Never>?
        var waiter: CheckedContinuation<Piece, Never>?
    }

    private let state = Mutex(State())

    var hasRoom: Bool {
        self.state.withLock { state in
            state.isFull = state.bytes.count >= Self.capacity
            return !state.isFull
        }
    }

    func receive(_ head: ResponseHead) throws(FetchFailure) {
        let waiter = self.state.withLock { state in
            state.head = head
            return state.headWaiter.take()
        }
        waiter?.resume(returning: .success(head))
    }

    func receive(_ bytes: [UInt8]) throws(FetchFailure) {
        let waiter = self.state.withLock { state in
            if state.waiter == nil { state.bytes += bytes }
            return state.waiter.take()
        }
        waiter?.resume(returning: .success(bytes))
    }

    func finish(_ end: Result<Void, FetchFailure>) {
        let (headWaiter, waiter) = self.state.withLock { state in
            state.end = end
            return (state.headWaiter.take(), state.waiter.take())
        }
        headWaiter?.resume(returning: end.flatMap { .failure(.noResponse) })
        waiter?.resume(returning: end.map { nil })
    }

    /// Waits for the response head; at most one caller may wait.
    func head() async -> Result<ResponseHead, FetchFailure> {
        await withCheckedContinuation { waiter in
            let result: Result<ResponseHead, FetchFailure>? = self.state.withLock { state in
                if let head = state.head { return .success(head) }
                if state.end == nil { state.headWaiter = waiter }
                return state.end?.flatMap { .failure(.noResponse) }
            }
            if let result { waiter.resume(returning: result) }
        }
    }

    /// Waits for the next bytes; at most one caller may wait.
    ///
    /// `onRoom` is called if the transfer is paused and can be resumed.
    func next(onRoom: () -> Void) async -> Piece {
        await withCheckedContinuation { waiter in
            let (piece, wasFull) = self.take(else: waiter)
            if wasFull { onRoom() }
            if let piece { waiter.resume(returning: piece) }
        }
    }

    private func take(else waiter: CheckedContinuation<Piece, Never>) -> (Piece?, wasFull: Bool) {
        self.state.withLock { state in
            guard state.bytes.isEmpty else {
                let (bytes, wasFull) = (state.bytes, state.isFull)
                (state.bytes, state.isFull) = ([], false)
                return (.success(bytes), wasFull)
            }
            if state.end == nil { state.waiter = waiter }
            return (state.end?.map { nil }, false)
        }
    }
}
