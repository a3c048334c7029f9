import CLinux
import Glibc
import NIOCore

/// A direct path to the socket of a channel.
///
/// This is the only code that uses an unsupported NIO API. `GateSettings.bypassesChannels` disables
/// it; all I/O then goes through NIO. Decision 8 describes the savings.
final class SocketBypass {
    /// The socket, which reports an error once it is closed.
    ///
    /// NIO recommends looking it up for each use, but this would cost more than the bypass saves.
    private let socket: any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
    private let core: any ChannelCore

    /// Creates a bypass; `nil` if the channel has no socket.
    init?(_ channel: any Channel) {
        let core = channel._channelCore
        guard let socket = core as? any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
        else { return nil }
        self.core = core
        self.socket = socket
    }

    /// Reads without NIO's detour through the pipeline.
    func readNext() {
        self.core.read0()
    }

    /// Sends as many bytes as the kernel accepts at once.
    ///
    /// NIO handles errors when it sends the rest, except for a reset: the kernel reports it only
    /// once, and a later read returns the end of input.
    ///
    /// - Parameter buffer: The bytes to send; the rest remains.
    /// - Returns: Whether the peer has reset the connection.
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

    /// Reports a closed connection as an error, not as a signal.
    private static let flags = CInt(MSG_NOSIGNAL)
}

@available(*, unavailable)
extension SocketBypass: Sendable {}
