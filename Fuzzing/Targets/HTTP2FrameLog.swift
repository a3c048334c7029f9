import GateWire

/// Reads what the gate sends over HTTP/2 and holds it to the states of a stream (RFC 9113 5.1).
struct HTTP2FrameLog {
    private enum Stream {
        case begun
        case ended
        case reset
    }

    /// Type, flags and stream of the frames of each stream, in their order.
    private(set) var outline: [UInt32: [[UInt8]]] = [:]
    private var streams: [UInt32: Stream] = [:]
    private var decoder = HPACKDecoder(names: .response)
    private var isOver = false

    mutating func read(_ bytes: [UInt8]) throws(Finding) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try expect(!self.isOver, "frames behind the goodbye")
            guard rest.count >= 9 else { throw Finding("half a frame") }
            let header = Array(rest.prefix(9))
            let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            try expect(length <= 16_384, "a frame of \(length) bytes")
            try expect(rest.count >= 9 + length, "half a frame")
            let id = header[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let payload = Array(rest.dropFirst(9).prefix(length))
            if self.outline.isEmpty { try expect(header[3], is: 4, "the first frame") }
            try self.read(type: header[3], flags: header[4], id, payload)
            self.outline[id, default: []].append(Array(header[3...4]))
            rest = rest.dropFirst(9 + length)
        }
    }

    private mutating func read(
        type: UInt8,
        flags: UInt8,
        _ id: UInt32,
        _ payload: [UInt8]
    ) throws(Finding) {
        switch type {
        case 0, 1:
            try expect(id % 2 == 1, "an answer on stream \(id)")
            let before = self.streams[id]
            try expect(before == nil || before == .begun, "more behind the end of \(id)")
            try expect(type == 1 || before == .begun, "a body without a head on \(id)")
            if type == 1 { try self.readHead(payload, flags, isFirst: before == nil) }
            self.streams[id] = flags & 1 == 1 ? .ended : .begun
        case 3:
            try expect(payload.count, is: 4, "a reset")
            try expect(self.streams[id] != .reset, "a second reset of \(id)")
            if self.streams[id] == .ended {
                // That the rest is not wanted, that it is malformed (RFC 9113 8.1.1), or that it came behind the
                // end (RFC 9113 5.1).
                let isMeant = [0, 1, 5].contains { payload == [0, 0, 0, $0] }
                try expect(isMeant, "the reset \(payload) of an answer on \(id)")
            }
            self.streams[id] = .reset
        case 4: try expect(id == 0 && payload.count % 6 == 0, "settings")
        case 6: try expect(id == 0 && payload.count == 8 && flags == 1, "a ping")
        case 7:
            try expect(id == 0 && payload.count == 8, "a goodbye")
            self.isOver = true
        case 8: try expect(payload.count, is: 4, "room")
        default: throw Finding("a frame of type \(type)")
        }
    }

    private mutating func readHead(
        _ block: [UInt8],
        _ flags: UInt8,
        isFirst: Bool
    ) throws(Finding) {
        // Nothing that the gate says itself needs more than a frame.
        try expect(flags & 4 == 4, "an unfinished head")
        var list = HeaderList()
        guard (try? self.decoder.decode(block.span, into: &list, limit: .max)) != nil else {
            throw Finding("a head that cannot be read")
        }
        guard isFirst else { return }
        guard let first = list.lines.first else { throw Finding("an empty head") }
        let name = list.bytes[first.start..<first.nameEnd]
        try expect(name.elementsEqual(":status".utf8), "a head without a status")
        try expect(first.valueEnd - first.valueStart == 3, "a status of another length")
    }
}
