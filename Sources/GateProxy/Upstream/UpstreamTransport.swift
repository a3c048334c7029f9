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

    /// Whether a write failed because the peer has reset the connection.
    var wasReset: Bool {
        if case .channel(let output) = self { output.wasReset } else { false }
    }

    /// Whether any output is still pending in the gate.
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

    /// Makes the next close reset the connection.
    func prepareReset() {
        // Streams need no preparation, because closing always resets them.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLClientHandler.self)
    }

    func endWriting() {
        switch self {
        case .channel(let output): output.end()
        // Only tunnels are half-closed, and they never use a stream.
        case .stream, .none: break
        }
    }
}
