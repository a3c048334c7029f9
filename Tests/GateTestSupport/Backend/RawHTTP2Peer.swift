/// The backend's end of one HTTP/2 connection.
///
/// Each call blocks.
package final class RawHTTP2Peer {
    /// A request whose head was received.
    package struct Request: Sendable {
        package var stream: UInt32
        package var fields: FieldLines
        /// Whether the request has no body.
        package var isWhole: Bool

        package var path: String { self.fields[":path"].first ?? "" }
    }

    /// The index of the connection, starting at 0.
    package let index: Int
    private let socket: LoopbackSocket
    private let stream: ByteStream
    private let record: Watched<RawHTTP2Backend.Record>
    private var stash: [HTTP2Frame] = []
    private var limit: Deadline { .after(.seconds(60) * GateExecutable.slowdown) }

    init(_ socket: LoopbackSocket, index: Int, record: Watched<RawHTTP2Backend.Record>) {
        self.index = index
        self.socket = socket
        self.stream = ByteStream(socket)
        self.record = record
    }

    package func close() { self.socket.close() }

    /// Exchanges the prefaces.
    ///
    /// `settings` consists of identifiers and values.
    package func greet(_ settings: [(UInt16, UInt32)] = []) throws {
        try self.send(RawHTTP2Client.settings(settings))
        let preface = try self.stream.bytes(RawHTTP2Client.preface.count, by: self.limit)
        guard preface == RawHTTP2Client.preface else { throw HarnessError("no preface") }
        try self.acknowledge(self.await { $0.isA(.settings) })
        // Opens the connection's window. The settings determine the streams' windows.
        try self.send(HTTP2Frame(.windowUpdate, HTTP2Frame.big(1 << 30)))
    }

    private func acknowledge(_ settings: HTTP2Frame) throws {
        guard settings.flags & HTTP2Frame.acknowledgement == 0 else { return }
        try self.send(HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement))
    }

    package func send(_ frames: HTTP2Frame...) throws { try self.send(frames) }

    package func send(_ frames: [HTTP2Frame]) throws {
        try self.send(bytes: frames.flatMap(\.bytes))
    }

    package func send(bytes: [UInt8]) throws {
        guard try self.socket.send(bytes, by: self.limit) else {
            throw HarnessError("the gate closed during a response")
        }
    }

    /// Returns the next frame; throws at the end of the connection.
    private func receive() throws -> HTTP2Frame {
        let header = try self.stream.bytes(9, by: self.limit)
        guard header.count == 9 else { throw HarnessError("the gate has closed") }
        let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        let stream = header[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let payload = length > 0 ? try self.stream.bytes(length, by: self.limit) : []
        let frame = HTTP2Frame(
            kind: header[3],
            flags: header[4],
            stream: stream,
            payload: payload
        )
        self.record.update { $0.connections[self.index].frames.append(frame) }
        return frame
    }

    /// Returns the next frame that meets the condition.
    ///
    /// Earlier frames are kept for later calls.
    @discardableResult
    package func await(where isAwaited: (HTTP2Frame) -> Bool) throws -> HTTP2Frame {
        if let index = self.stash.firstIndex(where: isAwaited) {
            return self.stash.remove(at: index)
        }
        while true {
            let frame = try self.receive()
            if isAwaited(frame) { return frame }
            self.stash.append(frame)
        }
    }

    /// Returns the number of received frames of a kind.
    package func frameCount(_ kind: HTTP2Frame.Kind) -> Int {
        self.record.current.connections[self.index].frames.filter { $0.isA(kind) }.count
    }

    /// Returns the next request.
    package func request() throws -> Request {
        while true {
            let frame = try self.await { $0.isA(.headers) }
            let fields = try HTTP2Fields.read(frame.payload)
            guard !fields[":path"].isEmpty else { continue }
            return Request(stream: frame.stream, fields: fields, isWhole: frame.endsStream)
        }
    }

    /// Returns the whole body of a request and its trailers.
    ///
    /// The window is extended by the size of the received data.
    package func body(of request: Request) throws -> (bytes: [UInt8], trailers: FieldLines) {
        var bytes: [UInt8] = []
        guard !request.isWhole else { return ([], FieldLines()) }
        while true {
            let frame = try self.await {
                $0.stream == request.stream
                    && ($0.isA(.data) || $0.isA(.headers) || $0.isA(.resetStream))
            }
            guard !frame.isA(.resetStream) else { throw HarnessError("the gate reset the stream") }
            if frame.isA(.headers) { return (bytes, try HTTP2Fields.read(frame.payload)) }
            bytes += frame.payload
            if frame.endsStream { return (bytes, FieldLines()) }
            guard !frame.payload.isEmpty else { continue }
            let room = HTTP2Frame.big(UInt32(frame.payload.count))
            try self.send(HTTP2Frame(.windowUpdate, stream: request.stream, room))
        }
    }

    /// Sends a head.
    package func head(
        _ stream: UInt32,
        _ status: String = "200",
        _ fields: [HTTP2Fields.Field] = [],
        ends: Bool = false
    ) throws {
        try self.fields(stream, [(":status", status)] + fields, ends: ends)
    }

    /// Sends a header section: a head, or trailers.
    package func fields(
        _ stream: UInt32,
        _ fields: [HTTP2Fields.Field],
        ends: Bool = false
    ) throws {
        let end = ends ? HTTP2Frame.endStream : 0
        try self.send(
            HTTP2Frame(
                .headers,
                flags: HTTP2Frame.endHeaders | end,
                stream: stream,
                HTTP2Fields.block(fields)
            )
        )
    }

    package func data(_ stream: UInt32, _ text: String, ends: Bool = false) throws {
        try self.data(stream, Array(text.utf8), ends: ends)
    }

    package func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) throws {
        let end = ends ? HTTP2Frame.endStream : 0
        try self.send(HTTP2Frame(.data, flags: end, stream: stream, bytes))
    }

    /// Sends a complete response.
    package func answer(_ stream: UInt32, _ text: String = "fine") throws {
        try self.head(stream, "200", [("content-length", "\(text.utf8.count)")])
        try self.data(stream, text, ends: true)
    }

    /// Responds to every request with its path, until the gate closes the connection.
    package func answerAll() throws {
        while true {
            let request = try self.request()
            try self.answer(request.stream, request.path)
        }
    }

    package func reset(_ stream: UInt32, _ code: UInt32) throws {
        try self.send(HTTP2Frame(.resetStream, stream: stream, HTTP2Frame.big(code)))
    }

    package func goAway(last stream: UInt32, _ code: UInt32 = 0) throws {
        try self.send(HTTP2Frame(.goAway, HTTP2Frame.big(stream) + HTTP2Frame.big(code)))
    }
}
