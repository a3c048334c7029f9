import NIOCore
internal import NIOSSL

/// The carrier of a `ClientConnection`'s bytes.
typealias ClientTransport = Transport<HTTP2Stream>

extension HTTP2Stream: TransportStream {}

extension Transport where Stream == HTTP2Stream {
    /// Takes more from the client.
    func read() {
        switch self {
        case .channel(let output): output.context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    func closeOutput() {
        switch self {
        case .channel(let output): output.end()
        case .stream(let stream): stream.endContent()
        case .none: break
        }
    }

    /// Ends the content of an answer where that has an end of its own.
    func endContent() {
        if case .stream(let stream) = self { stream.endContent() }
    }

    /// Makes the close that follows look like none in order.
    func prepareReset() {
        // The close of a stream before its end always is a reset.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLServerHandler.self)
    }
}
