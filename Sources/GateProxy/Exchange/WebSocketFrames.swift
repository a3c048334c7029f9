/// A parser that finds the frame boundaries in one direction of a WebSocket (RFC 6455 section 5.2).
package struct WebSocketFrames: Equatable {
    /// The number of header bytes of the current frame that have been read; 0 between two frames.
    private var headerCount = 0
    /// The length of the frame header, which is known once the first two bytes have been read.
    private var headerLength = 2
    /// The offset in the frame header at which the payload length ends.
    private var lengthEnd = 2
    /// The part of the payload length that has been read.
    private var length: UInt64 = 0
    /// The number of payload bytes that have not been received.
    private var remaining: UInt64 = 0
    /// Whether the bytes are not valid frames, which makes the frame boundaries unknown.
    private var isLost = false

    package init() {}

    /// Whether the last byte ended a frame, or no bytes have been received.
    package var isBetweenFrames: Bool {
        !self.isLost && self.headerCount == 0 && self.remaining == 0
    }

    /// Parses all bytes or, if `stopsBetweenFrames` is true, the bytes up to the first frame boundary.
    ///
    /// - Returns: The number of consumed bytes.
    package mutating func follow(_ bytes: Span<UInt8>, stopsBetweenFrames: Bool = false) -> Int {
        var index = 0
        while index < bytes.count, !self.isLost {
            if self.remaining > 0 {
                let count = min(self.remaining, UInt64(bytes.count - index))
                index += Int(count)
                self.remaining -= count
            } else {
                self.read(bytes[index])
                index += 1
            }
            if stopsBetweenFrames, self.isBetweenFrames { return index }
        }
        return bytes.count
    }

    /// Parses a byte of a frame header.
    private mutating func read(_ byte: UInt8) {
        switch self.headerCount {
        case 0: break
        case 1:
            self.length = UInt64(byte & 0x7F)
            let lengthBytes = self.length == 126 ? 2 : self.length == 127 ? 8 : 0
            if lengthBytes > 0 { self.length = 0 }
            self.lengthEnd = 2 + lengthBytes
            self.headerLength = self.lengthEnd + (byte & 0x80 == 0 ? 0 : 4)
        case 2..<self.lengthEnd: self.length = self.length << 8 | UInt64(byte)
        default: break
        }
        self.headerCount += 1
        guard self.headerCount >= 2, self.headerCount == self.headerLength else { return }
        self.headerCount = 0
        self.remaining = self.length
        // The most significant bit of the length must be 0.
        self.isLost = self.remaining > UInt64(Int64.max)
    }

    /// Returns a server's close frame (RFC 6455 sections 5.5.1 and 7.4).
    ///
    /// `reason` must not exceed 123 bytes.
    static func close(_ code: UInt16, _ reason: StaticString) -> [UInt8] {
        let payload = self.closePayload(code, reason)
        return [0x88, UInt8(payload.count)] + payload
    }

    /// Returns a client's close frame, with a masked payload (RFC 6455 section 5.3).
    ///
    /// `key` must be unpredictable.
    static func close(_ code: UInt16, _ reason: StaticString, maskedBy key: UInt32) -> [UInt8] {
        let payload = self.closePayload(code, reason)
        let mask = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: key >> $0) }
        let masked = payload.indices.map { payload[$0] ^ mask[$0 % 4] }
        return [0x88, 0x80 | UInt8(payload.count)] + mask + masked
    }

    private static func closePayload(_ code: UInt16, _ reason: StaticString) -> [UInt8] {
        [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
            + reason.withUTF8Buffer { unsafe Array($0) }
    }
}
