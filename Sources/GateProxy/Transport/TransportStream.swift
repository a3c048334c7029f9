import NIOCore

/// A stream of an HTTP/2 connection, as whoever writes into it sees it.
protocol TransportStream: AnyObject {
    /// Whether it takes more without having to keep too much.
    var isWritable: Bool { get }

    /// Takes content of an answer, or bytes of an HTTP/1.1 request.
    func write(_ buffer: ByteBuffer)
    /// Hands what was written to the channel soon.
    func flush()
    /// Calls back when everything that was written is on its way, or will never be.
    func whenAllWritten(_ done: @escaping () -> Void)
    /// Gives the stream up, if it has not come to its end.
    func close()
}
