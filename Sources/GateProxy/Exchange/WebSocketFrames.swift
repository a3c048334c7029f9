/// Follows the frames of one direction of a WebSocket, to know where one may be put between them
/// (RFC 6455 section 5.2).
package struct WebSocketFrames: Equatable {
    /// Bytes of the frame header that is being read.
    private var header: [UInt8] = []
    /// Bytes of the payload that are still to come.
    private var remaining: UInt64 = 0
    /// The bytes are no frames: nobody can say where one ends.
    private var isLost = false

    package init() {}

    /// Whether the last byte that was seen was the last one of a frame, or none was seen yet.
    package var isBetweenFrames: Bool { !self.isLost && self.header.isEmpty && self.remaining == 0 }

    /// Follows bytes up to their end, or to the first end of a frame where that is asked for.
    ///
    /// - Returns: how many bytes were followed.
    package mutating func follow(_ bytes: Span<UInt8>, stopsBetweenFrames: Bool = false) -> Int {
        var index = 0
        while index < bytes.count, !self.isLost {
            if self.remaining > 0 {
                let count = min(self.remaining, UInt64(bytes.count - index))
                index += Int(count)
                self.remaining -= count
            } else {
                self.header.append(bytes[index])
                index += 1
                self.finishHeader()
            }
            if stopsBetweenFrames, self.isBetweenFrames { return index }
        }
        return bytes.count
    }

    private mutating func finishHeader() {
        guard self.header.count >= 2 else { return }
        let length = self.header[1] & 0x7F
        let lengthBytes =
            switch length {
            case 126: 2
            case 127: 8
            default: 0
            }
        let maskBytes = self.header[1] & 0x80 == 0 ? 0 : 4
        guard self.header.count == 2 + lengthBytes + maskBytes else { return }
        self.remaining =
            lengthBytes == 0
            ? UInt64(length)
            : self.header[2..<2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
        // The most significant bit must be 0.
        self.isLost = self.remaining > UInt64(Int64.max)
        self.header = []
    }

    /// A close frame of a server (sections 5.5.1 and 7.4); the reason is at most 123 bytes.
    static func close(_ code: UInt16, _ reason: StaticString) -> [UInt8] {
        let payload =
            [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
            + reason.withUTF8Buffer { unsafe Array($0) }
        return [0x88, UInt8(payload.count)] + payload
    }
}
