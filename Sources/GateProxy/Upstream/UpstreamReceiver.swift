import GateWire
import NIOCore

/// The exchange that a backend connection serves, which receives the events of the connection.
///
/// Several parts of a response can arrive in one read, so `settle()` is called once, after the last
/// of them. The handlers of all other events call it themselves.
protocol UpstreamReceiver: AnyObject {
    /// Whether the receiver accepts more data.
    var isWritable: Bool { get }
    /// Whether trailers after content with an announced length can be forwarded.
    var takesTrailersBehindLength: Bool { get }

    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>)
    /// Consumes available body bytes, with HTTP/1.1 framing.
    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress
    /// Handles content of an HTTP/2 response; `isLast` tells whether the response is complete.
    func responseContent(_ content: ByteBuffer, isLast: Bool)
    /// Handles the trailers of an HTTP/2 response, whose content is complete.
    func responseTrailers(_ trailers: HeaderList)
    /// Ends the response; `upstreamKeepsAlive` tells whether the connection stays open.
    func responseEnded(upstreamKeepsAlive: Bool)
    func tunnelReceived(_ bytes: ByteBuffer)
    /// Handles a connection that is writable again.
    func upstreamBecameWritable()
    /// Handles a connection that ended before the response was complete; `wasReset` tells whether
    /// it was reset.
    func upstreamEnded(wasReset: Bool)
    /// Handles a request that the backend has not processed.
    func upstreamRefused()
    /// Handles an invalid response from the backend.
    func upstreamFailed(_ fault: MessageFault)
    /// Handles a request that will get no valid response, although the backend may have processed
    /// it.
    func upstreamGaveUp()
    /// Takes the actions that have become possible since the last call.
    func settle()

    /// Holds back the output until the rest of the available input has been handled.
    ///
    /// - Returns: The output to release afterwards; `nil` if nothing is held back.
    func holdOutput() -> (any HeldOutput)?
}

/// An output that is held back.
protocol HeldOutput: AnyObject {
    /// Releases the output; `isEndOfAnswer` tells whether it completes a response.
    func release(isEndOfAnswer: Bool)
}
