import NIOCore

/// What goes out.
extension HTTP2Connection {
    /// Sends what a stream has to send, as far as the client makes room.
    func send(_ stream: HTTP2Stream) {
        self.write(from: stream, atMost: .max)
        if !stream.isOver, stream.pending.readableBytes > 0, !stream.isWaiting {
            stream.isWaiting = true
            self.waiting.append(stream)
            stream.renewDeadline()
        }
        self.flush()
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
            guard !stream.isOver, stream.pending.readableBytes > 0 else {
                stream.isWaiting = false
                if !wasWritable, !stream.isOver { stream.client.becameWritable() }
                blocked = 0
                continue
            }
            self.waiting.append(stream)
            if stream.pending.readableBytes < before {
                blocked = 0
                stream.renewDeadline()
            } else {
                blocked += 1
            }
            if !wasWritable, stream.isWritable { stream.client.becameWritable() }
        }
        self.flush()
    }

    private func write(from stream: HTTP2Stream, atMost limit: Int) {
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
            if let bytes = stream.pending.readSlice(length: count) {
                self.outbound.writeImmutableBuffer(bytes)
            }
            stream.sendWindow -= count
            self.sendWindow -= count
            left -= count
            // A client that makes room for a body byte by byte earns nothing by it.
            if stream.pending.readableBytes == 0 || count >= 1024 { self.control.earn(4) }
            if self.outbound.readableBytes >= Self.flushSize { self.flushNow() }
            if isLast {
                stream.pending = ByteBuffer()
                return stream.hasSentAll()
            }
        }
        guard stream.pending.readableBytes == 0 else { return }
        switch stream.ending {
        case .open:
            stream.callWhenWritten()
        case .data:
            self.outbound.writeFrameHeader(
                length: 0,
                type: .data,
                flags: .endStream,
                stream: stream.id
            )
            stream.hasSentAll()
        case .trailers(let block):
            let start = self.beginBlock(stream: stream.id, endsStream: true)
            self.outbound.writeImmutableBuffer(block)
            self.outbound.endHeaderBlock(at: start, stream: stream.id)
            stream.hasSentAll()
        case .sent:
            break
        }
    }

    /// Writes the head of an answer.
    func writeHeaders(
        _ head: ResponseHead,
        in bytes: Span<UInt8>,
        stream: UInt32,
        endsStream: Bool
    ) {
        let start = self.beginBlock(stream: stream, endsStream: endsStream)
        HPACKWriter.writeStatus(head.status, into: &self.outbound)
        // A call that fails at once has nothing but trailers (gRPC over HTTP/2, trailers-only).
        let isTrailersOnly =
            endsStream
            && head.fields.lines.contains {
                bytes.matches("grpc-status", from: $0.start, to: $0.nameEnd)
            }
        for line in head.fields.lines {
            switch line.role {
            case .connection, .transferEncoding, .upgrade, .te, .hopByHop: continue
            case .contentLength where isTrailersOnly: continue
            case .other, .host, .contentLength, .expect, .origin, .contentType, .accept,
                .requestID, .accessControlRequestMethod, .forwarded, .gateOwned, .identity:
                HPACKWriter.writeField(bytes, line, into: &self.outbound)
            }
        }
        self.outbound.endHeaderBlock(at: start, stream: stream)
        self.flush()
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
}
