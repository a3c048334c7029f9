/// The state of both directions of a channel.
struct ChannelFlow {
    /// Whether the channel accepts more bytes, as it last reported: to be notified costs less than to ask.
    var isWritable: Bool
    /// Whether the peer has closed its side.
    var isInputClosed = false
    /// Whether a read is held back until the bytes can be passed on.
    private(set) var isReadHeld = false

    @inline(__always)
    init(isWritable: Bool) {
        self.isWritable = isWritable
    }

    /// Holds a read back.
    mutating func holdRead() {
        self.isReadHeld = true
    }

    /// Ends the hold; the caller reads.
    mutating func releaseRead() {
        self.isReadHeld = false
    }
}
