import NIOCore

/// What goes out.
extension UpstreamHTTP2Connection {
    /// What the gate knows of a request that was begun.
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
        let start = self.beginBlock(stream: id, endsStream: facts.framing == .none)
        HTTP2RequestBlock.write(
            self.requestParser.head,
            facts: facts,
            bytes: bytes,
            isSecure: self.isSecure,
            into: &self.outbound
        )
        self.outbound.endHeaderBlock(at: start, stream: id)
        return Opened(id: id, sendWindow: self.peer.initialWindow, framing: facts.framing)
    }

    /// - Returns: where the frame begins.
    private func beginBlock(stream: UInt32, endsStream: Bool) -> Int {
        let start = self.outbound.writerIndex
        self.outbound.writeFrameHeader(
            length: 0,
            type: .headers,
            flags: endsStream ? [.endHeaders, .endStream] : .endHeaders,
            stream: stream
        )
        if !self.hasWrittenBlock {
            self.hasWrittenBlock = true
            HPACKWriter.writeEmptyTable(into: &self.outbound)
        }
        return start
    }

    /// Sends what a stream has to send, as far as the backend makes room.
    func send(_ stream: UpstreamHTTP2Stream) {
        self.write(from: stream, atMost: .max)
        if !stream.isOver, stream.pending.readableBytes > 0, !stream.isWaiting {
            stream.isWaiting = true
            self.waiting.append(stream)
        }
    }

    /// Sends what waits, a frame of each stream in turn.
    func pump() {
        var blocked = 0
        while blocked < self.waiting.count, self.sendWindow > 0, self.isWritable,
            let stream = self.waiting.popFirst()
        {
            let wasWritable = stream.isWritable
            let before = stream.pending.readableBytes
            if !stream.isOver { self.write(from: stream, atMost: HTTP2FrameHeader.maxLength) }
            if stream.isOver || stream.pending.readableBytes == 0 {
                stream.isWaiting = false
                blocked = 0
            } else {
                self.waiting.append(stream)
                blocked = stream.pending.readableBytes < before ? 0 : blocked + 1
            }
            if !wasWritable, stream.isWritable { stream.upstream.client?.resumeReading() }
        }
        self.flush()
    }

    private func write(from stream: UpstreamHTTP2Stream, atMost limit: Int) {
        var left = limit
        while left > 0, stream.pending.readableBytes > 0 {
            let room = Swift.min(self.sendWindow, stream.sendWindow)
            let count = Swift.min(
                Swift.min(stream.pending.readableBytes, HTTP2FrameHeader.maxLength),
                Swift.min(room, left)
            )
            guard count > 0, self.isWritable else { return }
            var isLast = false
            if case .data = stream.ending { isLast = count == stream.pending.readableBytes }
            self.outbound.writeFrameHeader(
                length: count,
                type: .data,
                flags: isLast ? .endStream : [],
                stream: stream.id
            )
            if var piece = stream.pending.readSlice(length: count) {
                self.outbound.writeBuffer(&piece)
            }
            stream.sendWindow -= count
            self.sendWindow -= count
            left -= count
            // It is answered by updates of windows, of which backends send as many as they like.
            self.control.earn(16)
            if isLast { return stream.hasSentLast() }
            // Large bodies do not pile up here.
            if self.outbound.readableBytes >= Self.flushSize { self.flushNow() }
        }
        if stream.pending.readableBytes == 0 { self.writeEnding(of: stream) }
    }

    private func writeEnding(of stream: UpstreamHTTP2Stream) {
        stream.pending.clear()
        switch stream.ending {
        case .open, .sent: break
        case .data:
            self.outbound.writeFrameHeader(
                length: 0,
                type: .data,
                flags: .endStream,
                stream: stream.id
            )
            stream.hasSentLast()
        case .trailers(let block):
            let start = self.beginBlock(stream: stream.id, endsStream: true)
            self.outbound.writeImmutableBuffer(block)
            self.outbound.endHeaderBlock(at: start, stream: stream.id)
            stream.hasSentLast()
        }
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.outbound.writeResetStream(stream, code)
        self.flush()
    }

    func writeWindowUpdate(_ stream: UInt32, increment: Int) {
        self.outbound.writeWindowUpdate(stream, increment: increment)
        self.flush()
    }
}
