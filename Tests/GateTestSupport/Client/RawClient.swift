/// A client that sends exactly the bytes it is told to, and shows exactly what comes back.
///
/// It closes its connection when it is released: keep it alive, or call `close()`, where the test
/// needs the connection to stay.
package final class RawClient {
    private let socket: LoopbackSocket
    private let stream: ByteStream

    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        self.socket = try LoopbackSocket(port: port, receiveBuffer: receiveBuffer)
        self.stream = ByteStream(self.socket)
    }

    /// How the gate ended the connection, once that has been read.
    package var ending: StreamEnding? { self.stream.ending }

    /// Sends bytes; that the gate has already gone is no error, its answer may still be there.
    package func send(_ bytes: [UInt8], by deadline: Deadline = .usual) throws {
        _ = try self.socket.send(bytes, by: deadline)
    }

    /// Sends text, one byte for each UTF-8 code unit.
    package func send(_ text: String) throws {
        try self.send(Array(text.utf8))
    }

    /// Sends the same bytes again and again until the gate takes no more for so long; says how many it
    /// took.
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

    /// Ends the sending side; answers can still be read.
    package func finishSending() {
        self.socket.finishSending()
    }

    package func close() {
        self.socket.close()
    }

    package func reset() {
        self.socket.reset()
    }

    /// The next answer, interim ones (1xx but 101) included; `nil` when the connection ends first.
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

    /// The next answer with its body.
    package func response(
        by deadline: Deadline = .usual,
        toHead: Bool = false
    ) throws -> RawResponse {
        guard let response = try self.responseIfAny(by: deadline, toHead: toHead) else {
            throw HarnessError("the connection ended without an answer")
        }
        return response
    }

    /// The next answer with its body; `nil` when the connection ends before it begins.
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

    /// The next bytes of a body, or of whatever follows a 101; empty at the end.
    package func bytes(_ count: Int, by deadline: Deadline = .usual) throws -> [UInt8] {
        try self.stream.bytes(count, by: deadline)
    }

    /// Reads on until the gate ends the connection.
    package func rest(by deadline: Deadline = .usual) throws -> (bytes: [UInt8], by: StreamEnding) {
        let bytes = try self.stream.rest(by: deadline)
        return (bytes, self.stream.ending ?? .closed)
    }

    /// Whether bytes, or the end, come within a time.
    package func hears(within duration: Duration) throws -> Bool {
        let deadline = Deadline.after(duration)
        do {
            return try !self.stream.peek(by: deadline).isEmpty || self.stream.ending != nil
        } catch  where deadline.hasPassed {
            return false
        }
    }
}
