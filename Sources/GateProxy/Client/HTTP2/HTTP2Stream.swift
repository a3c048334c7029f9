import GateWire
import NIOCore

/// One stream of an HTTP/2 connection.
///
/// An `HTTP2Stream` passes the request to a `ClientConnection`, and writes the response as frames. After an exchange
/// has completed, both objects are reused for another stream.
final class HTTP2Stream: HTTP2Sender {
    /// The part of the request that has not arrived.
    enum RequestBody {
        case length(AnnouncedLength)
        /// A body of unknown length.
        case any
        case ended
        /// A WebSocket that the backend has not accepted yet; until then, bytes from the client are held back.
        case offered(WebSocketKey, hasEnded: Bool)
        /// The bytes of a WebSocket.
        case tunnel(hasEnded: Bool)
    }

    enum Response {
        case head
        case content
        /// The response has been written, but its end may still wait for the flow-control window to open.
        case ended
    }

    /// The connection of the stream.
    ///
    /// The reference is part of a cycle, which the connection breaks when it ends. With an `unowned` reference, each
    /// access would cost as much as a retain and a release.
    let connection: HTTP2Connection
    let client: ClientConnection
    private(set) var id: UInt32 = 0
    var request = RequestBody.ended
    /// The bytes of a WebSocket that arrived before the backend accepted it.
    var heldBody = ByteBuffer()
    var response = Response.head
    /// The trailer fields of the response, as a header block.
    var trailers: ByteBuffer?

    /// The part of the response that waits for the flow-control window to open.
    var output = HTTP2StreamOutput()
    /// The flow-control window for the request body.
    private(set) var receiveWindow = HTTP2Stream.newReceiveWindow
    var whenWritten: [() -> Void] = []
    /// Whether nothing more is sent or received, so that the connection can release the stream.
    private(set) var isOver = false

    init(connection: HTTP2Connection) {
        self.connection = connection
        self.client = ClientConnection(clients: connection.clients, origin: connection.origin)
        self.client.transport = .stream(self)
    }

    /// Starts serving a request.
    ///
    /// `hasEnded` indicates whether the request ends with its head.
    func begin(id: UInt32, body: HTTP2RequestHead.Body, hasEnded: Bool, sendWindow: Int) {
        self.id = id
        self.request =
            switch body {
            case .none: .ended
            case .length(let length): .length(AnnouncedLength(length))
            case .any: .any
            case .webSocket: .offered(.random(), hasEnded: hasEnded)
            }
        self.response = .head
        self.trailers = nil
        self.output.begin(window: sendWindow)
        self.receiveWindow = Self.newReceiveWindow
        self.dropHeldBody()
        self.isOver = false
    }

    /// The announced length minus the bytes that have arrived; `nil` if no length was announced.
    var announcedLength: AnnouncedLength? {
        if case .length(let length) = self.request { length } else { nil }
    }

    /// Returns the part of the request body for which a denial waits.
    ///
    /// A proxy that gets the response early resets its client's stream, and some clients then drop the response. If the
    /// body is longer, `HTTP2Connection` discards it after the response.
    func awaitedBody(_ limits: DiscardLimits) -> Exchange.RemainingBody {
        switch self.request {
        case .length(let length) where length.remaining <= limits.awaitedBytes:
            .bytes(length.remaining)
        case .any where limits.awaitedBytes > 0: .chunked
        case .length, .any, .ended, .offered, .tunnel: .nothing
        }
    }

    /// Whether the response has been written; the rest of the request body is then discarded.
    private var isAnswered: Bool {
        guard case .ended = self.response else { return false }
        return switch self.request {
        case .length, .any, .ended: true
        // The request direction remains open (RFC 8441 section 5).
        case .offered, .tunnel: false
        }
    }

    // Computed on each access, which costs less than checking whether a stored value is
    // initialized.
    private static var newReceiveWindow: HTTP2ReceiveWindow {
        HTTP2ReceiveWindow(
            size: HTTP2OwnSettings.streamWindow,
            first: HTTP2OwnSettings.firstWindow
        )
    }

    var hasEndedRequest: Bool {
        switch self.request {
        case .ended: true
        case .length, .any: false
        case .offered(_, let hasEnded), .tunnel(let hasEnded): hasEnded
        }
    }

    /// Ends the stream, after which nothing more is sent or received.
    func end() {
        guard !self.isOver else { return }
        self.isOver = true
        self.dropHeldBody()
        self.output.drop()
        let connection = self.connection
        connection.credit(self.receiveWindow.untaken)
        connection.isOver(self)
        self.callWhenWritten()
    }

    private func dropHeldBody() {
        // Only WebSockets hold back bytes, and replacing an empty buffer has a cost.
        if self.heldBody.capacity > 0 { self.heldBody = ByteBuffer() }
    }

    func callWhenWritten() {
        guard !self.whenWritten.isEmpty else { return }
        let waiting = self.whenWritten
        self.whenWritten = []
        for done in waiting { done() }
    }

    /// Resets the stream so that the response does not look complete.
    func reset(_ code: HTTP2ErrorCode) {
        guard !self.isOver else { return }
        self.connection.writeReset(self.id, code)
        self.end()
    }
}

/// Handlers for incoming frames.
extension HTTP2Stream {
    /// Handles content.
    ///
    /// `length` is the length of the payload including padding, all of which counts toward the flow-control window.
    func receiveData(_ data: ByteBuffer, length: Int, endsStream: Bool) throws(HTTP2ErrorCode) {
        guard !self.hasEndedRequest else { throw .streamClosed }
        guard self.receiveWindow.receive(length) else { throw .flowControlError }
        switch self.request {
        case .length(var length):
            try length.take(data.readableBytes, isLast: endsStream)
            self.request = endsStream ? .ended : .length(length)
            self.pass(data)
        case .any:
            if endsStream { self.request = .ended }
            self.pass(data)
        case .offered, .tunnel: self.receiveTunnel(data, endsStream: endsStream)
        case .ended: break
        }
        self.makeRoom()
    }

    private func pass(_ content: ByteBuffer) {
        // The end of the response may still wait for the flow-control window to open.
        guard !self.isAnswered else { return self.connection.discarded(content.readableBytes) }
        if content.readableBytes > 0 {
            self.client.received(content)
        } else if self.hasEndedRequest {
            self.client.settle()
        }
    }

    /// Handles trailer fields, which end the request.
    func receiveTrailers(_ list: HeaderList) throws(HTTP2ErrorCode) {
        guard list.isTrailerSection else { throw .protocolError }
        switch self.request {
        case .length(var length): try length.take(0, isLast: true)
        case .any: break
        // A tunnel carries only DATA frames (RFC 9113 section 8.5).
        case .offered, .tunnel: throw .protocolError
        case .ended: throw .streamClosed
        }
        self.request = .ended
        self.client.received(trailers: list)
    }

    /// Increases the window for the request body by the number of consumed bytes.
    func makeRoom() {
        let untaken = self.receiveWindow.untaken
        guard !self.isOver, untaken > 0, self.client.mayRead, self.webSocketKey == nil else {
            return
        }
        guard !self.isAnswered else { return }
        self.connection.credit(untaken)
        guard let increment = self.receiveWindow.take(), !self.hasEndedRequest else { return }
        self.connection.writeWindowUpdate(self.id, increment: increment)
    }
}

/// Methods for a WebSocket over HTTP/2 (RFC 8441), which is forwarded to the backend over HTTP/1.1.
extension HTTP2Stream {
    /// The key of a WebSocket that the backend has not accepted yet; `nil` for all other requests.
    var webSocketKey: WebSocketKey? {
        if case .offered(let key, _) = self.request { key } else { nil }
    }

    /// Returns whether the response proves that the backend has read the key (RFC 6455 section 4.1).
    func isAccepted(by head: ResponseHead, in bytes: Span<UInt8>) -> Bool {
        guard let key = self.webSocketKey else { return false }
        var isAccepted = false
        for line in head.fields.lines
        where bytes.matches("sec-websocket-accept", from: line.start, to: line.nameEnd) {
            // With a second field, it would be unclear which one applies.
            guard !isAccepted, bytes.text(from: line.valueStart, to: line.valueEnd) == key.accept
            else { return false }
            isAccepted = true
        }
        return isAccepted
    }

    /// Forwards the bytes that the client sent before the backend accepted the WebSocket.
    func beginTunnel() {
        guard !self.isOver, case .offered(_, let hasEnded) = self.request else { return }
        self.request = .tunnel(hasEnded: false)
        let held = self.heldBody
        self.heldBody = ByteBuffer()
        self.receiveTunnel(held, endsStream: hasEnded)
    }

    /// Handles bytes from the client; the end of the stream closes only the direction to the backend.
    func receiveTunnel(_ data: ByteBuffer, endsStream: Bool) {
        guard case .tunnel = self.request else {
            self.heldBody.writeImmutableBuffer(data)
            if endsStream, let key = self.webSocketKey {
                self.request = .offered(key, hasEnded: true)
            }
            return
        }
        if endsStream { self.request = .tunnel(hasEnded: true) }
        if data.readableBytes > 0 { self.client.received(data) }
        if endsStream, !self.isOver { self.client.clientEnded() }
    }

    /// Handles a reset by the client.
    func wasReset() {
        // The reset is forwarded, because closing the connection would look like a clean end (RFC 8441 section 5).
        if case .tunnel = self.request { self.client.upstream?.transport.prepareReset() }
        self.end()
    }
}
