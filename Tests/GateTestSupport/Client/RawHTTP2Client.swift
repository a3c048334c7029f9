import Foundation

/// An HTTP/2 client with prior knowledge that sends exactly the given frames.
package final class RawHTTP2Client {
    /// The response on a stream.
    package struct Response: Sendable {
        package var status: Int
        package var fields: FieldLines
        package var body: [UInt8]
        package var trailers: FieldLines?
        /// Whether the stream ended with END_STREAM.
        package var isComplete: Bool
        /// The code of the reset that ended the stream or followed its end.
        package var reset: UInt32?
        /// The number of HEADERS and DATA frames in the response.
        package var frameCount: Int

        package var text: String { String(decoding: self.body, as: UTF8.self) }

        /// Returns the body, decoded as JSON.
        package func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(self.body))
        }
    }

    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let client: RawClient
    /// The frames that arrived while another stream's frames were awaited.
    private var stash: [HTTP2Frame] = []
    /// Whether the gate has sent GOAWAY (RFC 9113 section 6.8).
    package private(set) var hasReceivedGoAway = false

    /// Connects and sends the preface.
    ///
    /// `settings` consists of identifiers and values.
    package init(
        port: UInt16,
        settings: [(UInt16, UInt32)] = [],
        receiveBuffer: Int32? = nil
    ) throws {
        self.client = try RawClient(port: port, receiveBuffer: receiveBuffer)
        try self.client.send(Self.preface)
        // Opens the connection's window. The settings determine the streams' windows.
        let room = HTTP2Frame(.windowUpdate, HTTP2Frame.big(1 << 30))
        try self.send(Self.settings(settings), room)
    }

    /// Connects and sends these bytes; `nil` sends the usual preface.
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

    /// Closes the client's write side.
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

    /// Returns the next frame; `nil` at the end of the connection.
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

    /// Returns the next frame that meets the condition, and discards the frames before it.
    ///
    /// - Returns: `nil` at the end of the connection.
    package func frame(
        by deadline: Deadline = .usual,
        where isAwaited: (HTTP2Frame) -> Bool
    ) throws -> HTTP2Frame? {
        while let frame = try self.frame(by: deadline) {
            if isAwaited(frame) { return frame }
        }
        return nil
    }

    /// Returns the code of the GOAWAY frame; `nil` if the connection ends without one.
    package func goAwayCode(by deadline: Deadline = .usual) throws -> UInt32? {
        try self.frame(by: deadline) { $0.isA(.goAway) }?.number(at: 4)
    }

    /// Returns the final response on a stream.
    ///
    /// Frames of other streams are kept for later calls.
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
        throw HarnessError("the connection ended during the response on stream \(stream)")
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
                self.hasReceivedGoAway = true
                continue
            }
            if frame.stream == stream { return frame }
            self.stash.append(frame)
        }
        return nil
    }
}
