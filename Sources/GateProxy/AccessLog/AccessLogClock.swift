import GatePolicy
import NIOCore

/// The clock for log lines, which renders the time as text once per second.
struct AccessLogClock {
    private let format: AccessLogFormat
    /// The wall-clock time minus the monotonic time, in nanoseconds.
    private var offset: Int64 = 0
    private var second: Int64 = .min
    /// The time that was last passed to `advance(to:)`, as UTC text.
    ///
    /// Examples: `22/Nov/2026:09:35:25 +0000` and, in JSON, `2026-11-22T09:35:25.123Z` (RFC 3339).
    private(set) var text = InlineArray<26, UInt8>(repeating: 0)
    /// The number of bytes in `text`.
    private(set) var count = 0

    /// Creates a clock; `wallTime` is the Unix time in nanoseconds at `now`.
    init(_ format: AccessLogFormat, wallTime: Int64, at now: NIODeadline) {
        self.format = format
        self.set(wallTime: wallTime, at: now)
        self.advance(to: now)
    }

    /// Recalculates the offset, because the wall clock may have been adjusted.
    mutating func set(wallTime: Int64, at now: NIODeadline) {
        self.offset = wallTime - Int64(now.uptimeNanoseconds)
    }

    mutating func advance(to now: NIODeadline) {
        let time = max(0, Int64(now.uptimeNanoseconds) + self.offset)
        let second = time / 1_000_000_000
        if second != self.second {
            self.second = second
            let text = Self.text(Timestamp(secondsSinceEpoch: second), self.format)
            for index in text.indices { self.text[index] = text[index] }
            self.count = text.count
        }
        guard self.format.isJSON else { return }
        let milliseconds = time % 1_000_000_000 / 1_000_000
        self.text[20] = UInt8(ascii: "0") + UInt8(milliseconds / 100)
        self.text[21] = UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10)
        self.text[22] = UInt8(ascii: "0") + UInt8(milliseconds % 10)
    }

    private static func text(_ time: Timestamp, _ format: AccessLogFormat) -> [UInt8] {
        switch format {
        case .json, .otel:
            return "\(time)".utf8.dropLast() + Array(".000Z".utf8)
        case .common, .combined:
            // `httpDate` has the form `Sun, 22 Nov 2026 09:35:25 GMT`.
            let words = time.httpDate.split(separator: " ")
            let date = words[1...3].joined(separator: "/")
            return Array("\(date):\(words[4]) +0000".utf8)
        }
    }
}
