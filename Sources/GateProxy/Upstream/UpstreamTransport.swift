import GateWire
import NIOCore
internal import NIOSSL

/// The transport of an `UpstreamConnection`.
typealias UpstreamTransport = Transport<UpstreamHTTP2Stream>

extension UpstreamHTTP2Stream: TransportStream {}

extension Transport where Stream == UpstreamHTTP2Stream {
    @inline(__always)
    var isActive: Bool {
        switch self {
        case .channel(let output): output.context.channel.isActive
        case .stream(let stream): stream.isOpen
        case .none: false
        }
    }

    /// Whether a write failed because of a connection reset.
    var wasReset: Bool {
        if case .channel(let output) = self { output.wasReset } else { false }
    }

    /// Whether some output is still pending in the gate.
    var hasUnsent: Bool {
        switch self {
        case .channel(let output): !output.isEmpty
        case .stream(let stream): stream.output.hasMore
        case .none: false
        }
    }

    /// The number of written bytes that the backend has not received.
    var untaken: Int {
        switch self {
        case .channel(let output): output.untaken
        case .stream(let stream): stream.output.count
        case .none: 0
        }
    }

    /// Turns the following close into a connection reset.
    func prepareReset() {
        // Streams are reset in any case.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLClientHandler.self)
    }

    func endWriting() {
        switch self {
        case .channel(let output): output.end()
        // Only tunnels are half-closed, and HTTP/2 backends have none.
        case .stream, .none: break
        }
    }
}
