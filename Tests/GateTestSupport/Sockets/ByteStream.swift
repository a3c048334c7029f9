/// Reads lines and bytes from a connection.
package final class ByteStream {
    private let socket: LoopbackSocket
    private let onReceive: ([UInt8]) -> Void
    private var buffer: [UInt8] = []
    private var position = 0
    /// How the peer ended the stream; `nil` until the end has been read.
    package private(set) var ending: StreamEnding?

    package init(_ socket: LoopbackSocket, onReceive: @escaping ([UInt8]) -> Void = { _ in }) {
        self.socket = socket
        self.onReceive = onReceive
    }

    /// Returns the next line without its line end; `nil` if the stream ends first.
    package func line(by deadline: Deadline) throws -> String? {
        var scanned = 0
        while true {
            let rest = self.buffer[(self.position + scanned)...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                var line = self.buffer[self.position..<end]
                if line.last == UInt8(ascii: "\r") {
                    line.removeLast()
                }
                self.position = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            scanned = self.buffer.count - self.position
            guard try self.fill(by: deadline) else { return nil }
        }
    }

    /// Returns the next bytes, at least one and at most `limit`; empty at the end of the stream.
    package func some(upTo limit: Int, by deadline: Deadline) throws -> [UInt8] {
        if self.position == self.buffer.count, try !self.fill(by: deadline) {
            return []
        }
        let end = self.position + min(limit, self.buffer.count - self.position)
        defer { self.position = end }
        return Array(self.buffer[self.position..<end])
    }

    /// Returns the bytes that `some` would return, without consuming them.
    package func peek(by deadline: Deadline) throws -> [UInt8] {
        let bytes = try self.some(upTo: 65_536, by: deadline)
        self.position -= bytes.count
        return bytes
    }

    /// Returns exactly this number of bytes, or fewer if the stream ends first.
    package func bytes(_ count: Int, by deadline: Deadline) throws -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let some = try self.some(upTo: count - result.count, by: deadline)
            if some.isEmpty {
                break
            }
            result += some
        }
        return result
    }

    /// Returns everything up to the end of the stream.
    package func rest(by deadline: Deadline) throws -> [UInt8] {
        try self.bytes(.max, by: deadline)
    }

    private func fill(by deadline: Deadline) throws -> Bool {
        if self.ending != nil {
            return false
        }
        switch try self.socket.receive(by: deadline) {
        case .bytes(let bytes):
            self.onReceive(bytes)
            if self.position == self.buffer.count {
                self.buffer = bytes
            } else {
                self.buffer = Array(self.buffer[self.position...]) + bytes
            }
            self.position = 0
            return true
        case .ended(let ending):
            self.ending = ending
            return false
        }
    }
}
