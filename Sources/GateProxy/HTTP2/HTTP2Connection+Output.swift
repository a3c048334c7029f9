import NIOCore

/// The frames that go out.
extension HTTP2Connection {
    /// Hands on what an answer of the backend has brought about: at once behind its end, if there is no
    /// other stream that could add to it.
    func releaseStreams(isEndOfAnswer: Bool) {
        self.outbox.release()
        guard !self.outbox.isEmpty else { return self.settle() }
        guard isEndOfAnswer, self.streams.count == 1, !self.outbox.isScheduled else {
            return self.flush()
        }
        self.settle()
        self.flushNow()
    }

    /// A client that makes room for a body byte by byte earns nothing by it.
    func wrote(_ count: Int, of stream: HTTP2Stream) {
        if stream.output.isEmpty || count >= 1024 { self.control.earn(4) }
    }
}
