import GateWire
import NIOCore

/// Closing the connection.
extension UpstreamHTTP2Connection {
    /// Sends a connection error to the backend, and closes the connection.
    func fail(_ code: HTTP2ErrorCode) {
        guard !self.isClosing else { return }
        self.member?.report("HTTP/2: \(code)")
        let streams = self.streams.all
        self.streams = HTTP2StreamTable()
        self.outbox.frames.writeGoAway(last: 0, code)
        self.flushNow()
        self.end(failing: streams)
        self.context?.close(promise: nil)
    }

    /// Closes the connection with a GOAWAY frame that reports no error.
    func shutDown() {
        guard !self.isClosing else { return }
        self.outbox.frames.writeGoAway(last: 0, .noError)
        self.flushNow()
        self.end()
        self.context?.close(promise: nil)
    }

    /// Closes the connection because the backend no longer responds.
    func giveUp() {
        self.member?.report("HTTP/2: the backend did not respond to a PING")
        self.end()
        self.context?.close(promise: nil)
    }

    /// Ends all streams, and removes the connection from its pool.
    ///
    /// `failed` contains the streams that fail because the backend has violated the protocol. It
    /// can be empty, and is `nil` if there was no violation.
    func end(failing failed: [UpstreamHTTP2Stream]? = nil) {
        guard !self.isClosing else { return }
        if case .opening(let promise) = self.stage {
            promise.fail(failed == nil ? ChannelError.eof : Failure.doesNotSupportHTTP2)
        }
        self.stage = .closing
        self.deadline = nil
        self.reader.close()
        self.member?.remove(self)
        for stream in failed ?? [] { stream.failed(.http2) }
        for stream in self.streams.all { stream.lost() }
        self.settle()
        for stream in self.spare { stream.upstream.transport = .none }
        self.spare = []
        self.line.removeAll()
    }
}
