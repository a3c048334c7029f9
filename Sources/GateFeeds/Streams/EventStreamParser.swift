package import GateRules
internal import GateSystem

/// Reads server-sent events out of bytes, however they are cut into pieces.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html section 9.2.6; ids and retry times are
/// not kept, because no source of ours resumes by them.
package struct EventStreamParser {
    package struct Event: Equatable {
        package var name: String
        package var data: String

        package init(name: String, data: String) {
            self.name = name
            self.data = data
        }
    }

    /// The most bytes of one event.
    let limit: Int

    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var size = 0
    /// Whether the last byte was a carriage return, whose line feed is still to come.
    private var afterReturn = false
    private var isFirstLine = true

    package init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next bytes; gives the events that they complete.
    ///
    /// - Throws: `FeedFailure` if an event is larger than the limit.
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
        // By bytes: to `String`, a colon and a mark that combines with it are one character.
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "event": self.name = String(decoding: value, as: UTF8.self)
        case "data": self.data.append(String(decoding: value, as: UTF8.self))
        // Comments, ids, and whatever will be invented are part of no event.
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
