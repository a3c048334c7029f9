import GateWire
import NIOCore

/// The exchange that a backend connection serves; it receives the connection's events.
///
/// Several parts of a response can arrive in one read, so the connection calls `settle()` once
/// after the last part. For all other events, the receiver calls `settle()` itself.
protocol UpstreamReceiver: AnyObject {
    /// Whether the receiver accepts more data.
    var isWritable: Bool { get }
    /// Whether a trailer section after content with a `Content-Length` can be forwarded.
    var takesTrailersBehindLength: Bool { get }

    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>)
    /// Consumes available bytes of an HTTP/1.1 response body.
    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress
    /// Handles content of an HTTP/2 response; `isLast` indicates whether it completes the response.
    func responseContent(_ content: ByteBuffer, isLast: Bool)
    /// Handles the trailer section of an HTTP/2 response, which completes the response.
    func responseTrailers(_ trailers: HeaderList)
    /// Ends the response; `upstreamKeepsAlive` indicates whether the connection stays open.
    func responseEnded(upstreamKeepsAlive: Bool)
    func tunnelReceived(_ bytes: ByteBuffer)
    /// Called when the connection is writable again.
    func upstreamBecameWritable()
    /// Called when the connection has ended before the response was complete; `wasReset` indicates
    /// whether it was reset.
    func upstreamEnded(wasReset: Bool)
    /// Called when the backend has not processed the request.
    func upstreamRefused()
    /// Called when the response from the backend is invalid.
    func upstreamFailed(_ fault: MessageFault)
    /// Called when there will be no valid response, although the backend may have processed the request.
    func upstreamGaveUp()
    /// Performs the actions that have become possible since the last call.
    func settle()

    /// Delays further output until the rest of the available input has been handled.
    ///
    /// - Returns: The output to release afterwards, or `nil` if nothing is delayed.
    func holdOutput() -> (any HeldOutput)?
}

/// Output that was delayed, and can be sent.
protocol HeldOutput: AnyObject {
    /// Sends the output; `isEndOfAnswer` indicates whether it completes a response.
    func release(isEndOfAnswer: Bool)
}
