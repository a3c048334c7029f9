/// The state of both directions of a channel.
struct ChannelFlow {
    /// The last reported writability of the channel; storing it costs less than a query.
    var isWritable: Bool
    /// Whether the peer has closed its write side.
    var isInputClosed = false
    /// Whether a read is delayed until the received bytes can be forwarded.
    var isReadHeld = false
}
