import GateWire
import NIOCore

/// A WebSocket over HTTP/2 (RFC 8441), which the backend is spoken to about in HTTP/1.1.
extension HTTP2Stream {
    /// The key of a WebSocket that the backend has not taken yet; `nil`: the request is for none.
    var webSocketKey: WebSocketKey? {
        if case .offered(let key, _) = self.request { return key }
        return nil
    }

    /// Whether the backend has read the key (RFC 6455 4.1).
    func isAccepted(by head: ResponseHead, in bytes: Span<UInt8>) -> Bool {
        guard let key = self.webSocketKey else { return false }
        var isAccepted = false
        for line in head.fields.lines
        where bytes.matches("sec-websocket-accept", from: line.start, to: line.nameEnd) {
            // A second one would leave open which of them counts.
            guard !isAccepted, bytes.text(from: line.valueStart, to: line.valueEnd) == key.accept
            else { return false }
            isAccepted = true
        }
        return isAccepted
    }

    /// Passes what the client has sent before the backend took the WebSocket.
    func beginTunnel() {
        guard !self.isOver, case .offered(_, let hasEnded) = self.request else { return }
        self.request = .tunnel(hasEnded: false)
        let held = self.heldBody
        self.heldBody = ByteBuffer()
        self.receiveTunnel(held, endsStream: hasEnded)
    }

    /// Takes bytes of the client; its end is that of its direction alone.
    func receiveTunnel(_ data: ByteBuffer, endsStream: Bool) {
        guard case .tunnel = self.request else {
            self.heldBody.writeImmutableBuffer(data)
            if endsStream, let key = self.webSocketKey {
                self.request = .offered(key, hasEnded: true)
            }
            return
        }
        if endsStream { self.request = .tunnel(hasEnded: true) }
        if data.readableBytes > 0 { self.client.received(data) }
        if endsStream, !self.isOver { self.client.clientEnded() }
    }

    /// The client gives the stream up.
    func wasReset() {
        // The backend is not to take it for an end in order (RFC 8441 5).
        if case .tunnel = self.request { self.client.upstream?.prepareReset() }
        self.end()
    }
}
