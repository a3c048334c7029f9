package import GateRules
internal import GateSystem
/// An incremental parser for server-sent events.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html section 9.2.6. IDs and retry
/// times are ignored, because no supported source resumes with them.
package struct EventStreamParser {
    package struct Event: Equatable {
        package var name: String
        package var data: String

        package init(name: String, data: String) {
            self.name = name
            self.data = data
        }
    }

    /// The maximum size of an event in bytes.
    let limit: Int

    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var size = 0
    /// Whether the last byte was a carriage return; a following line feed is part of the same line
    /// ending.
    private var afterReturn = false
    private var isFirstLine = true

    package init(limit: Int) {
        self.limit = limit
    }

    /// Parses the next bytes, and returns the events that they complete.
    ///
    /// - Throws: `FeedFailure` if an event exceeds the limit.
    package mutating func receive(_ bytes: [UInt8]) throws(FeedFailure) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let wasReturn = self.afterReturn
            self.afterReturn = byte == 0x0D
            switch byte {
            case 0x0A where wasReturn: continue
            case 0x0A, 0x0D:
                if let event = self.endLine() { events.append(event) }
            default:
                self.line.append(byte)
                self.size += 1
                guard self.size <= self.limit else {
                    throw .fetch(.tooLarge(limit: self.limit))
                }
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        if self.isFirstLine, self.line.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.line.removeFirst(3)
            self.size -= 3
        }
        self.isFirstLine = false
        let line = self.line
        self.line = []
        guard !line.isEmpty else { return self.endEvent() }
        // The line is split as bytes: in a `String`, a colon and a following combining mark are one
        // character.
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "event": self.name = String(decoding: value, as: UTF8.self)
        case "data": self.data.append(String(decoding: value, as: UTF8.self))
        // Comments, IDs and unknown fields are not part of an event.
        case _: self.size -= line.count
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (self.name, self.data, self.size) = ("", [], 0) }
        guard !self.data.isEmpty else { return nil }
        let name = self.name.isEmpty ? "message" : self.name
        return Event(name: name, data: self.data.joined(separator: "\n"))
    }
}
