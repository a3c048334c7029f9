import GateWire
import NIOCore

/// The frames that come from the backend.
extension UpstreamHTTP2Stream {
    /// A header section: an interim response, the response's head, or its trailers.
    func receiveFields(endsStream: Bool) {
        if case .content(let remaining) = self.response {
            return self.receiveTrailers(endsStream: endsStream, remaining: remaining)
        }
        guard case .head = self.response else { return self.failed(.http2, .streamClosed) }
        self.isAnswered = true
        let content: HTTP2ResponseHead.Content
        do throws(MessageFault) {
            content = try self.connection.readHead(
                endsStream: endsStream,
                answersHead: self.upstream.answersHead
            )
        } catch {
            return self.failed(error)
        }
        let head = self.connection.responseHead
        if !head.isInterim {
            self.response =
                switch content {
                case _ where endsStream: .ended
                case .none: .content(remaining: 0)
                case .length(let length): .content(remaining: length)
                case .any: .content(remaining: nil)
                }
        }
        let bytes = self.connection.headers.fields.bytes
        self.deliver { upstream in
            upstream.receive(head, in: bytes.span)
            guard !head.isInterim, content == .none || content == .length(0) else { return }
            upstream.receive(ByteBuffer(), isLast: true)
        }
    }

    /// `length`: the frame's payload with its padding, which counts for flow control.
    func receiveData(_ data: ByteBuffer, length: Int, endsStream: Bool) {
        guard case .content(let remaining) = self.response else {
            return self.failed(.http2, self.hasEndedResponse ? .streamClosed : .protocolError)
        }
        guard self.receiveWindow.receive(length) else {
            return self.failed(.http2, .flowControlError)
        }
        let count = UInt64(data.readableBytes)
        if let remaining {
            // More or fewer bytes than announced: malformed (RFC 9113 8.1.1).
            guard count <= remaining, !endsStream || count == remaining else {
                return self.failed(.contentLength)
            }
        }
        self.response = endsStream ? .ended : .content(remaining: remaining.map { $0 - count })
        let isLast = endsStream || remaining == count && !self.mayTrailLength
        if count > 0 || isLast { self.deliver { $0.receive(data, isLast: isLast) } }
        self.finishLingering()
        self.makeRoom()
    }

    private func receiveTrailers(endsStream: Bool, remaining: UInt64?) {
        let trailers = self.connection.headers.fields
        guard endsStream, trailers.isTrailerSection else { return self.failed(.trailer) }
        self.response = .ended
        guard (remaining ?? 0) == 0 else { return self.failed(.contentLength) }
        // Without a receiver the answer was complete before.
        if self.upstream.receiver != nil {
            guard trailers.mayTrail else { return self.failed(.trailer) }
            self.deliver { $0.receive(trailers: trailers) }
        }
        self.finishLingering()
    }

    /// Whether trailers behind content whose length was announced reach the client: HTTP/1.1 has no place for them, so
    /// that the answer is complete with its last byte there, before the stream has ended.
    private var mayTrailLength: Bool { self.upstream.receiver?.takesTrailersBehindLength ?? false }

    /// The frame that came may have been the end that was waited for.
    private func finishLingering() {
        if self.lingerEnd != nil, self.hasEndedResponse, !self.isOver { self.end() }
    }

    /// Hands on what has come, if somebody still waits for it.
    private func deliver(_ part: (UpstreamConnection) -> Void) {
        guard let receiver = self.upstream.receiver else { return }
        part(self.upstream)
        self.connection.settleLater(receiver)
    }

    /// Lets the backend send more, if the client takes what it has sent so far.
    func makeRoom() {
        guard !self.isOver, self.id != 0, !self.hasEndedResponse, self.upstream.mayRead,
            let increment = self.receiveWindow.take()
        else { return }
        self.connection.writeWindowUpdate(self.id, increment: increment)
    }
}
