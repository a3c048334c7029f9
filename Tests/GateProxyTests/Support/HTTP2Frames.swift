import NIOCore

@testable import GateProxy

/// A frame of any form.
func frame(
    _ type: UInt8,
    flags: UInt8 = 0,
    stream: UInt32 = 0,
    _ payload: [UInt8] = []
) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
        + big(stream) + payload
}

/// A number as frames hold it.
func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
}

extension ByteBuffer {
    /// Its frames in short: the stream, what it is, how long, and whether it is the last one.
    var framesInShort: [String] {
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
