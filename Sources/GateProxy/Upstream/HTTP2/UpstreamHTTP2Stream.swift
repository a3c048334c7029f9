import GateWire
import NIOCore

/// One request to the backend over HTTP/2 and its response: what the backend answers goes to the
/// `UpstreamConnection` that the exchange knows.
///
/// When an exchange has come to its end in order, both serve another one.
final class UpstreamHTTP2Stream: HTTP2Sender {
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
    var response = Response.head
    /// Whether anything of a response has come, interim ones included.
    var isAnswered = false
    /// When the request was sent.
    private var began = NIODeadline.uptimeNanoseconds(0)

    /// The request's body, as far as the backend makes no room for it.
    var output = HTTP2StreamOutput()
    /// How much of a body the backend may send.
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.streamWindow)

    /// Until when the end of a response that was complete before may come; `nil`: it is no matter.
    private(set) var lingerEnd: NIODeadline?
    /// Nothing more is sent or received; the connection is about to let go of it.
    private(set) var isOver = false
    /// Whether it may serve another exchange.
    private(set) var isReusable = false

    private static let lingerTime = TimeAmount.seconds(5)

    init(connection: UpstreamHTTP2Connection) {
        self.connection = connection
        self.upstream = UpstreamConnection(limits: connection.limits)
        self.upstream.transport = .stream(self)
    }

    /// Makes ready for an exchange.
    func prepare() {
        self.id = 0
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
    /// Writes the head of a request, whose content follows if it has any.
    func begin(_ request: ForwardedRequest) {
        guard !self.isOver else { return }
        guard let id = self.connection.open(self, request) else {
            return self.connection.failSoon(self)
        }
        self.id = id
        self.output.begin(window: self.connection.peer.initialWindow)
        self.began = .now()
        if request.facts.framing == .none { self.output.endAtOnce() }
    }

    /// Takes content.
    func write(_ content: ByteBuffer) {
        guard self.append(content) else { return }
        self.connection.send(self)
    }

    /// Takes the last content of a request, and the fields behind it if there are any.
    func end(with content: ByteBuffer, trailers: HeaderList?) {
        guard self.append(content) else { return }
        self.output.end(trailers: trailers.map { ByteBuffer(headerBlock: $0) })
        self.connection.send(self)
    }

    /// - Returns: whether the stream still takes any.
    private func append(_ content: ByteBuffer) -> Bool {
        guard !self.isOver, self.id != 0 else { return false }
        let bytes = content.readableBytesUInt8Span
        self.output.append(bytes, from: 0, to: bytes.count)
        return true
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
        self.connection.isOver(self)
    }

    /// The backend has not looked at the request and never will (RFC 9113 8.7).
    func refused() {
        guard !self.isOver else { return }
        let receiver = self.upstream.receiver
        self.finish(reusable: false)
        receiver?.upstreamRefused()
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
