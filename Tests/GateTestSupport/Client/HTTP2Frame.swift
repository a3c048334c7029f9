/// An HTTP/2 frame (RFC 9113 section 4.1).
package struct HTTP2Frame: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: UInt8, Sendable {
        case data = 0
        case headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
        case continuation
    }

    package var kind: UInt8
    package var flags: UInt8
    package var stream: UInt32
    package var payload: [UInt8]

    package static let endStream: UInt8 = 0x1
    package static let acknowledgement: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4
    package static let padded: UInt8 = 0x8
    package static let hasPriority: UInt8 = 0x20

    package init(
        _ kind: Kind,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: [UInt8] = []
    ) {
        self.init(kind: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    package init(kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8]) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    package var endsStream: Bool {
        (self.kind == Kind.data.rawValue || self.kind == Kind.headers.rawValue)
            && self.flags & Self.endStream != 0
    }

    package func isA(_ kind: Kind) -> Bool { self.kind == kind.rawValue }

    /// The frame with its header, as sent.
    package var bytes: [UInt8] {
        let length = self.payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
            + [self.kind, self.flags] + Self.big(self.stream) + self.payload
    }

    /// Returns the bytes of a number in network byte order.
    package static func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns the number at an offset in the payload.
    package func number(at offset: Int) -> UInt32? {
        guard offset + 4 <= self.payload.count else { return nil }
        return self.payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    package var description: String {
        "frame \(self.kind) flags \(self.flags) stream \(self.stream) \(self.payload.count) bytes"
    }
}
