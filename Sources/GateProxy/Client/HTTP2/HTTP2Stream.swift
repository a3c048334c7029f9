import GateWire
import NIOCore

/// One request of an HTTP/2 connection and its answer, which a `ClientConnection` serves: that is
/// handed what the client sends, and what it answers becomes frames.
///
/// When an exchange has come to its end in order, both serve another stream.
final class HTTP2Stream: HTTP2Sender {
    /// The rest of the request that the client may still send.
    enum RequestBody {
        case length(AnnouncedLength)
        /// As much as it likes.
        case any
        case ended
        /// A WebSocket that the backend has not taken yet; what comes before that waits.
        case offered(WebSocketKey, hasEnded: Bool)
        /// The bytes of a WebSocket.
        case tunnel(hasEnded: Bool)
    }

    enum Response {
        case head
        case content
        /// Everything was written; perhaps some of it waits for the client to make room.
        case ended
    }

    /// A circle, which the connection breaks at its end: to look up somebody `unowned` costs as much as to
    /// retain and release it, with each use.
    let connection: HTTP2Connection
    let client: ClientConnection
    private(set) var id: UInt32 = 0
    var request = RequestBody.ended
    /// The bytes of a WebSocket that came before the backend took it.
    var heldBody = ByteBuffer()
    var response = Response.head
    /// Trailer fields behind the content, as a header block.
    var trailers: ByteBuffer?

    /// The answer, as far as the client makes no room for it.
    var output = HTTP2StreamOutput()
    /// How much of its body the client may send.
    private(set) var receiveWindow = HTTP2Stream.newReceiveWindow
    var whenWritten: [() -> Void] = []
    /// Nothing more is sent or received; the connection is about to let go of it.
    private(set) var isOver = false

    init(connection: HTTP2Connection) {
        self.connection = connection
        self.client = ClientConnection(clients: connection.clients, origin: connection.origin)
        self.client.transport = .stream(self)
    }

    /// Begins to serve a request; `hasEnded`: whether the client sends nothing behind the head.
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

    /// The bytes of the body that the client may still send; `nil`: any number.
    var announcedLength: AnnouncedLength? {
        if case .length(let length) = self.request { return length }
        return nil
    }

    /// Whether the response is written, so that the rest of the request body is discarded.
    private var isAnswered: Bool {
        guard case .ended = self.response else { return false }
        return switch self.request {
        case .length, .any, .ended: true
        // The other direction goes on (RFC 8441 5).
        case .offered, .tunnel: false
        }
    }

    private static let newReceiveWindow = HTTP2ReceiveWindow(
        size: HTTP2OwnSettings.streamWindow,
        first: HTTP2OwnSettings.firstWindow
    )

    var hasEndedRequest: Bool {
        switch self.request {
        case .ended: true
        case .length, .any: false
        case .offered(_, let hasEnded), .tunnel(let hasEnded): hasEnded
        }
    }

    /// Nothing more may be sent or received.
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
        // Nearly no request has held anything, and to put an empty buffer in the place of another one is
        // not free.
        if self.heldBody.capacity > 0 { self.heldBody = ByteBuffer() }
    }

    func callWhenWritten() {
        guard !self.whenWritten.isEmpty else { return }
        let waiting = self.whenWritten
        self.whenWritten = []
        for done in waiting { done() }
    }

    /// Gives the stream up: what was sent of the answer must not look complete.
    func reset(_ code: HTTP2ErrorCode) {
        guard !self.isOver else { return }
        self.connection.writeReset(self.id, code)
        self.end()
    }
}

/// The frames that the client sends.
extension HTTP2Stream {
    /// `length`: the frame's payload with its padding, which counts for flow control.
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
        // The end of the response may still wait for window.
        guard !self.isAnswered else { return self.connection.discarded(content.readableBytes) }
        if content.readableBytes > 0 {
            self.client.received(content)
        } else if self.hasEndedRequest {
            self.client.settle()
        }
    }

    /// Trailer fields, which end the request.
    func receiveTrailers(_ list: HeaderList) throws(HTTP2ErrorCode) {
        guard list.isTrailerSection else { throw .protocolError }
        switch self.request {
        case .length(var length): try length.take(0, isLast: true)
        case .any: break
        // A tunnel has nothing but data (RFC 9113 8.5).
        case .offered, .tunnel: throw .protocolError
        case .ended: throw .streamClosed
        }
        self.request = .ended
        self.client.received(trailers: list)
    }

    /// Lets the client send more, if what it has sent so far was taken.
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
