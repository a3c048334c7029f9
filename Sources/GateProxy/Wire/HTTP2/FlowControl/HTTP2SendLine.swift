import NIOCore

/// Streams with something to send, in the order of their turns.
struct HTTP2SendLine<Stream: HTTP2Sender> {
    private var streams = CircularBuffer<Stream>()

    var count: Int { self.streams.count }

    /// - Returns: whether the stream did not stand in the line already.
    mutating func join(_ stream: Stream) -> Bool {
        guard !stream.output.isWaiting else { return false }
        stream.output.isWaiting = true
        self.streams.append(stream)
        return true
    }

    /// The stream whose turn it is, which must `stay` or `leave` thereafter.
    mutating func next() -> Stream? {
        self.streams.popFirst()
    }

    /// It has more to send, and its turn comes again behind those of all others.
    mutating func stay(_ stream: Stream) {
        self.streams.append(stream)
    }

    func leave(_ stream: Stream) {
        stream.output.isWaiting = false
    }

    /// Takes out a stream that is over.
    ///
    /// - Returns: whether nobody here has anything more to do with it; `false`: it has its turn.
    mutating func remove(_ stream: Stream) -> Bool {
        guard stream.output.isWaiting else { return true }
        guard let index = self.streams.firstIndex(where: { $0 === stream }) else { return false }
        self.streams.remove(at: index)
        stream.output.isWaiting = false
        return true
    }

    mutating func removeAll() {
        self.streams = []
    }
}
