package import NIOCore

/// Cuts what a peer sends into frames, and lets no frame pass that may not come at all: before the
/// peer's settings, within the header section of another stream, or in a wrong form (RFC 9113 3.4,
/// 4 and 6).
package struct HTTP2FrameReader {
    private enum Stage {
        /// The first bytes of a client are still to come.
        case preface
        /// The first frame is still to come: the peer's settings.
        case settings
        case frames
    }

    private var stage: Stage
    private var bytes = ByteBuffer()
    /// A header section whose end is still to come.
    private var block: HTTP2HeaderBlock?
    private let blockLimit: Int

    /// `blockLimit`: bytes of a header section that comes in more frames than one.
    package init(expectsPreface: Bool, blockLimit: Int) {
        self.stage = expectsPreface ? .preface : .settings
        self.blockLimit = blockLimit
    }

    /// Takes bytes of the peer.
    @inline(__always)
    package mutating func append(_ bytes: ByteBuffer) {
        if self.bytes.readableBytes == 0 {
            self.bytes = bytes
        } else {
            // Without this a peer that never lets the buffer become empty would make it grow.
            self.bytes.discardReadBytes()
            self.bytes.writeImmutableBuffer(bytes)
        }
    }

    /// Lets go of memory for which there is no use until the peer sends more.
    @inline(__always)
    package mutating func rest() {
        // Empty, it would still hold on to the memory that the next read wants to use.
        if self.bytes.readableBytes == 0 { self.bytes = ByteBuffer() }
    }

    /// Forgets what has come; no more is read.
    package mutating func close() {
        self.bytes = ByteBuffer()
        self.block = nil
    }

    /// The next frame; `nil`: it has not all arrived.
    @inline(__always)
    package mutating func next() throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame? {
        if case .preface = self.stage {
            guard try self.readPreface() else { return nil }
        }
        guard let header = self.bytes.frameHeader else { return nil }
        // Told as soon as the header is there: what follows it may never come.
        guard header.length <= HTTP2FrameHeader.maxLength else { throw .frameSizeError }
        try self.check(header)
        guard self.bytes.readableBytes >= HTTP2FrameHeader.size + header.length else { return nil }
        self.bytes.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
        guard let payload = self.bytes.readSlice(length: header.length) else { return nil }
        self.stage = .frames
        return try self.frame(header, payload)
    }

    /// - Returns: whether the preface has been read.
    private mutating func readPreface() throws(HTTP2ErrorCode) -> Bool {
        let bytes = self.bytes
        guard HTTP2Preface.isBegun(by: bytes.readableBytesUInt8Span) else { throw .protocolError }
        let count = HTTP2Preface.bytes.utf8CodeUnitCount
        guard bytes.readableBytes >= count else { return false }
        self.bytes.moveReaderIndex(forwardBy: count)
        self.stage = .settings
        return true
    }

    /// Throws for a frame that may not come at all.
    @inline(__always)
    private func check(_ header: HTTP2FrameHeader) throws(HTTP2ErrorCode) {
        if case .settings = self.stage {
            guard header.type == .settings, !header.flags.contains(.acknowledgement) else {
                throw .protocolError
            }
        }
        if let stream = self.block?.stream {
            guard header.type == .continuation, header.stream == stream else {
                throw .protocolError
            }
        }
    }

    @inline(__always)
    private mutating func frame(
        _ header: HTTP2FrameHeader,
        _ payload: consuming ByteBuffer
    ) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        switch header.type {
        case .data:
            guard header.stream != 0 else { throw .protocolError }
            return .data(
                stream: header.stream,
                content: try header.content(of: payload),
                length: header.length,
                endsStream: header.flags.contains(.endStream)
            )
        case .headers: return try self.headers(header, payload)
        case .continuation: return try self.continuation(header, payload)
        case .resetStream: return try header.reset(payload)
        case .windowUpdate: return try header.windowUpdate(payload)
        case .settings: return try header.settings(payload)
        case .ping: return try header.ping(payload)
        case .goAway: return try header.goAway(payload)
        // Clients push nothing, and the gate has told its backends that it takes none (RFC 9113 8.4).
        case .pushPromise: throw .protocolError
        case .priority:
            try header.checkPriority(payload)
            return .other
        case nil: return .other
        }
    }

    private mutating func headers(
        _ header: HTTP2FrameHeader,
        _ payload: consuming ByteBuffer
    ) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        // Clients open streams with odd numbers, and servers none (RFC 9113 5.1.1 and 8.4).
        guard header.stream % 2 == 1 else { throw .protocolError }
        var content = try header.content(of: payload)
        if header.flags.contains(.priority) {
            guard let dependency = content.readInteger(as: UInt32.self),
                content.readInteger(as: UInt8.self) != nil
            else { throw .frameSizeError }
            guard dependency & 0x7FFF_FFFF != header.stream else { throw .protocolError }
        }
        let block = HTTP2HeaderBlock(
            stream: header.stream,
            endsStream: header.flags.contains(.endStream),
            bytes: content
        )
        guard !header.flags.contains(.endHeaders) else { return .headers(block) }
        self.block = block
        return .headersBegun(stream: header.stream)
    }

    private mutating func continuation(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard var block = self.block.take() else { throw .protocolError }
        try block.append(payload, limit: self.blockLimit)
        guard !header.flags.contains(.endHeaders) else { return .headers(block) }
        self.block = block
        return .headersContinued
    }
}

/// A frame of a peer whose form is in order; what it means is decided by whose connection it is.
package enum HTTP2ReceivedFrame {
    /// `length`: the payload with its padding, which counts for flow control.
    case data(stream: UInt32, content: ByteBuffer, length: Int, endsStream: Bool)
    /// A header section has begun that more frames go on with.
    case headersBegun(stream: UInt32)
    /// The same section goes on, and still has not ended.
    case headersContinued
    /// A whole header section.
    case headers(HTTP2HeaderBlock)
    case reset(stream: UInt32, code: UInt32)
    case windowUpdate(stream: UInt32, increment: Int)
    case settings(ByteBuffer)
    case settingsAcknowledged
    case ping(ByteBuffer)
    case pingAcknowledged
    case goAway(last: UInt32, code: UInt32)
    /// A priority, which is not heeded, or a kind of frame that the gate does not know (RFC 9113 5.3
    /// and 4.1).
    case other
}

/// A header section, in one frame or as far as it has come (RFC 9113 4.3).
package struct HTTP2HeaderBlock {
    /// More frames than any header section needs (CVE-2024-27316 and its like).
    private static let maxFrames = 64

    package let stream: UInt32
    package let endsStream: Bool
    package private(set) var bytes: ByteBuffer
    private var frames = 1

    package init(stream: UInt32, endsStream: Bool, bytes: ByteBuffer) {
        self.stream = stream
        self.endsStream = endsStream
        self.bytes = bytes
    }

    /// Whether it came in more frames than one.
    package var isSplit: Bool { self.frames > 1 }

    /// Takes in one more frame.
    ///
    /// `limit`: bytes of the whole section.
    package mutating func append(_ payload: ByteBuffer, limit: Int) throws(HTTP2ErrorCode) {
        self.frames += 1
        self.bytes.writeImmutableBuffer(payload)
        guard self.frames <= Self.maxFrames, self.bytes.readableBytes <= limit else {
            throw .enhanceYourCalm
        }
    }
}

/// The first bytes of every client (RFC 9113 3.4).
package enum HTTP2Preface {
    package static let bytes: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Whether bytes are the preface, as far as they go.
    package static func isBegun(by bytes: Span<UInt8>) -> Bool {
        let count = Swift.min(bytes.count, self.bytes.utf8CodeUnitCount)
        return self.bytes.withUTF8Buffer { preface in
            for index in 0..<count where unsafe bytes[index] != preface[index] { return false }
            return true
        }
    }
}
