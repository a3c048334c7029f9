import NIOCore

/// The kinds of frames that the gate knows; others are passed over (RFC 9113 4.1 and 6).
enum HTTP2FrameType: UInt8 {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
}

/// The bits of a frame's flags; which of them mean anything depends on the frame's type.
struct HTTP2Flags: OptionSet {
    let rawValue: UInt8

    static let acknowledgement = HTTP2Flags(rawValue: 0x1)
    static let endStream = HTTP2Flags(rawValue: 0x1)
    static let endHeaders = HTTP2Flags(rawValue: 0x4)
    static let padded = HTTP2Flags(rawValue: 0x8)
    static let priority = HTTP2Flags(rawValue: 0x20)
}

/// The nine bytes before each frame's payload (RFC 9113 4.1).
struct HTTP2FrameHeader {
    static let size = 9
    /// The length that every peer takes, and the most that the gate takes (RFC 9113 4.2).
    static let maxLength = 16384

    var length: Int
    /// `nil`: a kind that the gate does not know.
    var type: HTTP2FrameType?
    var flags: HTTP2Flags
    var stream: UInt32
}

extension ByteBuffer {
    /// The header that the readable bytes begin with; `nil`: it has not all arrived.
    var frameHeader: HTTP2FrameHeader? {
        let start = self.readerIndex
        guard let first = self.getInteger(at: start, as: UInt64.self),
            let last = self.getInteger(at: start + 8, as: UInt8.self)
        else { return nil }
        return HTTP2FrameHeader(
            length: Int(first >> 40),
            type: HTTP2FrameType(rawValue: UInt8(truncatingIfNeeded: first >> 32)),
            flags: HTTP2Flags(rawValue: UInt8(truncatingIfNeeded: first >> 24)),
            stream: UInt32(truncatingIfNeeded: first << 8) & 0x7FFF_FF00 | UInt32(last)
        )
    }

    mutating func writeFrameHeader(
        length: Int,
        type: HTTP2FrameType,
        flags: HTTP2Flags = [],
        stream: UInt32
    ) {
        self.writeInteger(
            UInt64(length) << 40 | UInt64(type.rawValue) << 32 | UInt64(flags.rawValue) << 24
                | UInt64(stream >> 8)
        )
        self.writeInteger(UInt8(truncatingIfNeeded: stream))
    }

    mutating func writeResetStream(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.writeFrameHeader(length: 4, type: .resetStream, stream: stream)
        self.writeInteger(code.rawValue)
    }

    mutating func writeWindowUpdate(_ stream: UInt32, increment: Int) {
        self.writeFrameHeader(length: 4, type: .windowUpdate, stream: stream)
        self.writeInteger(UInt32(increment))
    }

    mutating func writeGoAway(last stream: UInt32, _ code: HTTP2ErrorCode) {
        self.writeFrameHeader(length: 8, type: .goAway, stream: 0)
        self.writeMultipleIntegers(stream, code.rawValue)
    }
}
