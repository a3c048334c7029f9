/// An answer that need not end, piece by piece as it comes.
///
/// A source that sends faster than the pieces are taken has to wait. It is one iteration long:
/// iterators share what there is.
package struct FetchStream: AsyncSequence, Sendable {
    package let head: ResponseHead
    private let buffer: StreamBuffer
    private let lease: StreamLease

    init(head: ResponseHead, buffer: StreamBuffer, lease: StreamLease) {
        self.head = head
        self.buffer = buffer
        self.lease = lease
    }

    /// The body of an answer that is no stream, as far as it says why.
    package func beginning() async -> [UInt8] {
        let pieces = self.makeAsyncIterator()
        var body: [UInt8] = []
        while body.count < StreamBuffer.capacity, let piece = try? await pieces.next() {
            body += piece
        }
        return body
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(buffer: self.buffer, lease: self.lease)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: StreamBuffer
        fileprivate let lease: StreamLease

        /// The next bytes, never none; `nil` once the source has ended its answer.
        package func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(FetchFailure) -> [UInt8]? {
            let (buffer, lease) = (self.buffer, self.lease)
            return try await withTaskCancellationHandler {
                await buffer.next { lease.resume() }
            } onCancel: {
                lease.cancel()
            }.get()
        }

        package func next() async throws(FetchFailure) -> [UInt8]? {
            try await self.next(isolation: nil)
        }
    }
}
