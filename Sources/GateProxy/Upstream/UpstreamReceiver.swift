import GateWire
import NIOCore

/// The exchange that a connection to the backend serves: the connection tells what it reads, and what that means is
/// decided there.
///
/// A piece of a response may be followed by another one that was read with it: `settle()` is called behind the last of
/// them. All other events end in it by themselves.
protocol UpstreamReceiver: AnyObject {
    /// Whether it takes more.
    var isWritable: Bool { get }
    /// Whether it has a place for trailers behind content whose length was announced.
    var takesTrailersBehindLength: Bool { get }

    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>)
    /// Takes what is there of a body as HTTP/1.1 frames it.
    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress
    /// Takes content of a response of HTTP/2, whose frames tell the end; `isLast`: this is it.
    func responseContent(_ content: ByteBuffer, isLast: Bool)
    /// The content of a response of HTTP/2 is whole, with these fields behind it.
    func responseTrailers(_ trailers: HeaderList)
    /// `upstreamKeepsAlive`: whether the end is one of the response alone, and not of the connection.
    func responseEnded(upstreamKeepsAlive: Bool)
    func tunnelReceived(_ bytes: ByteBuffer)
    /// The connection takes more again.
    func upstreamBecameWritable()
    /// The connection ended before the response did; `wasReset`: not in order.
    func upstreamEnded(wasReset: Bool)
    /// The backend has not looked at the request.
    func upstreamRefused()
    /// The backend sent something that is no HTTP response.
    func upstreamFailed(_ fault: MessageFault)
    /// No acceptable answer will come, and the backend has seen the request.
    func upstreamGaveUp()
    /// Does what has become possible since it was called last.
    func settle()

    /// Lets what it writes wait for the rest that is read with it.
    ///
    /// - Returns: the output to release behind that; `nil`: nothing waits.
    func holdOutput() -> (any HeldOutput)?
}

/// An output that waits for the rest of what is written.
protocol HeldOutput: AnyObject {
    /// `isEndOfAnswer`: whether an answer is whole with it.
    func release(isEndOfAnswer: Bool)
}
