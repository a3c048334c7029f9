import NIOCore

/// The carrier of the bytes of an exchange on one of its sides: a connection, or a stream of one.
enum Transport<Stream: TransportStream> {
    /// Nothing any more, or not yet.
    case none
    case channel(ChannelOutput)
    case stream(Stream)

    var isStream: Bool {
        if case .stream = self { true } else { false }
    }

    /// Whether it takes more without having to keep too much.
    ///
    /// `channel`: what a channel has last said of that; to be told costs less than to ask.
    @inline(__always)
    func isWritable(channel: Bool) -> Bool {
        switch self {
        case .channel: channel
        case .stream(let stream): stream.isWritable
        case .none: false
        }
    }

    /// Reads on, when all that was there was read; a stream's connection does so by itself.
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

    /// Calls back when all that was written is with the kernel, or will never be.
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

/// A stream of an HTTP/2 connection, as whoever writes into it sees it.
protocol TransportStream: AnyObject {
    /// Whether it takes more without having to keep too much.
    var isWritable: Bool { get }

    /// Takes content.
    func write(_ buffer: ByteBuffer)
    /// Hands what was written to the channel soon.
    func flush()
    /// Calls back when everything that was written is on its way, or will never be.
    func whenAllWritten(_ done: @escaping () -> Void)
    /// Gives the stream up, if it has not come to its end.
    func close()
}
