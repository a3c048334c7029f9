import Foundation

/// A client of HTTP/2 by prior knowledge that sends exactly the frames it is told to.
package final class RawHTTP2Client {
    /// The response that came on a stream.
    package struct Response: Sendable {
        package var status: Int
        package var fields: FieldLines
        package var body: [UInt8]
        package var trailers: FieldLines?
        /// Whether it ended in order.
        package var isComplete: Bool
        /// The code of the reset that ended the stream, or followed its end.
        package var reset: UInt32?
        /// How many frames of headers and data it came in.
        package var frameCount: Int

        package var text: String { String(decoding: self.body, as: UTF8.self) }

        /// The body read as JSON.
        package func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(self.body))
        }
    }

    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let client: RawClient
    /// Frames that came while another stream's were awaited.
    private var stash: [HTTP2Frame] = []
    /// Whether the gate has said that no stream is to follow (RFC 9113 6.8).
    package private(set) var hasHeardGoodbye = false

    /// Connects and says the first words; `settings`: pairs of a name and a value.
    package init(
        port: UInt16,
        settings: [(UInt16, UInt32)] = [],
        receiveBuffer: Int32? = nil
    ) throws {
        self.client = try RawClient(port: port, receiveBuffer: receiveBuffer)
        try self.client.send(Self.preface)
        // Room for all that is sent on the connection; that of a stream is what the settings say.
        let room = HTTP2Frame(.windowUpdate, HTTP2Frame.big(1 << 30))
        try self.send(Self.settings(settings), room)
    }

    /// Connects and says these bytes instead; `nil`: what every client says.
    package init(port: UInt16, opening: [UInt8]?) throws {
        self.client = try RawClient(port: port)
        try self.client.send(opening ?? Self.preface + Self.settings([]).bytes)
    }

    package static func settings(_ settings: [(UInt16, UInt32)]) -> HTTP2Frame {
        let payload = settings.flatMap { name, value in
            [UInt8(name >> 8), UInt8(name & 0xFF)] + HTTP2Frame.big(value)
        }
        return HTTP2Frame(.settings, payload)
    }

    package func send(_ frames: HTTP2Frame...) throws {
        try self.client.send(frames.flatMap(\.bytes))
    }

    package func send(_ frames: [HTTP2Frame]) throws {
        try self.client.send(frames.flatMap(\.bytes))
    }

    package func send(bytes: [UInt8]) throws {
        try self.client.send(bytes)
    }

    package func close() { self.client.close() }

    /// Ends the client's half of the connection.
    package func finishSending() { self.client.finishSending() }

    /// Sends a request without a body.
    package func request(
        _ stream: UInt32,
        _ method: String = "GET",
        _ path: String = "/",
        _ fields: [HTTP2Fields.Field] = [],
        endsStream: Bool = true
    ) throws {
        let end = endsStream ? HTTP2Frame.endStream : 0
        try self.send(
            HTTP2Frame(
                .headers,
                flags: HTTP2Frame.endHeaders | end,
                stream: stream,
                HTTP2Fields.request(method, path, fields)
            )
        )
    }

    package func data(_ stream: UInt32, _ bytes: [UInt8], endsStream: Bool = false) throws {
        let flags = endsStream ? HTTP2Frame.endStream : 0
        try self.send(HTTP2Frame(.data, flags: flags, stream: stream, bytes))
    }

    /// The next frame; `nil` when the connection has ended.
    package func frame(by deadline: Deadline = .usual) throws -> HTTP2Frame? {
        let header: [UInt8]
        do {
            header = try self.client.bytes(9, by: deadline)
        } catch  where !deadline.hasPassed {
            return nil
        }
        guard header.count == 9 else { return nil }
        let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        let stream = header[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let payload = length > 0 ? try self.client.bytes(length, by: deadline) : []
        return HTTP2Frame(kind: header[3], flags: header[4], stream: stream, payload: payload)
    }

    /// The next frame that is of interest, those before it dropped.
    ///
    /// - Returns: `nil` when the connection has ended.
    package func frame(
        by deadline: Deadline = .usual,
        where isAwaited: (HTTP2Frame) -> Bool
    ) throws -> HTTP2Frame? {
        while let frame = try self.frame(by: deadline) {
            if isAwaited(frame) { return frame }
        }
        return nil
    }

    /// The code by which the connection was ended; `nil`: it ended without a word.
    package func goAwayCode(by deadline: Deadline = .usual) throws -> UInt32? {
        try self.frame(by: deadline) { $0.isA(.goAway) }?.number(at: 4)
    }

    /// The answer on a stream, 1xx left out; frames of other streams are kept for their turn.
    package func response(
        _ stream: UInt32,
        by deadline: Deadline = .usual
    ) throws -> Response {
        var response = Response(
            status: 0,
            fields: FieldLines(),
            body: [],
            isComplete: false,
            frameCount: 0
        )
        while let frame = try self.next(of: stream, by: deadline) {
            if frame.isA(.resetStream) {
                response.reset = frame.number(at: 0)
                return response
            }
            response.frameCount += 1
            if frame.isA(.data) {
                response.body += frame.payload
            } else {
                let fields = try HTTP2Fields.read(frame.payload)
                let status = fields[":status"].first.flatMap { Int($0) }
                if let status, status >= 200 {
                    (response.status, response.fields) = (status, fields)
                } else if status == nil {
                    response.trailers = fields
                }
            }
            if frame.endsStream {
                response.isComplete = true
                return response
            }
        }
        throw HarnessError("the connection ended within the answer to stream \(stream)")
    }

    private func next(of stream: UInt32, by deadline: Deadline) throws -> HTTP2Frame? {
        if let index = self.stash.firstIndex(where: { $0.stream == stream }) {
            return self.stash.remove(at: index)
        }
        while let frame = try self.frame(by: deadline) {
            guard frame.isA(.data) || frame.isA(.headers) || frame.isA(.resetStream) else {
                guard frame.isA(.goAway) else { continue }
                guard frame.number(at: 4) == 0 else {
                    throw HarnessError("GOAWAY \(frame.number(at: 4) ?? 0)")
                }
                self.hasHeardGoodbye = true
                continue
            }
            if frame.stream == stream { return frame }
            self.stash.append(frame)
        }
        return nil
    }
}
