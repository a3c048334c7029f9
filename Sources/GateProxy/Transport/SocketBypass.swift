import CLinux
import Glibc
import NIOCore

/// The way past a channel, straight to its socket.
///
/// The one place that uses what NIO calls unsupported; `GateSettings.bypassesChannels` turns it off, and
/// without it everything takes NIO's way. Decision 8 has what it saves.
final class SocketBypass {
    /// The socket, which still says so when it is closed.
    ///
    /// Kept, because to ask for it each time, as NIO recommends, costs more than is saved.
    private let socket: any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
    private let core: any ChannelCore

    /// `nil`: the channel has no socket.
    init?(_ channel: any Channel) {
        let core = channel._channelCore
        guard let socket = core as? any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
        else { return nil }
        self.core = core
        self.socket = socket
    }

    /// Reads on before NIO does, which takes its way through the pipeline.
    func readNext() {
        self.core.read0()
    }

    /// Sends what the kernel takes at once.
    ///
    /// An error is left for NIO to meet in sending the rest, but for a reset: the kernel tells it once, and whoever
    /// reads then meets an end.
    ///
    /// - Parameter buffer: what is to be sent, and then its rest.
    /// - Returns: whether the peer has reset the connection.
    func send(_ buffer: inout ByteBuffer) -> Bool {
        var wasReset = false
        let count = try? self.socket.withUnsafeTransport { descriptor in
            let count = unsafe buffer.withUnsafeReadableBytes { bytes in
                unsafe send_without_cancellation(
                    descriptor,
                    bytes.baseAddress,
                    bytes.count,
                    Self.flags
                )
            }
            wasReset = count < 0 && errno == ECONNRESET
            return count
        }
        if let count, count > 0 { buffer.moveReaderIndex(forwardBy: count) }
        return wasReset
    }

    /// A closed peer is an error, and no signal.
    private static let flags = CInt(MSG_NOSIGNAL)
}

@available(*, unavailable)
extension SocketBypass: Sendable {}
