import Foundation

/// Reads Server-Sent Events (HTML Living Standard section 9.2.6) from the pieces in which they come.
struct EventParser {
    /// The parts of a stream.
    enum Message: Equatable {
        /// An event, with the last identifier that the stream has named.
        case event(name: String, data: String, id: String)
        /// How long to wait after a loss, in milliseconds.
        case retry(Int)
        /// A line that only shows that the stream lives.
        case comment
    }

    /// The stream is none of a gate's: a line or an event has no end.
    struct TooLong: Error {}

    private var line: [UInt8] = []
    private var isAtStart = true
    /// A line feed that follows belongs to the carriage return before it.
    private var endedWithReturn = false
    private var name = ""
    private var data: String?
    private var id = ""

    /// Reads a piece.
    ///
    /// - Returns: What it completes, in order.
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
        // A byte order mark at the very start is no part of the first line.
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

    /// An empty line ends an event; one without data is none.
    private mutating func dispatch() -> Message? {
        defer {
            self.name = ""
            self.data = nil
        }
        guard let data = self.data else { return nil }
        return .event(name: self.name.isEmpty ? "message" : self.name, data: data, id: self.id)
    }
}
