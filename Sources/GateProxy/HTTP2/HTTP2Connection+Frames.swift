import NIOCore

/// What comes in.
extension HTTP2Connection {
    /// The first bytes of every client (RFC 9113 3.4).
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    func readFrames() throws(HTTP2ErrorCode) {
        guard try self.readPreface() else { return }
        while !self.isClosing, let header = self.inbound.frameHeader {
            guard header.length <= HTTP2FrameHeader.maxLength else { throw .frameSizeError }
            try self.check(header)
            let size = HTTP2FrameHeader.size + header.length
            guard self.inbound.readableBytes >= size else { return }
            self.inbound.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
            guard let payload = self.inbound.readSlice(length: header.length) else { return }
            try self.read(header, payload)
            self.settle()
        }
    }

    /// - Returns: whether the preface has been read.
    private func readPreface() throws(HTTP2ErrorCode) -> Bool {
        guard case .preface = self.stage else { return true }
        let inbound = self.inbound
        guard Self.isPreface(inbound.readableBytesUInt8Span) else { throw .protocolError }
        let count = Self.preface.utf8CodeUnitCount
        guard inbound.readableBytes >= count else { return false }
        self.inbound.moveReaderIndex(forwardBy: count)
        self.stage = .settings
        return true
    }

    /// Whether bytes are the preface, as far as they go.
    static func isPreface(_ bytes: Span<UInt8>) -> Bool {
        let count = Swift.min(bytes.count, self.preface.utf8CodeUnitCount)
        return self.preface.withUTF8Buffer { preface in
            for index in 0..<count where unsafe bytes[index] != preface[index] { return false }
            return true
        }
    }

    /// What may come at all.
    private func check(_ header: HTTP2FrameHeader) throws(HTTP2ErrorCode) {
        if case .settings = self.stage {
            guard header.type == .settings, !header.flags.contains(.acknowledgement) else {
                throw .protocolError
            }
        }
        if let block = self.headerBlock {
            guard header.type == .continuation, header.stream == block.stream else {
                throw .protocolError
            }
        }
    }

    private func read(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        switch header.type {
        case .data: try self.readData(header, payload)
        case .headers: try self.readHeaders(header, payload)
        case .continuation: try self.readContinuation(header, payload)
        case .resetStream: try self.readReset(header, payload)
        case .windowUpdate: try self.readWindowUpdate(header, payload)
        case .settings: try self.readSettings(header, payload)
        case .ping: try self.readPing(header, payload)
        case .priority: try self.readPriority(header, payload)
        case .goAway:
            guard header.stream == 0 else { throw .protocolError }
            guard payload.readableBytes >= 8 else { throw .frameSizeError }
            try self.chargeControl()
        // Clients push nothing (RFC 9113 8.4).
        case .pushPromise: throw .protocolError
        case nil: try self.chargeControl()
        }
    }

    private func chargeControl() throws(HTTP2ErrorCode) {
        guard self.control.charge(at: self.worker.now) else { throw .enhanceYourCalm }
    }
}

extension HTTP2Connection {
    private func readData(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream != 0 else { throw .protocolError }
        try self.countReceived(header.length)
        let content = try header.content(of: payload)
        let endsStream = header.flags.contains(.endStream)
        if content.readableBytes > 0 { self.control.earn(2) } else { try self.chargeControl() }
        guard let stream = self.streams[header.stream], !stream.isOver else {
            self.credit(header.length)
            guard header.stream <= self.lastStream else { throw .protocolError }
            guard !self.passesOver(header.stream, endsStream: endsStream) else { return }
            return try self.refuse(header.stream, .streamClosed)
        }
        do throws(HTTP2ErrorCode) {
            try stream.receiveData(content, length: header.length, endsStream: endsStream)
        } catch {
            try self.refuse(header.stream, error)
        }
    }

    private func readHeaders(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        // Clients open streams with odd numbers (RFC 9113 5.1.1).
        guard header.stream % 2 == 1 else { throw .protocolError }
        var block = try header.content(of: payload)
        if header.flags.contains(.priority) {
            guard let dependency = block.readInteger(as: UInt32.self),
                block.readInteger(as: UInt8.self) != nil
            else { throw .frameSizeError }
            guard dependency & 0x7FFF_FFFF != header.stream else { throw .protocolError }
        }
        let endsStream = header.flags.contains(.endStream)
        guard header.flags.contains(.endHeaders) else {
            self.headerBlock = HTTP2HeaderBlock(
                stream: header.stream,
                endsStream: endsStream,
                bytes: block
            )
            self.deadline = self.worker.now + self.worker.settings.timeouts.head
            return
        }
        try self.readBlock(block, stream: header.stream, endsStream: endsStream)
    }

    private func readContinuation(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard var block = self.headerBlock else { throw .protocolError }
        try block.append(payload, limit: self.worker.settings.headLimits.bytes)
        guard header.flags.contains(.endHeaders) else {
            self.headerBlock = block
            return
        }
        self.headerBlock = nil
        self.deadline =
            self.streams.isEmpty ? self.worker.now + self.worker.settings.timeouts.idle : nil
        try self.readBlock(block.bytes, stream: block.stream, endsStream: block.endsStream)
    }

    private func readBlock(
        _ block: ByteBuffer,
        stream id: UInt32,
        endsStream: Bool
    ) throws(HTTP2ErrorCode) {
        self.fields.removeAll()
        // Whatever becomes of the stream: later blocks refer to what stands in this one.
        do throws(HPACKFault) {
            try self.decoder.decode(
                block.readableBytesUInt8Span,
                into: &self.fields,
                limit: self.worker.settings.headLimits.bytes
            )
        } catch {
            throw .compressionError
        }
        if let stream = self.streams[id], !stream.isOver {
            return try self.readTrailers(of: stream, endsStream: endsStream)
        }
        guard id > self.lastStream else {
            guard !self.passesOver(id, endsStream: endsStream) else { return }
            throw .streamClosed
        }
        self.lastStream = id
        guard self.lastServedStream == nil else { return try self.chargeControl() }
        try self.open(id, endsStream: endsStream)
    }

    private func readTrailers(
        of stream: HTTP2Stream,
        endsStream: Bool
    ) throws(HTTP2ErrorCode) {
        do throws(HTTP2ErrorCode) {
            guard !stream.hasEndedRequest else { throw .streamClosed }
            guard endsStream else { throw .protocolError }
            try stream.receiveTrailers(self.fields)
        } catch {
            try self.refuse(stream.id, error)
        }
    }

    /// Begins a request.
    private func open(_ id: UInt32, endsStream: Bool) throws(HTTP2ErrorCode) {
        guard self.streams.count < Self.maxStreams else {
            return try self.refuse(id, .refusedStream)
        }
        var head = self.worker.takeBuffer()
        let body: HTTP2RequestHead.Body
        let isHead: Bool
        if self.fields.isTooLarge {
            body = endsStream ? .none : .chunked
            isHead = HTTP2RequestHead.isHead(self.fields)
        } else {
            do throws(HTTP2RequestHead.Malformed) {
                (body, isHead) = try HTTP2RequestHead.write(
                    self.fields,
                    endsStream: endsStream,
                    into: &head
                )
            } catch {
                return try self.refuse(id, .protocolError)
            }
        }
        let stream = self.takeStream()
        self.streams[id] = stream
        self.deadline = nil
        stream.begin(
            id: id,
            body: endsStream ? .none : body,
            isHead: isHead,
            sendWindow: self.peer.initialWindow
        )
        stream.client.enterStream()
        if self.fields.isTooLarge {
            stream.client.refuse(GateAnswer(.headTooLarge))
        } else {
            stream.client.received(head)
            self.worker.giveBack(head)
        }
        self.control.earn(8)
    }
}

extension HTTP2Connection {
    private func readReset(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream != 0, header.stream <= self.lastStream else { throw .protocolError }
        guard payload.readableBytes == 4 else { throw .frameSizeError }
        if let stream = self.streams[header.stream], stream.hasBegunResponse {
            // Given up for what it brought, or for how long it lasted: no race for the backend.
            try self.chargeControl()
        } else if !self.resets.charge(at: self.worker.now) {
            throw .enhanceYourCalm
        }
        _ = self.passesOver(header.stream, endsStream: true)
        self.streams[header.stream]?.end()
    }

    private func readWindowUpdate(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard payload.readableBytes == 4,
            let value = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        try self.chargeControl()
        let increment = Int(value & 0x7FFF_FFFF)
        guard header.stream != 0 else {
            guard increment > 0 else { throw .protocolError }
            self.sendWindow += increment
            guard self.sendWindow <= HTTP2PeerSettings.largestWindow else {
                throw .flowControlError
            }
            return self.pump()
        }
        guard header.stream <= self.lastStream else { throw .protocolError }
        guard let stream = self.streams[header.stream], !stream.isOver else { return }
        guard increment > 0 else { return try self.refuse(stream.id, .protocolError) }
        stream.sendWindow += increment
        guard stream.sendWindow <= HTTP2PeerSettings.largestWindow else {
            return try self.refuse(stream.id, .flowControlError)
        }
        if stream.isWaiting { self.pump() }
    }

    private func readSettings(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream == 0 else { throw .protocolError }
        guard !header.flags.contains(.acknowledgement) else {
            guard payload.readableBytes == 0 else { throw .frameSizeError }
            return
        }
        try self.chargeControl()
        let before = self.peer.initialWindow
        try self.peer.apply(payload)
        let change = self.peer.initialWindow - before
        if change != 0 {
            for stream in self.streams.values {
                stream.sendWindow += change
                guard stream.sendWindow <= HTTP2PeerSettings.largestWindow else {
                    throw .flowControlError
                }
            }
        }
        self.outbound.writeFrameHeader(
            length: 0,
            type: .settings,
            flags: .acknowledgement,
            stream: 0
        )
        if case .settings = self.stage {
            self.stage = .open
            self.deadline = self.worker.now + self.worker.settings.timeouts.idle
        }
        if change > 0 { self.pump() }
    }

    private func readPing(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream == 0 else { throw .protocolError }
        guard payload.readableBytes == 8 else { throw .frameSizeError }
        try self.chargeControl()
        guard !header.flags.contains(.acknowledgement) else { return }
        self.outbound.writeFrameHeader(
            length: 8,
            type: .ping,
            flags: .acknowledgement,
            stream: 0
        )
        self.outbound.writeImmutableBuffer(payload)
    }

    /// Priorities are not heeded (RFC 9113 5.3), only their form.
    private func readPriority(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream != 0 else { throw .protocolError }
        guard payload.readableBytes == 5,
            let dependency = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        guard dependency & 0x7FFF_FFFF != header.stream else { throw .protocolError }
        try self.chargeControl()
    }
}
