package import NIOCore

/// A reader that splits the bytes from a peer into frames and validates their order and format.
///
/// The reader rejects frames before the peer's settings, other frames within a header section, and
/// malformed frames (RFC 9113 sections 3.4, 4 and 6).
package struct HTTP2FrameReader {
    private enum Stage {
        /// The connection preface of a client is expected next.
        case preface
        /// The first frame, which contains the peer's settings, is expected next.
        case settings
        case frames
    }

    private var stage: Stage
    private var bytes = ByteBuffer()
    /// The header section that is being received, or `nil` between header sections.
    private var block: HTTP2HeaderBlock?
    private let blockLimit: Int

    /// Creates a reader.
    ///
    /// `blockLimit` is the maximum size, in bytes, of a header section that spans several frames.
    package init(expectsPreface: Bool, blockLimit: Int) {
        self.stage = expectsPreface ? .preface : .settings
        self.blockLimit = blockLimit
    }

    @inline(__always)
    package mutating func append(_ bytes: ByteBuffer) {
        if self.bytes.readableBytes == 0 {
            self.bytes = bytes
        } else {
            // A buffer that never becomes empty would otherwise keep growing.
            self.bytes.discardReadBytes()
            self.bytes.writeImmutableBuffer(bytes)
        }
    }

    /// Releases memory that is not needed until the peer sends more bytes.
    @inline(__always)
    package mutating func rest() {
        // Even an empty buffer would retain memory that the next read can reuse.
        if self.bytes.readableBytes == 0 { self.bytes = ByteBuffer() }
    }

    /// Discards all received bytes; called when no more frames will be read.
    package mutating func close() {
        self.bytes = ByteBuffer()
        self.block = nil
    }

    /// Returns the next frame, or `nil` if it is incomplete.
    @inline(__always)
    package mutating func next() throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame? {
        if case .preface = self.stage {
            guard try self.readPreface() else { return nil }
        }
        guard let header = self.bytes.frameHeader else { return nil }
        // The length is checked as soon as the header is complete, because the payload might never arrive.
        guard header.length <= HTTP2FrameHeader.maxLength else { throw .frameSizeError }
        try self.check(header)
        guard self.bytes.readableBytes >= HTTP2FrameHeader.size + header.length else { return nil }
        self.bytes.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
        guard let payload = self.bytes.readSlice(length: header.length) else { return nil }
        self.stage = .frames
        return try self.frame(header, payload)
    }

    /// Reads the client connection preface.
    ///
    /// - Returns: Whether the preface is complete.
    private mutating func readPreface() throws(HTTP2ErrorCode) -> Bool {
        let bytes = self.bytes
        guard HTTP2Preface.isBegun(by: bytes.readableBytesUInt8Span) else { throw .protocolError }
        let count = HTTP2Preface.bytes.utf8CodeUnitCount
        guard bytes.readableBytes >= count else { return false }
        self.bytes.moveReaderIndex(forwardBy: count)
        self.stage = .settings
        return true
    }

    /// Throws if the frame is not allowed in the current state.
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
        // Clients must not push, and the gate's settings disable push for backends (RFC 9113 section 8.4).
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
        // Only clients open streams, which have odd IDs (RFC 9113 sections 5.1.1 and 8.4).
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

/// A well-formed frame from a peer, to be interpreted by its connection.
package enum HTTP2ReceivedFrame {
    /// A DATA frame.
    ///
    /// `length` is the length of the payload including padding, all of which counts toward the
    /// flow-control window.
    case data(stream: UInt32, content: ByteBuffer, length: Int, endsStream: Bool)
    /// A header section has started, and continues in the next frame.
    case headersBegun(stream: UInt32)
    /// The current header section has continued, but is not complete.
    case headersContinued
    /// A complete header section.
    case headers(HTTP2HeaderBlock)
    case reset(stream: UInt32, code: UInt32)
    case windowUpdate(stream: UInt32, increment: Int)
    case settings(ByteBuffer)
    case settingsAcknowledged
    case ping(ByteBuffer)
    case pingAcknowledged
    case goAway(last: UInt32, code: UInt32)
    /// A frame to ignore: PRIORITY, or a frame of an unsupported type (RFC 9113 sections 5.3 and 4.1).
    case other
}

/// A header section, complete or partial (RFC 9113 section 4.3).
package struct HTTP2HeaderBlock {
    /// The maximum number of frames in a header section.
    ///
    /// No legitimate header section needs this many frames (CVE-2024-27316 and similar).
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

    /// Whether the section arrived in more than one frame.
    package var isSplit: Bool { self.frames > 1 }

    /// Appends the payload of another frame; `limit` is the maximum size in bytes of the whole section.
    package mutating func append(_ payload: ByteBuffer, limit: Int) throws(HTTP2ErrorCode) {
        self.frames += 1
        self.bytes.writeImmutableBuffer(payload)
        guard self.frames <= Self.maxFrames, self.bytes.readableBytes <= limit else {
            throw .enhanceYourCalm
        }
    }
}

/// The client connection preface (RFC 9113 section 3.4).
package enum HTTP2Preface {
    package static let bytes: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Returns whether the bytes are the preface or a prefix of it.
    package static func isBegun(by bytes: Span<UInt8>) -> Bool {
        let count = Swift.min(bytes.count, self.bytes.utf8CodeUnitCount)
        return self.bytes.withUTF8Buffer { preface in
            for index in 0..<count where unsafe bytes[index] != preface[index] { return false }
            return true
        }
    }
}
