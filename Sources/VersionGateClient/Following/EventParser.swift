import Foundation

/// A parser for Server-Sent Events (HTML Living Standard section 9.2.6) that arrive in chunks.
struct EventParser {
    /// An element of the stream.
    enum Message: Equatable {
        /// An event, with the last ID that the stream has set.
        case event(name: String, data: String, id: String)
        /// The time to wait before reconnecting, in milliseconds.
        case retry(Int)
        /// A comment, which the gate sends as a heartbeat.
        case comment
    }

    /// The error for a line or an event that exceeds the size limit, and therefore cannot be from a gate.
    struct TooLong: Error {}

    private var line: [UInt8] = []
    private var isAtStart = true
    /// Whether the last byte was a carriage return; a line feed that follows belongs to the same
    /// line ending.
    private var endedWithReturn = false
    private var name = ""
    private var data: String?
    private var id = ""

    /// Parses a chunk.
    ///
    /// - Returns: The messages that the chunk completes, in order.
    /// - Throws: `TooLong` if a line or an event exceeds `GateDocument.sizeLimit` bytes.
    mutating func read(_ piece: some Sequence<UInt8>) throws(TooLong) -> [Message] {
        var messages: [Message] = []
        for byte in piece {
            let followsReturn = self.endedWithReturn
            self.endedWithReturn = byte == 0x0D
            switch byte {
            case 0x0A where followsReturn:
                continue
            case 0x0A, 0x0D:
                if let message = try self.endLine() { messages.append(message) }
            default:
                guard self.line.count < GateDocument.sizeLimit else { throw TooLong() }
                self.line.append(byte)
            }
        }
        return messages
    }

    private mutating func endLine() throws(TooLong) -> Message? {
        defer {
            self.line.removeAll(keepingCapacity: true)
            self.isAtStart = false
        }
        // A byte order mark at the start of the stream is not part of the first line.
        let hasMark = self.isAtStart && self.line.starts(with: [0xEF, 0xBB, 0xBF])
        let line = self.line.dropFirst(hasMark ? 3 : 0)
        guard !line.isEmpty else { return self.dispatch() }
        guard line.first != UInt8(ascii: ":") else { return .comment }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        let field = String(decoding: line[..<colon], as: UTF8.self)
        return try self.process(field, String(decoding: value, as: UTF8.self))
    }

    private mutating func process(_ field: String, _ value: String) throws(TooLong) -> Message? {
        switch field {
        case "event":
            self.name = value
        case "data":
            let data = self.data.map { $0 + "\n" + value } ?? value
            guard data.utf8.count <= GateDocument.sizeLimit else { throw TooLong() }
            self.data = data
        case "id" where !value.utf8.contains(0):
            self.id = value
        case "retry" where value.utf8.allSatisfy { (0x30...0x39).contains($0) }:
            return Int(value).map { .retry($0) }
        default:
            break
        }
        return nil
    }

    /// Handles an empty line, which ends an event; an event without data is ignored.
    private mutating func dispatch() -> Message? {
        defer {
            self.name = ""
            self.data = nil
        }
        guard let data = self.data else { return nil }
        return .event(name: self.name.isEmpty ? "message" : self.name, data: data, id: self.id)
    }
}
