/// A response of unlimited length, delivered chunk by chunk.
///
/// Back pressure slows down a source that sends faster than the chunks are consumed. The sequence
/// supports a single iteration: all iterators share the remaining chunks.
package struct FetchStream: AsyncSequence, Sendable {
    package let head: ResponseHead
    private let buffer: StreamBuffer
    private let lease: StreamLease

    init(head: ResponseHead, buffer: StreamBuffer, lease: StreamLease) {
        self.head = head
        self.buffer = buffer
        self.lease = lease
    }

    /// Returns the start of the body, which contains the error message if the source sent an error.
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

        /// Returns the next bytes, never an empty array; `nil` once the source has ended its
        /// response.
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
