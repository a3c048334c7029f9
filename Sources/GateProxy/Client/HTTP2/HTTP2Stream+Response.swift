import GatePolicy
import GateWire
import NIOCore

/// The response.
extension HTTP2Stream {
    var isWritable: Bool {
        !self.isOver && self.output.hasRoom && self.connection.isWritable
    }

    /// Whether the head of the response has been sent.
    var hasBegunResponse: Bool {
        if case .head = self.response { return false }
        return true
    }

    /// Writes the head of a backend's response.
    ///
    /// `fields`: the fields that the gate adds, as a header block.
    func write(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        adding fields: [UInt8]
    ) {
        guard !self.isOver, !self.hasBegunResponse else { return }
        let opensTunnel = head.status == 101
        let endsStream = !head.isInterim && facts.framing == .none && !opensTunnel
        let connection = self.connection
        let start = connection.outbox.beginHeaders(stream: self.id, endsStream: endsStream)
        if opensTunnel {
            HTTP2ResponseBlock.writeTunnel(
                head,
                facts: facts,
                bytes: bytes,
                into: &connection.outbox.frames
            )
        } else {
            HTTP2ResponseBlock.write(
                head,
                facts: facts,
                bytes: bytes,
                endsStream: endsStream,
                into: &connection.outbox.frames
            )
        }
        connection.outbox.frames.writeBytes(fields)
        connection.outbox.endHeaders(at: start, stream: self.id)
        connection.flush()
        if !head.isInterim { self.headWasWritten(endsStream: endsStream) }
    }

    /// Writes the head of a response of the gate.
    ///
    /// `length`: the value of `content-length`, `nil` if the field is not sent; `date`: the `date` field as a header block;
    /// `origin`: the origin of a web app that must be able to read the response.
    func write(
        _ block: HTTP2AnswerBlock,
        length: Int?,
        date: [UInt8],
        origin: String?,
        endsStream: Bool
    ) {
        guard !self.isOver, !self.hasBegunResponse else { return }
        let start = self.connection.outbox.beginHeaders(stream: self.id, endsStream: endsStream)
        // A gRPC call that fails at once has a Trailers-Only response.
        let length = block.isCall && endsStream ? nil : length
        block.write(length: length, date, into: &self.connection.outbox.frames)
        if let origin {
            let fields = RenderedFields(Answer.crossOriginFields(origin: origin))
            self.connection.outbox.frames.writeBytes(fields.block)
        }
        self.connection.outbox.endHeaders(at: start, stream: self.id)
        self.connection.flush()
        self.headWasWritten(endsStream: endsStream)
    }

    private func headWasWritten(endsStream: Bool) {
        guard endsStream else {
            self.response = .content
            return
        }
        self.response = .ended
        self.output.endAtOnce()
        self.didSendLastFrame()
    }

    /// Writes content.
    func write(_ content: ByteBuffer) {
        let bytes = content.readableBytesUInt8Span
        self.append(bytes, from: 0, to: bytes.count)
        self.sendContent()
    }

    /// Appends content, which `sendContent()` or `endContent()` sends.
    func append(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        guard !self.isOver, case .content = self.response else { return }
        self.output.append(bytes, from: start, to: end)
    }

    /// Appends a trailer field, which `endContent()` sends.
    func append(trailer line: FieldLine, in bytes: Span<UInt8>) {
        var block = self.trailers.take() ?? ByteBuffer()
        block.writeHeaderField(line, in: bytes)
        self.trailers = block
    }

    /// Appends trailer fields as a header block, which `endContent()` sends.
    func append(trailers fields: [UInt8]) {
        var block = self.trailers.take() ?? ByteBuffer()
        block.writeBytes(fields)
        self.trailers = block
    }

    func sendContent() {
        guard !self.isOver, case .content = self.response else { return }
        self.connection.send(self)
    }

    /// Ends the response in order.
    func endContent() {
        guard !self.isOver, case .content = self.response else { return }
        self.response = .ended
        self.output.end(trailers: self.trailers)
        self.connection.send(self)
    }

    /// Whether the end of the response waits for flow-control window, while the exchange has ended.
    var hasUnsent: Bool {
        guard !self.isOver, case .ended = self.response else { return false }
        return true
    }

    func didSendLastFrame() {
        self.connection.budgets.resets.earn(1)
        if !self.hasEndedRequest {
            // The other direction stays open (RFC 8441 5).
            if case .tunnel = self.client.exchange { return }
            self.connection.readAway(self)
        }
        self.end()
    }

    /// Closes the stream, by a reset if one direction has not ended.
    func close() {
        guard !self.isOver else { return }
        guard !self.output.hasEnded || !self.hasEndedRequest else { return self.end() }
        if case .tunnel = self.request { return self.reset(.cancel) }
        self.reset(.internalError)
    }

    func didSendPending() {
        self.callWhenWritten()
    }

    func waits() {
        if self.hasUnsent { self.client.renewDeadline(for: .lastBytes) }
    }

    func becameWritable() {
        self.client.becameWritable()
    }

    func flush() {
        self.connection.flush()
    }

    /// Calls `done` once everything that was written has been sent, or the stream has ended.
    func whenAllWritten(_ done: @escaping () -> Void) {
        guard !self.isOver, self.output.hasMore else { return done() }
        self.whenWritten.append(done)
    }
}
