import GateProxy

/// Properties of any bytes in one direction of a WebSocket.
struct WebSocketProperties {
    private let input: [UInt8]
    /// The ends of frames according to a second, simpler parser (RFC 6455 section 5.2).
    private let ends: Set<Int>

    init(_ input: [UInt8]) {
        self.input = input
        var ends: Set<Int> = [0]
        var start = 0
        while let end = Self.endOfFrame(in: input, from: start) {
            ends.insert(end)
            start = end
        }
        self.ends = ends
    }

    private static func endOfFrame(in bytes: [UInt8], from start: Int) -> Int? {
        guard start + 2 <= bytes.count else { return nil }
        let short = Int(bytes[start + 1] & 0x7F)
        let width = short == 127 ? 8 : short == 126 ? 2 : 0
        let mask = bytes[start + 1] >= 0x80 ? 4 : 0
        let payload = start + 2 + width + mask
        guard payload <= bytes.count else { return nil }
        var length = short
        if width > 0 {
            length = 0
            for byte in bytes[(start + 2)..<(start + 2 + width)] {
                guard length <= bytes.count else { return nil }
                length = length * 256 + Int(byte)
            }
        }
        return payload + length <= bytes.count ? payload + length : nil
    }

    func check() throws(Finding) {
        for pieces in Splits(self.input) {
            try self.follow(pieces)
            try self.followToEnds(pieces)
        }
    }

    /// Checks that the position is between frames exactly at the ends of frames.
    private func follow(_ pieces: [Int]) throws(Finding) {
        var frames = WebSocketFrames()
        var start = 0
        for end in pieces {
            let count = frames.follow(self.input.span.extracting(start..<end))
            try expect(count, is: end - start, "the number of followed bytes")
            try expect(frames.isBetweenFrames, is: self.ends.contains(end), "between at \(end)")
            start = end
        }
    }

    /// Checks that following stops, if requested, at the first end of a frame.
    private func followToEnds(_ pieces: [Int]) throws(Finding) {
        var frames = WebSocketFrames()
        var start = 0
        for end in pieces {
            while start < end {
                let rest = self.input.span.extracting(start..<end)
                let stop = start + frames.follow(rest, stopsBetweenFrames: true)
                let next = self.ends.filter { $0 > start && $0 <= end }.min() ?? end
                try expect(stop, is: next, "the first end after \(start)")
                start = stop
            }
        }
    }
}
