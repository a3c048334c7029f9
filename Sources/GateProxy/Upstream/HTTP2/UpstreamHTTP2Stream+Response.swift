import GateWire
import NIOCore

/// Handling received frames.
extension UpstreamHTTP2Stream {
    /// Handles the header section of an interim or final response, or a trailer section.
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

    /// Handles the content of a DATA frame.
    ///
    /// `length` is the length of the payload including padding, all of which counts toward the
    /// flow-control window.
    func receiveData(_ data: ByteBuffer, length: Int, endsStream: Bool) {
        guard case .content(let remaining) = self.response else {
            return self.failed(.http2, self.hasEndedResponse ? .streamClosed : .protocolError)
        }
        guard self.receiveWindow.receive(length) else {
            return self.failed(.http2, .flowControlError)
        }
        let count = UInt64(data.readableBytes)
        if let remaining {
            // A response whose length differs from `Content-Length` is malformed (RFC 9113 section 8.1.1).
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
        // If there is no receiver, the response was already complete.
        if self.upstream.receiver != nil {
            guard trailers.isForwardableTrailerSection else { return self.failed(.trailer) }
            self.deliver { $0.receive(trailers: trailers) }
        }
        self.finishLingering()
    }

    /// Whether a trailer section after content with a `Content-Length` can be forwarded to the client.
    ///
    /// HTTP/1.1 cannot transmit such a trailer section. For HTTP/1.1 clients, the response is
    /// complete after its last byte, even if the stream has not ended.
    private var mayTrailLength: Bool { self.upstream.receiver?.takesTrailersBehindLength ?? false }

    /// Ends the stream if the end of the response, for which it was kept open, has arrived.
    private func finishLingering() {
        if self.lingerEnd != nil, self.hasEndedResponse, !self.isOver { self.end() }
    }

    /// Passes data to the receiver, if there is one.
    private func deliver(_ part: (UpstreamConnection) -> Void) {
        guard let receiver = self.upstream.receiver else { return }
        part(self.upstream)
        self.connection.settleLater(receiver)
    }

    /// Increases the receive window, unless the client is too slow for the response.
    func makeRoom() {
        guard !self.isOver, self.id != 0, !self.hasEndedResponse, self.upstream.mayRead,
            let increment = self.receiveWindow.take()
        else { return }
        self.connection.writeWindowUpdate(self.id, increment: increment)
    }
}
