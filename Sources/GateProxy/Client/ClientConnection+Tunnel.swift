import GatePolicy
import GateWire
import NIOCore

/// Methods for tunnels.
extension ClientConnection {
    /// Closes a WebSocket before the gate exits.
    ///
    /// - Returns: Whether the connection is a WebSocket.
    func closeWebSocket() -> Bool {
        guard case .tunnel = self.exchange, let webSocket = self.request.revocable?.webSocket
        else { return false }
        if webSocket.revocation == nil {
            self.revoke(.shutdown)
            self.settle()
        }
        return true
    }

    /// Forwards bytes from the client to the backend.
    ///
    /// - Returns: `false`, because there is nothing more to read.
    func passTunnel() -> Bool {
        guard let upstream = self.upstream,
            let bytes = self.inbound.readSlice(length: self.inbound.readableBytes),
            bytes.readableBytes > 0
        else { return false }
        self.renewDeadline()
        self.request.revocable?.webSocket?.receiveFromClient(bytes.readableBytesUInt8Span)
        upstream.write(bytes)
        return false
    }

    func tunnelReceived(_ bytes: ByteBuffer) {
        self.renewDeadline()
        let count = self.request.revocable?.webSocket?
            .receiveFromBackend(bytes.readableBytesUInt8Span)
        guard let count, self.request.revocable?.webSocket?.revocation != nil else {
            return self.output.write(bytes)
        }
        if let slice = bytes.getSlice(at: bytes.readerIndex, length: count) {
            self.output.write(slice)
        }
        self.closeWebSocketBetweenFrames()
    }

    /// Closes a revoked WebSocket if the last frame from the backend is complete.
    func closeWebSocketBetweenFrames() {
        guard let webSocket = self.request.revocable?.webSocket, let frame = webSocket.closeFrame
        else { return }
        self.output.write(ByteBuffer(bytes: frame))
        if webSocket.mayCloseBackend { self.closeBackendWebSocket() }
        self.request.revocable = nil
        self.dropUpstream()
        self.exchange.linger(limits: self.loop.settings.discardLimits)
        self.linger()
    }

    /// Sends the backend a close frame with status 1001 (going away), regardless of the actual reason.
    private func closeBackendWebSocket() {
        let key = UInt32.random(in: 0...UInt32.max)
        let frame = WebSocketFrames.close(1001, "going away", maskedBy: key)
        self.upstream?.write(ByteBuffer(bytes: frame))
        self.upstream?.flush()
    }
}
