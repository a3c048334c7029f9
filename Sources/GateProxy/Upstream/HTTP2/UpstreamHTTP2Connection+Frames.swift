import NIOCore

/// What comes in.
extension UpstreamHTTP2Connection {
    /// Room that is worth a frame of its own, in bytes.
    private static let largeIncrement = 1024

    func readFrames() throws(HTTP2ErrorCode) {
        while !self.isClosing, let header = self.inbound.frameHeader {
            guard header.length <= HTTP2FrameHeader.maxLength else { throw .frameSizeError }
            try self.check(header)
            let size = HTTP2FrameHeader.size + header.length
            guard self.inbound.readableBytes >= size else { return }
            self.inbound.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
            guard let payload = self.inbound.readSlice(length: header.length) else { return }
            try self.read(header, payload)
        }
    }

    /// What may come at all.
    private func check(_ header: HTTP2FrameHeader) throws(HTTP2ErrorCode) {
        if case .opening = self.stage {
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
        case .goAway: try self.readGoAway(header, payload)
        // The gate has said that it takes none (RFC 9113 8.4).
        case .pushPromise: throw .protocolError
        case .priority, nil: try self.chargeControl()
        }
    }

    private func chargeControl() throws(HTTP2ErrorCode) {
        guard self.control.charge(at: self.lastReceived) else { throw .enhanceYourCalm }
    }

    /// The stream that a frame is for; `nil`: one that is over, for which frames may still come.
    private func stream(_ id: UInt32) throws(HTTP2ErrorCode) -> UpstreamHTTP2Stream? {
        guard self.budget.hasOpened(id) else { throw .protocolError }
        if let stream = self.streams[id] { return stream }
        try self.chargeControl()
        return nil
    }
}

extension UpstreamHTTP2Connection {
    private func readData(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        let content = try header.content(of: payload)
        // What all streams share is given back at once: one slow client must not stop the others.
        guard self.receiveWindow.receive(header.length) else { throw .flowControlError }
        if let increment = self.receiveWindow.take() {
            self.writeWindowUpdate(0, increment: increment)
        }
        if content.readableBytes > 0 { self.control.earn(2) } else { try self.chargeControl() }
        try self.stream(header.stream)?.receiveData(
            content,
            length: header.length,
            endsStream: header.flags.contains(.endStream)
        )
    }

    private func readHeaders(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard self.budget.hasOpened(header.stream) else { throw .protocolError }
        var block = try header.content(of: payload)
        if header.flags.contains(.priority) {
            guard block.readableBytes >= 5 else { throw .frameSizeError }
            block.moveReaderIndex(forwardBy: 5)
        }
        let endsStream = header.flags.contains(.endStream)
        guard header.flags.contains(.endHeaders) else {
            self.headerBlock = HTTP2HeaderBlock(
                stream: header.stream,
                endsStream: endsStream,
                bytes: block
            )
            return
        }
        try self.readBlock(block, stream: header.stream, endsStream: endsStream)
    }

    private func readContinuation(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard var block = self.headerBlock else { throw .protocolError }
        // One that is only a little too large is the fault of its stream, not of all of them.
        try block.append(payload, limit: 4 * self.limits.bytes)
        guard header.flags.contains(.endHeaders) else {
            self.headerBlock = block
            return
        }
        self.headerBlock = nil
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
                limit: self.limits.bytes
            )
        } catch {
            throw .compressionError
        }
        guard let stream = try self.stream(id) else { return }
        self.control.earn(8)
        stream.receiveFields(self.fields, endsStream: endsStream)
    }
}

extension UpstreamHTTP2Connection {
    private func readReset(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard payload.readableBytes == 4,
            let code = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        try self.stream(header.stream)?.reset(code)
    }

    private func readWindowUpdate(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard payload.readableBytes == 4,
            let value = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        let increment = Int(value & 0x7FFF_FFFF)
        // Room for a large body comes in more frames than could be told from a flood.
        if increment < Self.largeIncrement { try self.chargeControl() }
        guard header.stream != 0 else {
            guard increment > 0 else { throw .protocolError }
            self.sendWindow += increment
            guard self.sendWindow <= HTTP2PeerSettings.largestWindow else {
                throw .flowControlError
            }
            return self.pump()
        }
        guard let stream = try self.stream(header.stream) else { return }
        guard increment > 0 else { return stream.failed(.http2) }
        stream.sendWindow += increment
        guard stream.sendWindow <= HTTP2PeerSettings.largestWindow else {
            return stream.failed(.http2, .flowControlError)
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
        // Servers cannot be pushed anything (RFC 9113 6.5.2).
        guard !self.peer.takesPushes else { throw .protocolError }
        let change = self.peer.initialWindow - before
        for stream in self.streams.values {
            stream.sendWindow += change
            guard stream.sendWindow <= HTTP2PeerSettings.largestWindow else {
                throw .flowControlError
            }
        }
        self.outbound.writeFrameHeader(
            length: 0,
            type: .settings,
            flags: .acknowledgement,
            stream: 0
        )
        self.budget.allow(self.peer.maxStreams)
        self.becomeReady()
        if change > 0 { self.pump() }
    }

    private func becomeReady() {
        guard case .opening(let promise) = self.stage else { return }
        self.stage = .open
        guard self.budget.hasRoom else {
            promise.fail(Failure.takesNoRequests)
            return self.shutDown()
        }
        promise.succeed()
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

    /// The backend takes no more requests, and has not looked at those behind the last one that it
    /// names (RFC 9113 6.8).
    private func readGoAway(
        _ header: HTTP2FrameHeader,
        _ payload: ByteBuffer
    ) throws(HTTP2ErrorCode) {
        guard header.stream == 0 else { throw .protocolError }
        var payload = payload
        guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw .frameSizeError
        }
        try self.chargeControl()
        if code != HTTP2ErrorCode.noError.rawValue {
            self.member?.report("HTTP/2: the backend ends the connection with code \(code)")
        }
        self.budget.retire()
        for (id, stream) in self.streams where id > last & 0x7FFF_FFFF { stream.refused() }
    }
}
