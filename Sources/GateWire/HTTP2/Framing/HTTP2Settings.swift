package import NIOCore

/// The settings of a peer that affect the gate (RFC 9113 section 6.5.2).
package struct HTTP2PeerSettings: Equatable {
    /// The initial size in bytes of a new stream's send window.
    package private(set) var initialWindow = HTTP2SendWindow.initial
    /// The maximum number of concurrent streams, or `nil` if there is no limit.
    package private(set) var maxStreams: Int?
    /// Whether the peer is a client; only clients can enable push, because only servers push.
    private let isClient: Bool

    package init(isClient: Bool) {
        self.isClient = isClient
    }

    /// Applies the settings in a frame.
    ///
    /// - Returns: The change in the send windows of all streams, which can be negative (RFC 9113
    ///   section 6.9.2).
    package mutating func apply(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> Int {
        var payload = payload
        let before = self.initialWindow
        guard payload.readableBytes % 6 == 0 else { throw .frameSizeError }
        while let (name, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            switch name {
            // SETTINGS_ENABLE_PUSH: the gate never pushes, so the value is only validated.
            case 0x2:
                guard value == 0 || (value == 1 && self.isClient) else { throw .protocolError }
            case 0x3: self.maxStreams = Int(value)
            case 0x4:
                guard value <= HTTP2SendWindow.largest else { throw .flowControlError }
                self.initialWindow = Int(value)
            // SETTINGS_MAX_FRAME_SIZE: the gate's frames never exceed the minimum value of this setting.
            case 0x5: guard (16_384...16_777_215).contains(value) else { throw .protocolError }
            default: break
            }
        }
        return self.initialWindow - before
    }
}

/// The gate's own settings.
package enum HTTP2OwnSettings {
    /// The receive window of a stream, in bytes, until the body is needed.
    ///
    /// With this small window, a client whose upload is denied stops and reads the response,
    /// instead of continuing to send.
    package static let firstWindow = 65_535
    /// The receive window of a stream, in bytes, once the backend accepts the body.
    package static let streamWindow = 256 * 1024
    /// The receive window of a connection, in bytes, for all of its streams.
    package static let connectionWindow = 1024 * 1024

    /// Writes the first frames on a connection to a client.
    package static func write(
        maxStreams: Int,
        maxHeaderListSize: Int,
        into out: inout ByteBuffer
    ) {
        self.write(
            [
                (0x3, UInt32(maxStreams)),
                (0x6, UInt32(maxHeaderListSize)),
                // SETTINGS_ENABLE_CONNECT_PROTOCOL: extended CONNECT is allowed, for WebSockets
                // (RFC 8441 section 3).
                (0x8, 1),
            ],
            into: &out
        )
    }

    /// Writes the first frames on a connection to a backend, after the connection preface.
    package static func writeForBackend(maxHeaderListSize: Int, into out: inout ByteBuffer) {
        self.write(
            [
                // SETTINGS_ENABLE_PUSH: the backend must not push.
                (0x2, 0),
                (0x4, UInt32(self.streamWindow)),
                (0x6, UInt32(maxHeaderListSize)),
            ],
            into: &out
        )
    }

    private static func write(_ settings: [(UInt16, UInt32)], into out: inout ByteBuffer) {
        out.writeFrameHeader(length: settings.count * 6, type: .settings, stream: 0)
        for (name, value) in settings { out.writeMultipleIntegers(name, value) }
        out.writeWindowUpdate(0, increment: self.connectionWindow - HTTP2SendWindow.initial)
    }
}
