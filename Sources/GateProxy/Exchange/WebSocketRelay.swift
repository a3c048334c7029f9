import GatePolicy

/// The frame state of a WebSocket in both directions, and the reason why the gate closes it, if it does.
struct WebSocketRelay {
    private var fromBackend = WebSocketFrames()
    private var fromClient = WebSocketFrames()
    /// The reason to close the WebSocket after the current backend frame; `nil` while it may stay open.
    private(set) var revocation: Revocation?

    /// The reason why the gate ends a response or a tunnel.
    enum Revocation: CaseIterable {
        /// The app has to be updated.
        case upgrade
        /// The client is denied temporarily.
        case brownout, maintenance
        /// The rules now route the client to another backend.
        case moved
        /// The gate is shutting down.
        case shutdown

        init(_ decision: Decision) {
            self =
                decision.kind == .maintenance
                ? .maintenance : decision.brownout == nil ? .upgrade : .brownout
        }
    }

    /// Closes the WebSocket as soon as the current frame from the backend is complete.
    mutating func revoke(_ revocation: Revocation) {
        self.revocation = revocation
    }

    /// Parses bytes from the client.
    mutating func receiveFromClient(_ bytes: Span<UInt8>) {
        _ = self.fromClient.follow(bytes)
    }

    /// Parses bytes from the backend.
    ///
    /// - Returns: The number of bytes to forward. Once the WebSocket is revoked, the bytes end with the current frame.
    mutating func receiveFromBackend(_ bytes: Span<UInt8>) -> Int {
        self.fromBackend.follow(bytes, stopsBetweenFrames: self.revocation != nil)
    }

    /// The close frame for the client.
    ///
    /// The frame is `nil` unless the WebSocket is revoked and between two frames from the backend. Status 1001 means
    /// that an endpoint is going away, and 1008 that the client violates a policy (RFC 6455 section 7.4.1). IANA
    /// registered 1012 for a service restart, after which the client reconnects, and 1013 for a client that should
    /// try again later.
    var closeFrame: [UInt8]? {
        guard let revocation = self.revocation, self.fromBackend.isBetweenFrames else { return nil }
        return switch revocation {
        case .upgrade: WebSocketFrames.close(1008, "upgrade required")
        case .brownout: WebSocketFrames.close(1013, "brownout")
        case .maintenance: WebSocketFrames.close(1013, "maintenance")
        case .moved: WebSocketFrames.close(1012, "moved to another backend")
        case .shutdown: WebSocketFrames.close(1001, "going away")
        }
    }

    /// Whether a close frame can be sent to the backend, because the last frame from the client is complete.
    var mayCloseBackend: Bool { self.fromClient.isBetweenFrames }
}
