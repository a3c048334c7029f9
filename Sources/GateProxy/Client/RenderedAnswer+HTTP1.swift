import GateWire
import NIOCore

/// Responses of the gate over HTTP/1.1.
extension RenderedAnswer {
    /// Writes the head with the fields that differ between requests.
    ///
    /// - Parameters:
    ///   - date: The `Date` field line.
    ///   - origin: The origin of a web app that must be able to read the response.
    ///   - connection: The announcement of what happens to the connection.
    ///   - sendsUpgrade: Whether the response names a protocol to upgrade to.
    ///   - buffer: The buffer to append to.
    func writeHead(
        date: [UInt8],
        origin: String?,
        connection: ResponseHeadWriter.Connection,
        sendsUpgrade: Bool,
        into buffer: inout ByteBuffer
    ) {
        buffer.writeBytes(self.head)
        buffer.writeBytes(date)
        if let origin { buffer.writeBytes(Self.crossOriginLines(origin)) }
        switch connection {
        case .keep, .upgrade: break
        case .keepExplicitly: buffer.writeStaticString("Connection: keep-alive\r\n")
        case .close: buffer.writeStaticString("Connection: close\r\n")
        }
        // The protocol that is in use already, so that clients that read the field change nothing.
        if sendsUpgrade {
            buffer.writeStaticString("Upgrade: HTTP/1.1\r\nConnection: upgrade\r\n")
        }
        buffer.writeStaticString("\r\n")
    }
}
