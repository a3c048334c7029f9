import NIOCore

/// The transport of one side of an exchange: a connection, or one stream of a connection.
enum Transport<Stream: TransportStream> {
    /// Not connected.
    case none
    case channel(ChannelOutput)
    case stream(Stream)

    var isStream: Bool {
        if case .stream = self { true } else { false }
    }

    /// Whether the transport accepts more output without buffering too much.
    ///
    /// `channel` is the last known writability of a channel; storing it costs less than a query.
    @inline(__always)
    func isWritable(channel: Bool) -> Bool {
        switch self {
        case .channel: channel
        case .stream(let stream): stream.isWritable
        case .none: false
        }
    }

    /// Reads more input, once all available input has been read.
    ///
    /// Streams do nothing, because their connection reads for them.
    @inline(__always)
    func readNext() {
        if case .channel(let output) = self { output.readNext() }
    }

    @inline(__always)
    func write(_ buffer: ByteBuffer) {
        switch self {
        case .channel(let output): output.write(buffer)
        case .stream(let stream): stream.write(buffer)
        case .none: break
        }
    }

    @inline(__always)
    func flush() {
        switch self {
        case .channel(let output): output.flush()
        case .stream(let stream): stream.flush()
        case .none: break
        }
    }

    @inline(__always)
    func writeAndFlush(_ buffer: inout ByteBuffer) {
        switch self {
        case .channel(let output): output.writeAndFlush(&buffer)
        case .stream(let stream):
            stream.write(buffer)
            stream.flush()
        case .none: break
        }
    }

    /// Calls `done` once the kernel has accepted all output, or once that has become impossible.
    func whenWritten(_ done: @escaping () -> Void) {
        switch self {
        case .channel(let output): output.whenWritten(done)
        case .stream(let stream): stream.whenAllWritten(done)
        case .none: done()
        }
    }

    func close() {
        switch self {
        case .channel(let output): output.context.close(promise: nil)
        case .stream(let stream): stream.close()
        case .none: break
        }
    }
}

/// A stream of an HTTP/2 connection, as seen by its writer.
protocol TransportStream: AnyObject {
    /// Whether the stream accepts more output without buffering too much.
    var isWritable: Bool { get }

    func write(_ buffer: ByteBuffer)
    /// Schedules a write of the output to the channel.
    func flush()
    /// Calls `done` once all output has been sent, or once that has become impossible.
    func whenAllWritten(_ done: @escaping () -> Void)
    /// Resets the stream, unless it has ended.
    func close()
}
