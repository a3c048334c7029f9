import GateWire
import NIOCore
internal import NIOSSL

/// The carrier of an `UpstreamConnection`'s bytes.
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

    /// Whether a reset was met in writing.
    var wasReset: Bool {
        if case .channel(let output) = self { output.wasReset } else { false }
    }

    /// Whether some of what was written has not left the gate.
    var hasUnsent: Bool {
        switch self {
        case .channel(let output): !output.isEmpty
        case .stream(let stream): stream.output.hasMore
        case .none: false
        }
    }

    /// Bytes that were written and that the backend has not taken.
    var untaken: Int {
        switch self {
        case .channel(let output): output.untaken
        case .stream(let stream): stream.output.count
        case .none: 0
        }
    }

    /// Makes the close that follows look like none in order.
    func prepareReset() {
        // Streams are reset anyway.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLClientHandler.self)
    }

    func endWriting() {
        switch self {
        case .channel(let output): output.end()
        // Only tunnels end so, and HTTP/2 has none.
        case .stream, .none: break
        }
    }
}
