import GateWire
import NIOCore

/// Handlers for incoming frames.
extension HTTP2Connection {
    func read(_ frame: HTTP2ReceivedFrame) throws(HTTP2ErrorCode) {
        switch frame {
        case .data(let stream, let content, let length, let endsStream):
            try self.readData(stream, content, length: length, endsStream: endsStream)
        case .headers(let block): try self.readHeaders(block)
        case .headersBegun:
            self.deadline = self.loop.now + self.loop.settings.timeouts.head
        case .headersContinued: break
        case .reset(let stream, _): try self.readReset(stream)
        case .windowUpdate(let stream, let increment):
            try self.readWindowUpdate(stream, increment)
        case .settings(let payload): try self.readSettings(payload)
        case .settingsAcknowledged: break
        case .ping(let payload):
            try self.chargeControl()
            self.outbox.answerPing(payload)
        case .pingAcknowledged, .goAway, .other: try self.chargeControl()
        }
        self.settle()
    }

    private func chargeControl() throws(HTTP2ErrorCode) {
        guard self.budgets.control.charge(at: self.loop.now) else { throw .enhanceYourCalm }
    }

    private func readData(
        _ id: UInt32,
        _ content: ByteBuffer,
        length: Int,
        endsStream: Bool
    ) throws(HTTP2ErrorCode) {
        guard self.receiveWindow.receive(length) else { throw .flowControlError }
        if content.readableBytes > 0 {
            self.budgets.control.earn(2)
        } else {
            try self.chargeControl()
        }
        guard let stream = self.streams[id], !stream.isOver else {
            self.credit(length)
            guard id <= self.lastStream else { throw .protocolError }
            return try self.passOver(
                .data(content.readableBytes, length: length),
                of: id,
                isLast: endsStream
            )
        }
        do throws(HTTP2ErrorCode) {
            try stream.receiveData(content, length: length, endsStream: endsStream)
        } catch {
            try self.refuse(id, error)
        }
    }

    private func readReset(_ stream: UInt32) throws(HTTP2ErrorCode) {
        guard stream <= self.lastStream else { throw .protocolError }
        if let stream = self.streams[stream], stream.hasBegunResponse {
            // The client canceled after the response had started, so this does not count as a reset that wastes the
            // backend's work.
            try self.chargeControl()
        } else if !self.budgets.resets.charge(at: self.loop.now) {
            throw .enhanceYourCalm
        }
        self.closedStreams.unfinished[stream] = nil
        self.streams[stream]?.wasReset()
    }

    private func readWindowUpdate(_ id: UInt32, _ increment: Int) throws(HTTP2ErrorCode) {
        try self.chargeControl()
        guard id != 0 else { return try self.widen(by: increment) }
        guard id <= self.lastStream else { throw .protocolError }
        guard let stream = self.streams[id], !stream.isOver else { return }
        do throws(HTTP2ErrorCode) {
            try self.widen(stream, by: increment)
        } catch {
            try self.refuse(id, error)
        }
    }

    private func readSettings(_ payload: ByteBuffer) throws(HTTP2ErrorCode) {
        try self.chargeControl()
        let change = try self.apply(settings: payload)
        if case .opening = self.stage {
            self.stage = .open
            self.deadline = self.loop.now + self.loop.settings.timeouts.idle
        }
        if change > 0 { self.pump() }
    }
}

/// Handlers for header sections.
extension HTTP2Connection {
    private func readHeaders(_ block: HTTP2HeaderBlock) throws(HTTP2ErrorCode) {
        if block.isSplit {
            self.deadline =
                self.streams.isEmpty ? self.loop.now + self.loop.settings.timeouts.idle : nil
        }
        // The block is always decoded, because later blocks may refer to its entries in the dynamic table.
        self.turn.readSection()
        try self.headers.read(block.bytes, names: self.loop.rules.table)
        let id = block.stream
        guard id > self.lastStream else {
            if let stream = self.streams[id], !stream.isOver {
                return try self.readTrailers(of: stream, endsStream: block.endsStream)
            }
            let isSection = self.headers.fields.isTrailerSection
            return try self.passOver(
                .trailers(isSection: isSection),
                of: id,
                isLast: block.endsStream
            )
        }
        self.lastStream = id
        guard self.lastServedStream == nil else { return try self.chargeControl() }
        try self.open(id, endsStream: block.endsStream)
    }

    private func readTrailers(
        of stream: HTTP2Stream,
        endsStream: Bool
    ) throws(HTTP2ErrorCode) {
        do throws(HTTP2ErrorCode) {
            guard !stream.hasEndedRequest else { throw .streamClosed }
            guard endsStream else { throw .protocolError }
            try stream.receiveTrailers(self.headers.fields)
        } catch {
            try self.refuse(stream.id, error)
        }
    }

    private func open(_ id: UInt32, endsStream: Bool) throws(HTTP2ErrorCode) {
        guard self.streams.count < Self.maxStreams else {
            return try self.refuse(id, .refusedStream)
        }
        let loop = self.loop
        var head = RequestHead()
        let body: HTTP2RequestHead.Body
        var fault: MessageFault?
        var isHead = false
        if self.headers.fields.isTooLarge {
            fault = .headTooLarge
            isHead = HTTP2RequestHead.isHead(self.headers.fields)
            body = endsStream ? .none : .any
        } else {
            do throws(HTTP2RequestHead.Fault) {
                body = try HTTP2RequestHead.read(
                    &self.headers.fields,
                    endsStream: endsStream,
                    limits: self.origin.headLimits(loop.settings),
                    into: &head
                )
            } catch {
                guard case .refused(let refused) = error else {
                    return try self.refuse(id, .protocolError)
                }
                fault = refused
                let bytes = self.headers.fields.bytes
                isHead = head.method("HEAD", in: bytes.span)
                body = endsStream ? .none : .any
            }
        }
        let stream = self.takeStream()
        self.streams[id] = stream
        self.deadline = nil
        stream.begin(
            id: id,
            body: body,
            hasEnded: endsStream,
            sendWindow: self.peer.initialWindow
        )
        let client = stream.client
        client.enterStream()
        if let fault {
            client.refuse(fault, isHead: isHead)
        } else {
            let bytes = self.headers.fields.bytes
            client.received(head, in: bytes.span)
            self.headers.fields.reuseLines(of: &head)
        }
        self.budgets.control.earn(8)
    }
}
