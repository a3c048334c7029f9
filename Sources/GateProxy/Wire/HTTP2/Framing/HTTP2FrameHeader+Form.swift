import NIOCore

/// The form of each kind of frame (RFC 9113 6).
extension HTTP2FrameHeader {
    /// The payload without its padding (RFC 9113 6.1).
    func content(of payload: ByteBuffer) throws(HTTP2ErrorCode) -> ByteBuffer {
        guard self.flags.contains(.padded) else { return payload }
        var payload = payload
        guard let padding = payload.readInteger(as: UInt8.self) else { throw .frameSizeError }
        guard let content = payload.readSlice(length: payload.readableBytes - Int(padding)) else {
            throw .protocolError
        }
        return content
    }

    func reset(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream != 0 else { throw .protocolError }
        return .reset(stream: self.stream, code: try self.number(payload))
    }

    /// That its increment is more than 0 is a matter of its stream (RFC 9113 6.9).
    func windowUpdate(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        let value = try self.number(payload)
        return .windowUpdate(stream: self.stream, increment: Int(value & 0x7FFF_FFFF))
    }

    private func number(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> UInt32 {
        guard payload.readableBytes == 4,
            let number = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        return number
    }

    func settings(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        guard self.flags.contains(.acknowledgement) else { return .settings(payload) }
        guard payload.readableBytes == 0 else { throw .frameSizeError }
        return .settingsAcknowledged
    }

    func ping(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        guard payload.readableBytes == 8 else { throw .frameSizeError }
        return self.flags.contains(.acknowledgement) ? .pingAcknowledged : .ping(payload)
    }

    func goAway(_ payload: ByteBuffer) throws(HTTP2ErrorCode) -> HTTP2ReceivedFrame {
        guard self.stream == 0 else { throw .protocolError }
        var payload = payload
        guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw .frameSizeError
        }
        return .goAway(last: last & 0x7FFF_FFFF, code: code)
    }

    /// Priorities are not heeded (RFC 9113 5.3), only their form.
    func checkPriority(_ payload: ByteBuffer) throws(HTTP2ErrorCode) {
        guard self.stream != 0 else { throw .protocolError }
        guard payload.readableBytes == 5,
            let dependency = payload.getInteger(at: payload.readerIndex, as: UInt32.self)
        else { throw .frameSizeError }
        guard dependency & 0x7FFF_FFFF != self.stream else { throw .protocolError }
    }
}
