import GateWire
import NIOCore

/// One request to the backend over HTTP/2 and its response: what the exchange writes as HTTP/1.1
/// becomes frames, and what the backend answers goes to the `UpstreamConnection` that the exchange
/// knows.
///
/// When an exchange has come to its end in order, both serve another one.
final class UpstreamHTTP2Stream: HTTP2Sender {
    enum Request {
        case head
        case body(BodyReader)
        case ended
    }

    enum Response {
        case head
        /// `remaining`: what the head has announced and has not come yet; `nil`: it says nothing.
        case content(remaining: UInt64?)
        case ended
    }

    let connection: UpstreamHTTP2Connection
    let upstream: UpstreamConnection
    /// 0: nothing was sent yet.
    private(set) var id: UInt32 = 0
    private var request = Request.head
    var response = Response.head
    /// Whether anything of a response has come, interim ones included.
    var isAnswered = false
    /// When the request was sent.
    private var began = NIODeadline.uptimeNanoseconds(0)

    /// The request's body, as far as the backend makes no room for it.
    var output = HTTP2StreamOutput()
    /// How much of a body the backend may send.
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.streamWindow)

    /// The request as it was written, as long as the backend may say that it has not looked at it.
    private var sentHead: ByteBuffer?
    private var sentBody = ByteBuffer()

    /// Until when the end of a response that was complete before may come; `nil`: it is no matter.
    private(set) var lingerEnd: NIODeadline?
    /// Nothing more is sent or received; the connection is about to let go of it.
    private(set) var isOver = false
    /// Whether it may serve another exchange.
    private(set) var isReusable = false

    /// Longer requests are not kept.
    private static let keptBytes = 64 * 1024
    private static let lingerTime = TimeAmount.seconds(5)

    init(connection: UpstreamHTTP2Connection) {
        self.connection = connection
        self.upstream = UpstreamConnection(limits: connection.limits)
        self.upstream.transport = .stream(self)
    }

    /// Makes ready for an exchange.
    func prepare() {
        self.id = 0
        self.request = .head
        self.response = .head
        self.isAnswered = false
        self.receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.streamWindow)
        self.output.begin(window: 0)
        self.lingerEnd = nil
        self.isOver = false
        self.isReusable = false
    }

    var isOpen: Bool { !self.isOver && self.connection.isOpen }

    var isWritable: Bool {
        !self.isOver && self.output.hasRoom && self.connection.isWritable
    }

    var hasEndedResponse: Bool {
        if case .ended = self.response { return true }
        return false
    }
}

/// The frames that go to the backend.
extension UpstreamHTTP2Stream {
    /// Takes bytes of an HTTP/1.1 request; its head comes whole, perhaps with some of its body.
    func write(_ buffer: ByteBuffer) {
        guard !self.isOver else { return }
        switch self.request {
        case .head: self.writeHead(buffer)
        case .body(let reader): self.writeBody(reader, buffer)
        case .ended: break
        }
    }

    private func writeHead(_ buffer: ByteBuffer) {
        var body = buffer
        guard let opened = self.connection.open(self, buffer),
            let head = body.readSlice(length: opened.headLength)
        else {
            return self.connection.failSoon(self)
        }
        self.id = opened.id
        self.output.begin(window: opened.sendWindow)
        self.began = .now()
        self.sentHead = head
        if opened.framing == .none {
            self.request = .ended
            self.output.endAtOnce()
        } else {
            let reader = BodyReader(opened.framing)
            self.request = .body(reader)
            if body.readableBytes > 0 { self.writeBody(reader, body) }
        }
    }

    private func writeBody(_ reader: BodyReader, _ buffer: ByteBuffer) {
        var reader = reader
        self.keep(buffer)
        let bytes = buffer.readableBytesUInt8Span
        var trailers: ByteBuffer?
        // The same was read where it came from.
        let progress = reader.consume(
            bytes,
            trailerFields: HTTP2RequestBlock.table,
            onData: { start, end in self.output.append(bytes, from: start, to: end) },
            onTrailer: { line in
                var block = trailers ?? ByteBuffer()
                block.writeHeaderField(line, in: bytes)
                trailers = block
            }
        )
        switch progress {
        case .malformed: return self.connection.failSoon(self)
        case .more: self.request = .body(reader)
        case .end:
            self.request = .ended
            self.output.end(trailers: trailers)
        }
        self.connection.send(self)
    }

    func becameWritable() {
        self.upstream.becameWritable()
    }

    func flush() {
        self.connection.flush()
    }

    /// The caller that waits for this is about to give the stream up.
    func whenAllWritten(_ done: @escaping () -> Void) {
        done()
    }

    func close() {
        self.cancel()
    }

    private func keep(_ buffer: ByteBuffer) {
        guard self.sentHead != nil else { return }
        guard self.sentBody.readableBytes + buffer.readableBytes <= Self.keptBytes else {
            return self.forgetSent()
        }
        // A copy: a small piece would hold on to all that was received with it.
        self.sentBody.writeImmutableBuffer(buffer)
    }

    /// The backend looks at the request, or more was sent than is kept.
    func forgetSent() {
        self.sentHead = nil
        self.sentBody = ByteBuffer()
    }
}

/// The end.
extension UpstreamHTTP2Stream {
    /// The exchange has its response.
    func release(at now: NIODeadline) {
        guard !self.isOver else { return }
        guard self.id != 0 else { return self.finish(reusable: true) }
        self.connection.hasServed = true
        guard !self.hasEndedResponse else { return self.end() }
        // A response with a length is complete before the frame that ends the stream has come.
        self.lingerEnd = now + Self.lingerTime
        self.connection.lingeringCount += 1
    }

    /// The response has ended, and nobody has anything more to do with the stream.
    func end() {
        guard self.output.hasEnded else { return self.cancel() }
        self.finish(reusable: true)
    }

    /// Gives the stream up.
    func cancel(_ code: HTTP2ErrorCode = .cancel) {
        guard !self.isOver else { return }
        if self.id != 0, !self.output.hasEnded || !self.hasEndedResponse {
            self.connection.writeReset(self.id, code)
            if !self.isAnswered { self.connection.suspect(since: self.began) }
        }
        self.finish(reusable: false)
    }

    /// Nothing more is sent or received.
    func finish(reusable: Bool) {
        guard !self.isOver else { return }
        self.isOver = true
        self.isReusable = reusable
        if self.lingerEnd != nil { self.connection.lingeringCount -= 1 }
        self.output.drop()
        self.forgetSent()
        self.connection.isOver(self)
    }

    /// The backend has not looked at the request and never will (RFC 9113 8.7).
    func refused() {
        guard !self.isOver else { return }
        let sent = self.sentHead.map { head in
            self.sentBody.readableBytes > 0 ? [head, self.sentBody] : [head]
        }
        let receiver = self.upstream.receiver
        self.finish(reusable: false)
        receiver?.upstreamRefused(sent: sent)
    }

    /// The backend gives the stream up.
    func reset(_ code: UInt32) {
        guard !self.isOver else { return }
        if code == HTTP2ErrorCode.refusedStream.rawValue, !self.isAnswered {
            return self.refused()
        }
        let receiver = self.upstream.receiver
        self.finish(reusable: false)
        receiver?.upstreamGaveUp()
    }

    /// The gate itself cannot go on.
    func abandon() {
        guard !self.isOver else { return }
        let receiver = self.upstream.receiver
        self.cancel(.internalError)
        receiver?.upstreamGaveUp()
    }

    /// The connection is gone.
    func lost() {
        guard !self.isOver else { return }
        let receiver = self.upstream.receiver
        self.finish(reusable: false)
        receiver?.upstreamEnded(wasReset: true)
    }

    /// The backend has broken the rules, on this stream or on its connection.
    func failed(_ fault: MessageFault, _ code: HTTP2ErrorCode = .protocolError) {
        guard !self.isOver else { return }
        let receiver = self.upstream.receiver
        self.cancel(code)
        receiver?.upstreamFailed(fault)
    }
}
