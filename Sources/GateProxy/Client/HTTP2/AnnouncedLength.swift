import GateWire

/// The announced length of a request body, minus the bytes that have arrived (RFC 9113 section 8.1.1).
struct AnnouncedLength: Equatable {
    private(set) var remaining: UInt64

    init(_ length: UInt64) {
        self.remaining = length
    }

    /// Whether the whole body has arrived.
    var isComplete: Bool { self.remaining == 0 }

    /// Subtracts the next bytes of the body.
    ///
    /// `isLast`: whether the client has ended the stream.
    ///
    /// Throws `PROTOCOL_ERROR` for more or fewer bytes than announced.
    mutating func take(_ count: Int, isLast: Bool) throws(HTTP2ErrorCode) {
        guard UInt64(count) <= self.remaining else { throw .protocolError }
        self.remaining -= UInt64(count)
        guard self.remaining == 0 || !isLast else { throw .protocolError }
    }
}
