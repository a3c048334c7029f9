import NIOCore

/// The requests that go out.
extension UpstreamHTTP2Connection {
    /// The facts that the gate knows of a request that was begun.
    struct Opened {
        var id: UInt32
        var sendWindow: Int
        var framing: BodyFraming
    }

    /// Begins a request; `nil`: its head cannot be sent.
    func open(_ stream: UpstreamHTTP2Stream, _ head: ByteBuffer) -> Opened? {
        let bytes = head.readableBytesUInt8Span
        self.requestParser.reset()
        guard self.isOpen,
            self.requestParser.parse(bytes, table: HTTP2RequestBlock.table) == .complete,
            let facts = try? RequestFacts(self.requestParser.head, in: bytes),
            let id = self.budget.open()
        else { return nil }
        self.streams[id] = stream
        let start = self.outbox.beginHeaders(stream: id, endsStream: facts.framing == .none)
        HTTP2RequestBlock.write(
            self.requestParser.head,
            facts: facts,
            bytes: bytes,
            isSecure: self.isSecure,
            into: &self.outbox.frames
        )
        self.outbox.endHeaders(at: start, stream: id)
        return Opened(id: id, sendWindow: self.peer.initialWindow, framing: facts.framing)
    }

    /// It is answered by updates of windows, of which backends send as many as they like.
    func wrote(_ count: Int, of stream: UpstreamHTTP2Stream) {
        self.control.earn(16)
    }
}
