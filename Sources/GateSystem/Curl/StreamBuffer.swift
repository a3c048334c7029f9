private import Synchronization

/// Buffers the chunks of a stream until they are consumed; a full buffer pauses the transfer.
final class StreamBuffer: TransferSink {
    /// The result of one read: bytes, `nil` at the end of the stream, or the failure.
    typealias Piece = Result<[UInt8]?, FetchFailure>

    /// The number of buffered bytes at which the transfer pauses.
    static let capacity = 64 << 10

    private enum End {
        case open
        case whole
        case failed(FetchFailure)
    }

    private struct State {
        var head: ResponseHead?
        var bytes: [UInt8] = []
        var end = End.open
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
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success(head))
    }

    func receive(_ bytes: [UInt8]) throws(FetchFailure) {
        let waiter = self.state.withLock { state in
            if state.waiter == nil { state.bytes += bytes }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .success(bytes))
    }

    func finish(_ failure: FetchFailure?) {
        let (headWaiter, waiter) = self.state.withLock { state in
            state.end = failure.map { .failed($0) } ?? .whole
            defer { (state.headWaiter, state.waiter) = (nil, nil) }
            return (state.headWaiter, state.waiter)
        }
        headWaiter?.resume(returning: .failure(failure ?? .noResponse))
        waiter?.resume(returning: failure.map { .failure($0) } ?? .success(nil))
    }

    /// Waits for the response head; at most one caller may wait.
    func head() async -> Result<ResponseHead, FetchFailure> {
        await withCheckedContinuation { waiter in
            let result: Result<ResponseHead, FetchFailure>? = self.state.withLock { state in
                if let head = state.head { return .success(head) }
                switch state.end {
                case .open:
                    state.headWaiter = waiter
                    return nil
                case .whole: return .failure(.noResponse)
                case .failed(let failure): return .failure(failure)
                }
            }
            if let result { waiter.resume(returning: result) }
        }
    }

    /// Waits for the next bytes; at most one caller may wait.
    ///
    /// `onRoom`: Called if the transfer is paused and can be resumed.
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
            switch state.end {
            case .open:
                state.waiter = waiter
                return (nil, false)
            case .whole: return (.success(nil), false)
            case .failed(let failure): return (.failure(failure), false)
            }
        }
    }
}
