package import NIOCore

/// The frame types that the gate supports; frames of other types are ignored (RFC 9113 sections 4.1 and 6).
package enum HTTP2FrameType: UInt8 {
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

/// The flags of a frame, whose meaning depends on the frame type.
package struct HTTP2Flags: OptionSet {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    static let acknowledgement = HTTP2Flags(rawValue: 0x1)
    package static let endStream = HTTP2Flags(rawValue: 0x1)
    package static let endHeaders = HTTP2Flags(rawValue: 0x4)
    package static let padded = HTTP2Flags(rawValue: 0x8)
    package static let priority = HTTP2Flags(rawValue: 0x20)
}

/// The nine-byte header that precedes the payload of each frame (RFC 9113 section 4.1).
package struct HTTP2FrameHeader {
    package static let size = 9
    /// The maximum length in bytes of a payload that the gate sends or accepts.
    ///
    /// Every peer must accept this length (RFC 9113 section 4.2).
    package static let maxLength = 16384

    package var length: Int
    /// The frame type, or `nil` for a type that the gate does not support.
    package var type: HTTP2FrameType?
    package var flags: HTTP2Flags
    package var stream: UInt32
}

extension OutputRawSpan {
    /// Writes the header of a frame with a payload of `length` bytes, at most
    /// `HTTP2FrameHeader.maxLength`.
    @inline(__always)
    mutating func writeFrameHeader(
        length: Int,
        type: HTTP2FrameType,
        flags: HTTP2Flags,
        stream: UInt32
    ) {
        let kind = UInt64(type.rawValue) << 32 | UInt64(flags.rawValue) << 24
        let first = UInt64(length) << 40 | kind | UInt64(stream) >> 8
        unsafe self.append(first.bigEndian, as: UInt64.self)
        self.append(UInt8(truncatingIfNeeded: stream))
    }

    /// Sets the length of the frame whose header and payload are the only content of this span.
    ///
    /// - Returns: Whether the length was set; `false` if the payload is too long for a frame.
    @inline(__always)
    mutating func setFrameLength() -> Bool {
        let length = self.byteCount - HTTP2FrameHeader.size
        guard length <= HTTP2FrameHeader.maxLength else { return false }
        var bytes = self.mutableBytes
        for (index, shift) in [16, 8, 0].enumerated() {
            let byte = UInt8(truncatingIfNeeded: length >> shift)
            bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
        return true
    }
}

extension ByteBuffer {
    /// The frame header at the reader index, or `nil` if it is incomplete.
    package var frameHeader: HTTP2FrameHeader? {
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
        self.writeWithOutputRawSpan(minimumWritableBytes: HTTP2FrameHeader.size) { output in
            output.writeFrameHeader(length: length, type: type, flags: flags, stream: stream)
        }
    }

    /// Writes a DATA frame; `content` is at most `HTTP2FrameHeader.maxLength` bytes long.
    mutating func writeDataFrame(_ content: Span<UInt8>, endsStream: Bool, stream: UInt32) {
        let count = HTTP2FrameHeader.size + content.count
        self.writeWithOutputRawSpan(minimumWritableBytes: count) { output in
            output.writeFrameHeader(
                length: content.count,
                type: .data,
                flags: endsStream ? .endStream : [],
                stream: stream
            )
            output.write(content, from: 0, to: content.count)
        }
    }

    package mutating func writeResetStream(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.writeFrameHeader(length: 4, type: .resetStream, stream: stream)
        self.writeInteger(code.rawValue)
    }

    package mutating func writeWindowUpdate(_ stream: UInt32, increment: Int) {
        self.writeFrameHeader(length: 4, type: .windowUpdate, stream: stream)
        self.writeInteger(UInt32(increment))
    }

    package mutating func writeGoAway(last stream: UInt32, _ code: HTTP2ErrorCode) {
        self.writeFrameHeader(length: 8, type: .goAway, stream: 0)
        self.writeMultipleIntegers(stream, code.rawValue)
    }
}

/// Methods that parse the payload of each frame type (RFC 9113 section 6).
extension HTTP2FrameHeader {
    /// Returns the payload without its padding (RFC 9113 section 6.1).
    @inline(__always)
    func content(of payload: consuming ByteBuffer) throws(HTTP2ErrorCode) -> ByteBuffer {
        guard self.flags.contains(.padded) else { return payload }
        guard let padding = payload.readInteger(as: UInt8.self) else { throw .frameSizeError }
        guard let content = payload.readSlice(length: payload.readableBytes - Int(padding)) else {
            throw .protocolError
        }
        return content
    }

    func reset(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream != 0 else { throw .protocolError }
        return .reset(stream: self.stream, code: try self.number(payload))
    }

    /// Parses WINDOW_UPDATE; an increment of 0 is rejected later (RFC 9113 section 6.9).
    func windowUpdate(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        let value = try self.number(payload)
        return .windowUpdate(stream: self.stream, increment: Int(value & 0x7FFF_FFFF))
    }

    private func number(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> UInt32 {
        guard payload.readableBytes == 4,
            let number = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        return number
    }

    func settings(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        guard self.flags.contains(.acknowledgement) else { return .settings(payload) }
        guard payload.readableBytes == 0 else { throw .frameSizeError }
        return .settingsAcknowledged
    }

    func ping(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        guard payload.readableBytes == 8 else { throw .frameSizeError }
        return self.flags.contains(.acknowledgement) ? .pingAcknowledged : .ping(payload)
    }

    func goAway(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        var payload = payload
        guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw .frameSizeError
        }
        return .goAway(last: last & 0x7FFF_FFFF, code: code)
    }

    /// Checks the format of a PRIORITY frame, whose content is ignored (RFC 9113 section 5.3).
    func checkPriority(_ payload: ByteBuffer) throws(HTTP2ErrorCode) {
        guard self.stream != 0 else { throw .protocolError }
        guard payload.readableBytes == 5,
            let dependency = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        guard dependency & 0x7FFF_FFFF != self.stream else { throw .protocolError }
    }
}

/// The error codes of streams and connections (RFC 9113 section 7).
package enum HTTP2ErrorCode: UInt32, Error {
    case noError = 0x0
    case protocolError = 0x1
    case internalError = 0x2
    case flowControlError = 0x3
    case streamClosed = 0x5
    case frameSizeError = 0x6
    case refusedStream = 0x7
    case cancel = 0x8
    case compressionError = 0x9
    case enhanceYourCalm = 0xB
}
