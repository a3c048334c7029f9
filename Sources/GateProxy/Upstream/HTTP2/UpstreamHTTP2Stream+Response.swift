import GateWire
import NIOCore

/// The frames that come from the backend.
extension UpstreamHTTP2Stream {
    /// A header section: an interim response, the response's head, or its trailers.
    func receiveFields(_ list: borrowing HeaderList, endsStream: Bool) {
        if case .content(let remaining) = self.response {
            return self.receiveTrailers(list, endsStream: endsStream, remaining: remaining)
        }
        guard case .head = self.response else { return self.failed(.http2, .streamClosed) }
        self.isAnswered = true
        self.forgetSent()
        var bytes = self.connection.takeScratch()
        let head: HTTP2ResponseHead
        do throws(MessageFault) {
            head = try HTTP2ResponseHead.write(
                list,
                endsStream: endsStream,
                answersHead: self.upstream.answersHead,
                into: &bytes
            )
        } catch {
            return self.failed(error)
        }
        if !head.isInterim {
            self.response =
                switch head.content {
                case _ where endsStream: .ended
                case .none: .content(remaining: 0)
                case .length(let length): .content(remaining: length)
                case .any: .content(remaining: nil)
                }
        }
        self.deliver(scratch: bytes)
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
            self.response = endsStream ? .ended : .content(remaining: remaining - count)
            if count > 0 { self.deliver(data) }
        } else {
            if endsStream { self.response = .ended }
            if count > 0 || endsStream {
                var chunk = self.connection.takeScratch()
                chunk.writeChunk(data, isLast: endsStream)
                self.deliver(scratch: chunk)
            }
        }
        self.finishLingering()
        self.makeRoom()
    }

    private func receiveTrailers(
        _ list: borrowing HeaderList,
        endsStream: Bool,
        remaining: UInt64?
    ) {
        guard endsStream, !list.isTooLarge else { return self.failed(.trailer) }
        var trailers = self.connection.takeScratch()
        guard HTTP2FieldSyntax.writeTrailers(list, into: &trailers) else {
            return self.failed(.trailer)
        }
        self.response = .ended
        switch remaining {
        case nil: self.deliver(scratch: trailers)
        // HTTP/1.1 has no place for trailers behind a counted body.
        case 0: break
        case .some: return self.failed(.contentLength)
        }
        self.finishLingering()
    }

    /// The frame that came may have been the end that was waited for.
    private func finishLingering() {
        if self.lingerEnd != nil, self.hasEndedResponse, !self.isOver { self.end() }
    }

    private func deliver(_ bytes: ByteBuffer) {
        guard let receiver = self.upstream.receiver else { return }
        self.upstream.receive(bytes, for: receiver)
        self.connection.settleLater(receiver)
    }

    private func deliver(scratch bytes: ByteBuffer) {
        self.deliver(bytes)
        self.connection.giveBack(scratch: bytes)
    }

    /// Lets the backend send more, if the client takes what it has sent so far.
    func makeRoom() {
        guard !self.isOver, self.id != 0, !self.hasEndedResponse, self.upstream.mayRead,
            let increment = self.receiveWindow.take()
        else { return }
        self.connection.writeWindowUpdate(self.id, increment: increment)
    }
}
