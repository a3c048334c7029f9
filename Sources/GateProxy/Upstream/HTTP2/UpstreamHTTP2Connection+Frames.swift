import GateWire
import NIOCore

/// Handling received frames.
extension UpstreamHTTP2Connection {
    /// The minimum window increment, in bytes, of a WINDOW_UPDATE frame that does not count as a
    /// control frame.
    private static let largeIncrement = 1024

    func read(_ frame: HTTP2ReceivedFrame) throws(HTTP2ErrorCode) {
        switch frame {
        case .data(let stream, let content, let length, let endsStream):
            try self.readData(stream, content, length: length, endsStream: endsStream)
        case .headers(let block): try self.readHeaders(block)
        case .headersBegun(let stream):
            guard self.budget.hasOpened(stream) else { throw .protocolError }
        case .headersContinued: break
        case .reset(let stream, let code): try self.stream(stream)?.reset(code)
        case .windowUpdate(let stream, let increment):
            try self.readWindowUpdate(stream, increment)
        case .settings(let payload): try self.readSettings(payload)
        case .settingsAcknowledged: break
        case .ping(let payload):
            try self.chargeControl()
            self.outbox.answerPing(payload)
        case .goAway(let last, let code): try self.readGoAway(last: last, code)
        case .pingAcknowledged, .other: try self.chargeControl()
        }
    }

    private func chargeControl() throws(HTTP2ErrorCode) {
        guard self.control.charge(at: self.lastReceived) else { throw .enhanceYourCalm }
    }

    /// Returns the stream of a frame, or `nil` if the stream has ended, in which case frames may
    /// still arrive.
    private func stream(_ id: UInt32) throws(HTTP2ErrorCode) -> UpstreamHTTP2Stream? {
        guard self.budget.hasOpened(id) else { throw .protocolError }
        if let stream = self.streams[id] { return stream }
        try self.chargeControl()
        return nil
    }

    private func readData(
        _ id: UInt32,
        _ content: ByteBuffer,
        length: Int,
        endsStream: Bool
    ) throws(HTTP2ErrorCode) {
        // The connection window is reopened at once, so that a slow client cannot block the other streams.
        guard self.receiveWindow.receive(length) else { throw .flowControlError }
        if let increment = self.receiveWindow.take() {
            self.writeWindowUpdate(0, increment: increment)
        }
        if content.readableBytes > 0 { self.control.earn(2) } else { try self.chargeControl() }
        try self.stream(id)?.receiveData(content, length: length, endsStream: endsStream)
    }

    private func readHeaders(_ block: HTTP2HeaderBlock) throws(HTTP2ErrorCode) {
        guard self.budget.hasOpened(block.stream) else { throw .protocolError }
        // The block is decoded even if its stream has ended, because it can add entries to the
        // dynamic table that later blocks refer to.
        try self.headers.read(block.bytes, names: .response)
        guard let stream = try self.stream(block.stream) else { return }
        self.control.earn(8)
        stream.receiveFields(endsStream: block.endsStream)
    }

    private func readWindowUpdate(_ id: UInt32, _ increment: Int) throws(HTTP2ErrorCode) {
        // A large body can cause increments at a rate that would look like a flood.
        if increment < Self.largeIncrement { try self.chargeControl() }
        guard id != 0 else { return try self.widen(by: increment) }
        guard let stream = try self.stream(id) else { return }
        do throws(HTTP2ErrorCode) {
            try self.widen(stream, by: increment)
        } catch {
            stream.failed(.http2, error)
        }
    }

    private func readSettings(_ payload: ByteBuffer) throws(HTTP2ErrorCode) {
        try self.chargeControl()
        let change = try self.apply(settings: payload)
        self.budget.allow(self.peer.maxStreams)
        self.becomeReady()
        if change > 0 { self.pump() }
    }

    private func becomeReady() {
        guard case .opening(let promise) = self.stage else { return }
        self.stage = .open
        guard self.budget.hasRoom else {
            promise.fail(Failure.allowsNoStreams)
            return self.shutDown()
        }
        promise.succeed()
    }

    /// Handles GOAWAY, with which the backend stops accepting requests.
    ///
    /// The backend has not processed the requests with stream IDs above `last` (RFC 9113 section 6.8).
    private func readGoAway(last: UInt32, _ code: UInt32) throws(HTTP2ErrorCode) {
        try self.chargeControl()
        if code != HTTP2ErrorCode.noError.rawValue {
            self.member?.report("HTTP/2: the backend closed the connection with error code \(code)")
        }
        self.budget.retire()
        for stream in self.streams.all where stream.id > last { stream.refused() }
    }
}
