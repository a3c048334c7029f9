import GateFeeds
import GateRules

/// Properties of any bytes as server-sent events.
struct EventStreamProperties {
    private static let limit = 256

    private let input: [UInt8]

    init(_ input: [UInt8]) {
        self.input = input
    }

    func check() throws(Finding) {
        let whole = Self.events(in: self.input, endingAt: [self.input.count])
        for ends in Splits(self.input) {
            try expect(Self.events(in: self.input, endingAt: ends), is: whole, "in pieces \(ends)")
        }
        guard let whole else { return }
        try expect(whole, is: self.reference, "beside the reference")
    }

    /// Returns the events of a stream; `nil` if one is too large.
    private static func events(
        in bytes: [UInt8],
        endingAt ends: [Int]
    ) -> [EventStreamParser.Event]? {
        var parser = EventStreamParser(limit: Self.limit)
        var start = 0
        var events: [EventStreamParser.Event] = []
        for end in ends {
            guard let next = try? parser.receive(Array(bytes[start..<end])) else { return nil }
            events += next
            start = end
        }
        return events
    }

    /// The same events according to the specification's algorithm, with all lines available.
    ///
    /// https://html.spec.whatwg.org/multipage/server-sent-events.html section 9.2.6
    private var reference: [EventStreamParser.Event] {
        var events: [EventStreamParser.Event] = []
        var (name, data) = ("", "")
        for line in self.lines {
            guard !line.isEmpty else {
                if !data.isEmpty {
                    data.unicodeScalars.removeLast()
                    events.append(.init(name: name.isEmpty ? "message" : name, data: data))
                }
                (name, data) = ("", "")
                continue
            }
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == " " { value.removeFirst() }
            switch String(line[..<colon]) {
            case "event": name = String(value)
            case "data":
                data.unicodeScalars.append(contentsOf: value)
                data.unicodeScalars.append("\n")
            default: break
            }
        }
        return events
    }

    /// The complete lines, without the byte order mark before the first.
    private var lines: [String.UnicodeScalarView] {
        var lines: [[UInt8]] = [[]]
        for (index, byte) in self.input.enumerated() {
            switch byte {
            case 0x0D: lines.append([])
            case 0x0A where index > 0 && self.input[index - 1] == 0x0D: continue
            case 0x0A: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
        }
        lines.removeLast()
        if let first = lines.first, first.starts(with: [0xEF, 0xBB, 0xBF]) {
            lines[0].removeFirst(3)
        }
        return lines.map { String(decoding: $0, as: UTF8.self).unicodeScalars }
    }
}
