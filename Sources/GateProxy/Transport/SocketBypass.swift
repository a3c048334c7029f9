import CLinux
import Glibc
import NIOCore

/// A direct path to the socket of a channel.
///
/// This is the only code that uses an unsupported NIO API. If `GateSettings.bypassesChannels` is
/// `false`, all I/O goes through NIO. See decision 8 (docs/decisions) for the savings.
final class SocketBypass {
    /// The socket, whose functions throw an error once it is closed.
    ///
    /// NIO recommends looking up the socket for each use, but this would cost more than the bypass saves.
    private let socket: any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
    private let core: any ChannelCore

    /// Creates a bypass, or returns `nil` if the channel has no socket.
    init?(_ channel: any Channel) {
        let core = channel._channelCore
        guard let socket = core as? any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
        else { return nil }
        self.core = core
        self.socket = socket
    }

    /// Starts a read without passing through the pipeline.
    func readNext() {
        self.core.read0()
    }

    /// Sends as many bytes as the kernel accepts at once.
    ///
    /// NIO detects errors when it sends the rest, except for a reset: the kernel reports a reset
    /// only once, and a later read returns the end of input.
    ///
    /// - Parameter buffer: The bytes to send. Those that were not sent remain in the buffer.
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

    /// Makes the kernel report a closed connection as an error, not with a signal.
    private static let flags = CInt(MSG_NOSIGNAL)
}

@available(*, unavailable)
extension SocketBypass: Sendable {}
