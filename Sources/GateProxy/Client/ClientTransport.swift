import NIOCore
internal import NIOSSL

/// The transport of a `ClientConnection`.
typealias ClientTransport = Transport<HTTP2Stream>

extension HTTP2Stream: TransportStream {}

extension Transport where Stream == HTTP2Stream {
    /// Reads more bytes from the client.
    func read() {
        switch self {
        case .channel(let output): output.context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    /// Closes the write side.
    func closeOutput() {
        switch self {
        case .channel(let output): output.end()
        case .stream(let stream): stream.endContent()
        case .none: break
        }
    }

    /// Ends the response content on a stream.
    ///
    /// Over HTTP/1.1, this method does nothing, because the framing marks the end of the content.
    func endContent() {
        if case .stream(let stream) = self { stream.endContent() }
    }

    /// Makes the next close a reset.
    func prepareReset() {
        // A stream that is closed before its end is reset in any case.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLServerHandler.self)
    }
}
