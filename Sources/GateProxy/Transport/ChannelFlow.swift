/// The state of both directions of a channel.
struct ChannelFlow {
    /// Whether the channel accepts more bytes, as it last reported: a notification costs less than a query.
    var isWritable: Bool
    /// Whether the peer has closed its write side.
    var isInputClosed = false
    /// Whether a read is held back until the received bytes can be forwarded.
    var isReadHeld = false
}
