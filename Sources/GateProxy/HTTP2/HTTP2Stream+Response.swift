import NIOCore

/// What the client gets.
extension HTTP2Stream {
    var isWritable: Bool {
        !self.isOver && self.output.hasRoom && self.connection.isWritable
    }

    /// Whether the client has been sent the head of the answer.
    var hasBegunResponse: Bool {
        if case .head = self.response { return false }
        return true
    }

    /// Takes bytes of an HTTP/1.1 answer.
    func write(_ buffer: ByteBuffer) {
        var buffer = buffer
        while buffer.readableBytes > 0, !self.isOver {
            switch self.response {
            case .head:
                guard self.takeHead(&buffer) else { return }
            case .body(var reader):
                self.takeBody(&reader, from: buffer)
                return
            case .ended:
                return
            }
        }
    }

    /// - Returns: whether a head was complete.
    private func takeHead(_ buffer: inout ByteBuffer) -> Bool {
        if self.partialHead.readableBytes > 0 {
            self.partialHead.writeBuffer(&buffer)
            swap(&self.partialHead, &buffer)
            self.partialHead = ByteBuffer()
        }
        let head = buffer
        let bytes = head.readableBytesUInt8Span
        switch self.parser.parse(bytes) {
        case .incomplete:
            self.partialHead = buffer
            return false
        case .malformed:
            self.reset(.internalError)
            return false
        case .complete:
            break
        }
        guard
            let facts = try? ResponseFacts(self.parser.head, in: bytes, answersHead: self.isHead)
        else {
            self.reset(.internalError)
            return false
        }
        buffer.moveReaderIndex(forwardBy: self.parser.head.end)
        let isInterim = self.parser.head.isInterim
        let endsStream = !isInterim && facts.framing == .none
        self.connection.writeHeaders(
            self.parser.head,
            in: bytes,
            stream: self.id,
            endsStream: endsStream
        )
        if isInterim {
            self.parser.reset()
        } else if endsStream {
            self.response = .ended
            self.output.endAtOnce()
            self.hasSentLast()
        } else {
            self.response = .body(BodyReader(facts.framing))
        }
        return true
    }

    private func takeBody(_ reader: inout BodyReader, from buffer: ByteBuffer) {
        let bytes = buffer.readableBytesUInt8Span
        // A chunk's size and end were read where the answer came from.
        let progress = reader.consume(
            bytes,
            trailerFields: .response,
            onData: { start, end in self.output.append(bytes, from: start, to: end) },
            onTrailer: { line in
                var block = self.trailers ?? ByteBuffer()
                HPACKWriter.writeField(bytes, line, into: &block)
                self.trailers = block
            }
        )
        switch progress {
        case .malformed:
            return self.reset(.internalError)
        // Answers come in pieces that end where nothing has to be kept to read on.
        case .more(let consumed) where consumed < buffer.readableBytes:
            return self.reset(.internalError)
        case .more:
            self.response = .body(reader)
        case .end:
            self.response = .ended
            self.output.end(trailers: self.trailers)
        }
        self.connection.send(self)
    }

    /// The client must make room in time for the end of an answer; for whoever serves the stream it
    /// is over.
    func renewDeadline() {
        guard case .ended = self.response else { return }
        let worker = self.connection.worker
        self.client.deadline = worker.now + worker.settings.timeouts.response
    }

    /// The end of an answer that lasts until its connection is closed.
    func closeOutput() {
        guard !self.isOver, case .body(.untilClose) = self.response else { return }
        self.response = .ended
        self.output.end(trailers: nil)
        self.connection.send(self)
    }

    func hasSentLast() {
        self.connection.resets.earn(1)
        if !self.hasEndedRequest { self.connection.linger(self.id) }
        self.end()
    }

    /// Whoever serves the stream closes it.
    func close() {
        guard !self.isOver else { return }
        self.reset(.internalError)
    }

    func hasSentAll() {
        self.callWhenWritten()
    }

    func waits() {
        self.renewDeadline()
    }

    func becameWritable() {
        self.client.becameWritable()
    }

    func flush() {
        self.connection.flush()
    }

    /// Calls back when everything that was written is on its way, or will never be.
    func whenAllWritten(_ done: @escaping () -> Void) {
        guard !self.isOver, self.output.hasMore else { return done() }
        self.whenWritten.append(done)
    }
}
