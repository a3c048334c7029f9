import GateWire
import NIOCore

/// A connection that turns out to speak HTTP/2.
extension ClientConnection {
    /// Whether the head that cannot be read is the beginning of HTTP/2 by prior knowledge (RFC 9113
    /// 3.3), which is then spoken as soon as it is complete.
    func beginsHTTP2() -> Bool {
        // Over TLS the protocol was agreed upon before.
        guard !self.parser.hasReadLine, !self.isResumed, !self.origin.isSecure,
            case .channel = self.transport
        else {
            return false
        }
        let inbound = self.inbound
        guard HTTP2Preface.isBegun(by: inbound.readableBytesUInt8Span) else { return false }
        self.becomeHTTP2()
        return true
    }

    /// Leaves the connection to HTTP/2, with what was received of it.
    func becomeHTTP2() {
        guard case .channel(let output) = self.transport, self.exchange == .head else { return }
        let context = output.context
        let received = self.inbound
        self.inbound = ByteBuffer()
        self.exchange.close()
        let connection = HTTP2Connection(clients: self.clients, origin: self.origin)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(connection, position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        self.clients.remove(self)
        pipeline.removeHandler(context: context, promise: nil)
        if self.refusal != nil { connection.fail(.enhanceYourCalm) }
        if received.readableBytes > 0 { connection.begin(with: received) }
    }
}

/// A stream's requests, one after another.
extension ClientConnection {
    /// Makes ready for a request of a stream.
    func enterStream() {
        if self.rules !== self.loop.rules { self.rulesChanged() }
        self.exchange.begin()
        self.clients.add(stream: self)
    }

    /// Takes the head of the stream's request.
    func received(_ head: RequestHead, in bytes: Span<UInt8>) {
        self.beginMeasuring()
        do throws(MessageFault) {
            let facts = try RequestFacts(head, in: bytes)
            self.judge(head, facts: facts, in: bytes)
        } catch {
            self.refuse(GateAnswer(error))
        }
        self.settle()
    }

    /// Takes the fields behind the request's content.
    func received(trailers: HeaderList) {
        if self.exchange.takesContent {
            guard trailers.mayTrail else { return self.fail(GateAnswer(.trailer)) }
            self.request.trailers = trailers
        }
        self.settle()
    }

    /// Refuses a request whose head could not be taken.
    func refuse(_ fault: MessageFault, isHead: Bool) {
        self.request.isHead = isHead
        self.refuse(GateAnswer(fault))
    }

    /// The key of the WebSocket that the client opens over HTTP/2; `nil`: it opens none.
    var webSocketKey: WebSocketKey? {
        guard case .stream(let stream) = self.transport else { return nil }
        return stream.webSocketKey
    }

    /// Holds what the streams of the client write, until it is released.
    ///
    /// - Returns: the connection of the streams; `nil`: there is none, or others hold it already.
    @inline(__always)
    func holdOutput() -> (any HeldOutput)? {
        guard case .stream(let stream) = self.transport else { return nil }
        let connection = stream.connection
        guard !connection.outbox.isHeld else { return nil }
        connection.outbox.hold()
        return connection
    }

    /// The stream is over.
    ///
    /// - Returns: whether another one may be served.
    func leaveStream() -> Bool {
        guard self.exchange.isBetweenRequests, self.inbound.readableBytes == 0,
            self.outbound == nil,
            self.upstream == nil, self.rejudgeable == nil, !self.hasStreamPlace, !self.isPending
        else { return false }
        self.clients.remove(self)
        return true
    }
}
