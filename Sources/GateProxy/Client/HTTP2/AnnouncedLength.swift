import GateWire

/// The length of a request's body that the client has announced, as far as it has not sent it (RFC 9113 8.1.1).
struct AnnouncedLength: Equatable {
    private(set) var remaining: UInt64

    init(_ length: UInt64) {
        self.remaining = length
    }

    /// Whether all of it has come.
    var isComplete: Bool { self.remaining == 0 }

    /// Takes the next bytes of the body; `isLast`: whether the client sends no more of it.
    ///
    /// Throws `PROTOCOL_ERROR` for more bytes than announced, or fewer.
    mutating func take(_ count: Int, isLast: Bool) throws(HTTP2ErrorCode) {
        guard UInt64(count) <= self.remaining else { throw .protocolError }
        self.remaining -= UInt64(count)
        guard self.remaining == 0 || !isLast else { throw .protocolError }
    }
}
