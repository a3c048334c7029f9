/// A client that sends exactly the given bytes, and returns exactly the received bytes.
///
/// It closes its connection when it is released. Keep it alive, or call `close()`, if the test
/// needs the connection to stay open.
package final class RawClient {
    private let socket: LoopbackSocket
    private let stream: ByteStream

    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        self.socket = try LoopbackSocket(port: port, receiveBuffer: receiveBuffer)
        self.stream = ByteStream(self.socket)
    }

    /// How the gate ended the connection; `nil` until the end has been read.
    package var ending: StreamEnding? { self.stream.ending }

    /// Sends bytes.
    ///
    /// A closed connection is not an error, because the response may still be readable.
    package func send(_ bytes: [UInt8], by deadline: Deadline = .usual) throws {
        _ = try self.socket.send(bytes, by: deadline)
    }

    /// Sends text as UTF-8.
    package func send(_ text: String) throws {
        try self.send(Array(text.utf8))
    }

    /// Sends the same bytes repeatedly until the gate has accepted none for a duration.
    ///
    /// Returns the number of accepted bytes.
    package func sendUntilBlocked(
        _ bytes: [UInt8],
        atMost limit: Int,
        for duration: Duration = .milliseconds(1500)
    ) throws -> Int {
        var total = 0
        while total < limit {
            let patience = Deadline.after(duration)
            do {
                guard let count = try self.socket.sendSome(of: bytes, from: 0, by: patience) else {
                    throw HarnessError("the connection ended after \(total) bytes")
                }
                total += count
            } catch  where patience.hasPassed {
                break
            }
        }
        return total
    }

    /// Closes the write side; responses can still be read.
    package func finishSending() {
        self.socket.finishSending()
    }

    package func close() {
        self.socket.close()
    }

    package func reset() {
        self.socket.reset()
    }

    /// Returns the next response head, including interim ones (1xx except 101); `nil` if the
    /// connection ends first.
    package func head(by deadline: Deadline = .usual, toHead: Bool = false) throws -> RawResponse? {
        guard let line = try self.stream.line(by: deadline) else { return nil }
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let status = Int(parts[1]) else {
            throw HarnessError("no status line: \(line.prefix(200))")
        }
        var fields = FieldLines()
        while case let line? = try self.stream.line(by: deadline), !line.isEmpty {
            fields.append(line)
        }
        let hasBody = status >= 200 && status != 204 && status != 304 && !toHead
        return RawResponse(
            version: String(parts[0]),
            status: status,
            reason: parts.count > 2 ? String(parts[2]) : "",
            fields: fields,
            framing: hasBody ? BodyFraming(fields: fields, otherwise: .untilClose) : .none
        )
    }

    /// Returns the next response with its body.
    package func response(
        by deadline: Deadline = .usual,
        toHead: Bool = false
    ) throws -> RawResponse {
        guard let response = try self.responseIfAny(by: deadline, toHead: toHead) else {
            throw HarnessError("the connection ended without a response")
        }
        return response
    }

    /// Returns the next response with its body; `nil` if the connection ends before it starts.
    package func responseIfAny(
        by deadline: Deadline = .usual,
        toHead: Bool = false
    ) throws -> RawResponse? {
        guard var response = try self.head(by: deadline, toHead: toHead) else { return nil }
        response.end = try self.stream.body(response.framing, by: deadline) {
            response.body += $0
        }
        return response
    }

    /// Returns the next bytes of a body, or of the data after a 101; empty at the end.
    package func bytes(_ count: Int, by deadline: Deadline = .usual) throws -> [UInt8] {
        try self.stream.bytes(count, by: deadline)
    }

    /// Reads until the gate ends the connection.
    package func rest(by deadline: Deadline = .usual) throws -> (bytes: [UInt8], by: StreamEnding) {
        let bytes = try self.stream.rest(by: deadline)
        return (bytes, self.stream.ending ?? .closed)
    }

    /// Returns whether bytes or the end arrive within a duration.
    package func receivesData(within duration: Duration) throws -> Bool {
        let deadline = Deadline.after(duration)
        do {
            return try !self.stream.peek(by: deadline).isEmpty || self.stream.ending != nil
        } catch  where deadline.hasPassed {
            return false
        }
    }
}
