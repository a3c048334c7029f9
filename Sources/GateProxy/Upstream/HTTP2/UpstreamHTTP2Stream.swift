import GateWire
import NIOCore

/// A request to the backend over HTTP/2, and its response, which is passed to an `UpstreamConnection`.
///
/// After an exchange has completed, the stream and its `UpstreamConnection` can be reused for
/// another exchange.
final class UpstreamHTTP2Stream: HTTP2Sender {
    enum Response {
        case head
        /// `remaining` is the number of content bytes that have not been received, or `nil` if the
        /// length of the content is unknown.
        case content(remaining: UInt64?)
        case ended
    }

    let connection: UpstreamHTTP2Connection
    let upstream: UpstreamConnection
    /// The stream ID, or 0 until the request is sent.
    private(set) var id: UInt32 = 0
    var response = Response.head
    /// Whether any part of a response was received, including interim responses.
    var isAnswered = false
    /// The time at which the request was sent.
    private var began = NIODeadline.uptimeNanoseconds(0)

    /// The part of the request body that waits until the flow-control window opens.
    var output = HTTP2StreamOutput()
    /// The receive window for the response body.
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.streamWindow)

    /// The time by which the stream must end after a complete response, or `nil` if there is no such deadline.
    private(set) var lingerEnd: NIODeadline?
    /// Whether the stream has ended in both directions, and is about to be released.
    private(set) var isOver = false
    /// Whether the stream can be used for another exchange.
    private(set) var isReusable = false

    private static let lingerTime = TimeAmount.seconds(5)

    init(connection: UpstreamHTTP2Connection) {
        self.connection = connection
        self.upstream = UpstreamConnection(limits: connection.limits)
        self.upstream.transport = .stream(self)
    }

    /// Prepares the stream for an exchange.
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
        if case .ended = self.response { true } else { false }
    }
}

/// Sending frames.
extension UpstreamHTTP2Stream {
    /// Sends the head of a request.
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

    func write(_ content: ByteBuffer) {
        guard self.append(content) else { return }
        self.connection.send(self)
    }

    /// Sends the last content of a request, followed by the trailer section if there is one.
    func end(with content: ByteBuffer, trailers: HeaderList?) {
        guard self.append(content) else { return }
        self.output.end(trailers: trailers.map { ByteBuffer(headerBlock: $0) })
        self.connection.send(self)
    }

    /// Appends content to the output, unless the stream has ended or its request was not sent.
    ///
    /// - Returns: Whether the content was appended.
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

    /// Calls `done` immediately, because the caller is about to reset the stream.
    func whenAllWritten(_ done: @escaping () -> Void) {
        done()
    }

    func close() {
        self.cancel()
    }
}

/// Ending the stream.
extension UpstreamHTTP2Stream {
    /// Detaches the stream from its exchange, which has received the whole response.
    func release(at now: NIODeadline) {
        guard !self.isOver else { return }
        guard self.id != 0 else { return self.finish(reusable: true) }
        self.connection.hasServed = true
        guard !self.hasEndedResponse else { return self.end() }
        // A response with a length can be complete before the frame that ends the stream has arrived.
        self.lingerEnd = now + Self.lingerTime
        self.connection.lingeringCount += 1
    }

    /// Ends the stream after a complete response, with a reset if the request is incomplete.
    func end() {
        guard self.output.hasEnded else { return self.cancel() }
        self.finish(reusable: true)
    }

    /// Ends the stream, with a reset if the request or the response is incomplete.
    func cancel(_ code: HTTP2ErrorCode = .cancel) {
        guard !self.isOver else { return }
        if self.id != 0, !self.output.hasEnded || !self.hasEndedResponse {
            self.connection.writeReset(self.id, code)
            if !self.isAnswered { self.connection.suspect(since: self.began) }
        }
        self.finish(reusable: false)
    }

    /// Ends the stream in both directions without sending a frame.
    func finish(reusable: Bool) {
        guard !self.isOver else { return }
        self.isOver = true
        self.isReusable = reusable
        if self.lingerEnd != nil { self.connection.lingeringCount -= 1 }
        self.output.drop()
        self.connection.isOver(self)
    }

    /// Called when the backend has not processed the request and never will (RFC 9113 section 8.7).
    func refused() {
        self.breakOff { $0.upstreamRefused() }
    }

    /// Called when the backend has reset the stream.
    func reset(_ code: UInt32) {
        if code == HTTP2ErrorCode.refusedStream.rawValue, !self.isAnswered {
            return self.refused()
        }
        self.breakOff { $0.upstreamGaveUp() }
    }

    /// Ends the stream because its request cannot be sent.
    func abandon() {
        self.breakOff(.internalError) { $0.upstreamGaveUp() }
    }

    /// Called when the connection is lost.
    func lost() {
        self.breakOff { $0.upstreamEnded(wasReset: true) }
    }

    /// Called when the backend has violated the protocol on this stream or on its connection.
    func failed(_ fault: MessageFault, _ code: HTTP2ErrorCode = .protocolError) {
        self.breakOff(code) { $0.upstreamFailed(fault) }
    }

    /// Ends the stream, with a reset unless `code` is `nil`, and then notifies its receiver.
    private func breakOff(
        _ code: HTTP2ErrorCode? = nil,
        _ notify: (any UpstreamReceiver) -> Void
    ) {
        guard !self.isOver else { return }
        let receiver = self.upstream.receiver
        if let code { self.cancel(code) } else { self.finish(reusable: false) }
        if let receiver { notify(receiver) }
    }
}
