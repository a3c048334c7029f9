package import NIOCore

/// The settings of a peer that the gate has to heed (RFC 9113 6.5.2).
package struct HTTP2PeerSettings: Equatable {
    /// How much of a body may be sent on a new stream.
    package private(set) var initialWindow = HTTP2SendWindow.initial
    /// How many streams it takes at the same time; `nil`: any number.
    package private(set) var maxStreams: Int?
    /// Whether it may ask for pushes, which only clients are sent.
    private let isClient: Bool

    package init(isClient: Bool) {
        self.isClient = isClient
    }

    /// Takes over the settings of one frame.
    ///
    /// - Returns: by how much all windows for bodies on its streams become larger, or smaller if it
    ///   is less than 0 (RFC 9113 6.9.2).
    package mutating func apply(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> Int {
        var payload = payload
        let before = self.initialWindow
        guard payload.readableBytes % 6 == 0 else { throw .frameSizeError }
        while let (name, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            switch name {
            // Server push, of which the gate makes no use.
            case 0x2:
                guard value == 0 || (value == 1 && self.isClient) else { throw .protocolError }
            case 0x3: self.maxStreams = Int(value)
            case 0x4:
                guard value <= HTTP2SendWindow.largest else { throw .flowControlError }
                self.initialWindow = Int(value)
            // The gate's frames are never longer than the least that may stand here.
            case 0x5: guard (16_384...16_777_215).contains(value) else { throw .protocolError }
            default: break
            }
        }
        return self.initialWindow - before
    }
}

/// The settings of the gate itself.
package enum HTTP2OwnSettings {
    /// How much of a body may come on a stream before anybody wants it.
    ///
    /// A client whose upload is denied is then waiting, and reads why, instead of writing on.
    package static let firstWindow = 65_535
    /// The same once the backend takes it.
    package static let streamWindow = 256 * 1024
    /// The same for all streams of a connection together.
    package static let connectionWindow = 1024 * 1024

    /// The first frames of the gate.
    package static func write(
        maxStreams: Int,
        maxHeaderListSize: Int,
        into out: inout ByteBuffer
    ) {
        let settings: [(UInt16, UInt32)] = [
            (0x3, UInt32(maxStreams)),
            (0x6, UInt32(maxHeaderListSize)),
            // WebSockets are taken (RFC 8441 3).
            (0x8, 1),
        ]
        out.writeFrameHeader(length: settings.count * 6, type: .settings, stream: 0)
        for (name, value) in settings { out.writeMultipleIntegers(name, value) }
        out.writeWindowUpdate(0, increment: self.connectionWindow - HTTP2SendWindow.initial)
    }

    /// The first frames of the gate to a backend.
    package static func writeForBackend(maxHeaderListSize: Int, into out: inout ByteBuffer) {
        let settings: [(UInt16, UInt32)] = [
            // No pushes.
            (0x2, 0),
            (0x4, UInt32(self.streamWindow)),
            (0x6, UInt32(maxHeaderListSize)),
        ]
        out.writeFrameHeader(length: settings.count * 6, type: .settings, stream: 0)
        for (name, value) in settings { out.writeMultipleIntegers(name, value) }
        out.writeWindowUpdate(0, increment: self.connectionWindow - HTTP2SendWindow.initial)
    }
}
