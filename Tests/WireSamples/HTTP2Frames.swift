package import GateWire
package import NIOCore

/// Creates a frame from its fields.
package func frame(
    _ type: UInt8,
    flags: UInt8 = 0,
    stream: UInt32 = 0,
    _ payload: [UInt8] = []
) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
        + big(stream) + payload
}

/// Returns a number in network byte order.
package func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
}

extension ByteBuffer {
    /// The frames in short form: stream, type, length, and whether the frame ends the stream.
    package var framesInShort: [String] {
        var bytes = self
        var frames: [String] = []
        while let header = bytes.frameHeader {
            bytes.moveReaderIndex(forwardBy: HTTP2FrameHeader.size + header.length)
            let kind =
                switch header.type {
                case .data: "data"
                case .headers: "headers"
                default: "other"
                }
            let end = header.flags.contains(.endStream) ? " end" : ""
            frames.append("\(header.stream): \(kind) \(header.length)\(end)")
        }
        return frames
    }
}

extension HTTP2StreamOutput {
    /// Appends this many bytes.
    package mutating func append(_ count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        self.append(bytes.span, from: 0, to: count)
    }
}
