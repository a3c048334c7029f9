import GatePolicy
import Glibc
import NIOCore

/// One log line for each exchange of one event loop, when it is over.
///
/// Lines are bytes in a buffer of the loop, which goes to the log when it is full and with each tick.
final class AccessLog {
    /// What is remembered of a request until its answer is complete.
    struct Entry {
        /// The line as far as it is known, with room for the time and the status.
        fileprivate var line: ByteBuffer
        fileprivate var timeIndex = 0
        fileprivate var statusIndex = 0
        /// Where the number of bytes belongs in a line of text.
        fileprivate var bytesIndex = 0
        fileprivate let started: NIODeadline
        /// The name that the gate gave the request, if the client gave none.
        let newRequestID: RequestID?
        /// Whether the answer is the backend's.
        private(set) var isForwarded = false
        /// 0: there was none before the client went away.
        private(set) var status = 0
        /// Bytes of the answer's content, with the framing of HTTP/1.1.
        var bytes = 0

        /// The gate answers itself.
        mutating func answered(_ status: Int) {
            self.status = status
            self.isForwarded = false
        }

        /// The backend's answer goes to the client.
        mutating func forwarded(_ status: Int) {
            self.status = status
            self.isForwarded = true
        }

        fileprivate init(line: ByteBuffer, started: NIODeadline, newRequestID: RequestID?) {
            self.line = line
            self.started = started
            self.newRequestID = newRequestID
        }
    }

    /// Bytes that a line shows of each part of a request, before anything is escaped.
    enum Limit {
        static let method = 32
        static let path = 1024
        static let field = 512
    }

    /// Lines are handed over when there are this many bytes of them.
    private static let batch = 16 * 1024
    /// Buffers of entries that are kept for those to come.
    private static let kept = 128

    let format: AccessLogFormat
    private let output: (ByteBuffer) -> Void
    private let wallTime: () -> Int64
    private var clock: AccessLogClock
    private var lines: ByteBuffer
    private var spare: [ByteBuffer] = []
    private let unjudged: [UInt8]
    private var isEnding = false

    /// `wallTime`: nanoseconds of Unix time; `output`: takes whole lines.
    init(
        _ format: AccessLogFormat,
        wallTime: @escaping () -> Int64 = AccessLog.wallTime,
        output: @escaping (ByteBuffer) -> Void
    ) {
        self.format = format
        self.wallTime = wallTime
        self.output = output
        self.clock = AccessLogClock(format, wallTime: wallTime(), at: .now())
        self.lines = ByteBufferAllocator().buffer(capacity: Self.batch + 2048)
        self.unjudged = AccessLogFields.rendered(nil, nil, as: format)
    }

    static func wallTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Follows the wall clock, and hands over what there is.
    func tick() {
        self.clock.set(wallTime: self.wallTime(), at: .now())
        self.flush()
    }

    /// Hands over what there is, and from now on every line at once: there are no more ticks.
    func end() {
        self.isEnding = true
        self.flush()
    }

    private func flush() {
        guard self.lines.readableBytes > 0 else { return }
        self.output(self.lines)
        self.lines.clear()
    }
}

extension AccessLog {
    /// What a line tells of a request besides its head.
    struct Origin {
        let client: String
        let isHTTP2: Bool
        let verdict: Verdict?
    }

    /// Begins a line while the bytes of the request are there.
    func begin(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        of origin: Origin,
        requestID: FieldLine?,
        newRequestID: () -> RequestID,
        at now: NIODeadline = .now()
    ) -> Entry {
        var line = self.spare.popLast() ?? ByteBufferAllocator().buffer(capacity: 1024)
        line.clear()
        let newID = requestID == nil ? newRequestID() : nil
        var entry = Entry(line: ByteBuffer(), started: now, newRequestID: newID)
        if self.format == .json {
            self.beginObject(head, in: bytes, of: origin, into: &line, &entry)
        } else {
            self.beginText(head, in: bytes, of: origin, into: &line, &entry)
        }
        if let requestID {
            let value = bytes.extracting(requestID.valueStart..<requestID.valueEnd)
            LogValue.write(value, as: self.format, atMost: value.count, into: &line)
        } else {
            newID?.write(into: &line)
        }
        entry.line = line
        return entry
    }

    private func beginText(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        of origin: Origin,
        into line: inout ByteBuffer,
        _ entry: inout Entry
    ) {
        line.writeString(origin.client)
        line.writeStaticString(" - - [")
        entry.timeIndex = line.writerIndex
        line.writeBytes(self.clock.text)
        line.writeStaticString("] \"")
        self.writeMethod(of: head, in: bytes, into: &line)
        line.writeStaticString(" ")
        self.writePath(of: head, in: bytes, into: &line)
        line.writeStaticString(
            Self.version(
                head,
                origin,
                " HTTP/1.1\" 000 ",
                " HTTP/1.0\" 000 ",
                " HTTP/2.0\" 000 "
            )
        )
        entry.bytesIndex = line.writerIndex
        entry.statusIndex = line.writerIndex - 4
        if self.format == .combined {
            let (referer, userAgent) = Self.fields(of: head, in: bytes)
            line.writeStaticString(" \"")
            self.writeReferer(referer, in: bytes, into: &line)
            line.writeStaticString("\" \"")
            self.writeField(userAgent, in: bytes, into: &line)
            line.writeStaticString("\"")
        }
        line.writeBytes(origin.verdict?.logFields ?? self.unjudged)
        line.writeStaticString(" request_id=\"")
    }

    private func beginObject(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        of origin: Origin,
        into line: inout ByteBuffer,
        _ entry: inout Entry
    ) {
        line.writeStaticString("{\"time\":\"")
        entry.timeIndex = line.writerIndex
        line.writeBytes(self.clock.text)
        line.writeStaticString("\",\"level\":\"info\",\"message\":\"request\",\"client\":\"")
        line.writeString(origin.client)
        line.writeStaticString("\",\"method\":\"")
        self.writeMethod(of: head, in: bytes, into: &line)
        line.writeStaticString("\",\"path\":\"")
        self.writePath(of: head, in: bytes, into: &line)
        line.writeStaticString(
            Self.version(
                head,
                origin,
                "\",\"protocol\":\"HTTP/1.1\"",
                "\",\"protocol\":\"HTTP/1.0\"",
                "\",\"protocol\":\"HTTP/2.0\""
            )
        )
        let (referer, userAgent) = Self.fields(of: head, in: bytes)
        if let referer {
            line.writeStaticString(",\"referer\":\"")
            self.writeReferer(referer, in: bytes, into: &line)
            line.writeStaticString("\"")
        }
        if let userAgent {
            line.writeStaticString(",\"user_agent\":\"")
            self.writeField(userAgent, in: bytes, into: &line)
            line.writeStaticString("\"")
        }
        line.writeBytes(origin.verdict?.logFields ?? self.unjudged)
        line.writeStaticString(",\"request_id\":\"")
    }

    private static func version(
        _ head: borrowing RequestHead,
        _ origin: Origin,
        _ one: StaticString,
        _ zero: StaticString,
        _ two: StaticString
    ) -> StaticString {
        origin.isHTTP2 ? two : head.minorVersion == 0 ? zero : one
    }

    private func writeMethod(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        into line: inout ByteBuffer
    ) {
        let method = bytes.extracting(head.methodStart..<head.methodEnd)
        LogValue.write(method, as: self.format, atMost: Limit.method, into: &line)
    }

    /// Without the query, which often carries secrets.
    private func writePath(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        into line: inout ByteBuffer
    ) {
        let start = head.target.start
        let end = bytes.endOfPath(from: start, to: head.target.end)
        // The backend is sent `/` for it (RFC 9112 3.2.1).
        if start == end { line.writeStaticString("/") }
        let path = bytes.extracting(start..<end)
        LogValue.write(path, as: self.format, atMost: Limit.path, into: &line)
    }

    private func writeReferer(
        _ field: FieldLine?,
        in bytes: Span<UInt8>,
        into line: inout ByteBuffer
    ) {
        var address = field
        if let field {
            address?.valueEnd = bytes.endOfPath(from: field.valueStart, to: field.valueEnd)
        }
        self.writeField(address, in: bytes, into: &line)
    }

    private func writeField(
        _ field: FieldLine?,
        in bytes: Span<UInt8>,
        into line: inout ByteBuffer
    ) {
        guard let field else {
            line.writeStaticString("-")
            return
        }
        let value = bytes.extracting(field.valueStart..<field.valueEnd)
        LogValue.write(value, as: self.format, atMost: Limit.field, into: &line)
    }

    private static func fields(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> (referer: FieldLine?, userAgent: FieldLine?) {
        var fields: (referer: FieldLine?, userAgent: FieldLine?) = (nil, nil)
        for line in head.fields.lines {
            switch line.nameEnd - line.start {
            case 7 where bytes.matches("referer", from: line.start, to: line.nameEnd):
                fields.referer = line
            case 10 where bytes.matches("user-agent", from: line.start, to: line.nameEnd):
                fields.userAgent = line
            default:
                break
            }
        }
        return fields
    }
}

extension AccessLog {
    /// Writes the line of an exchange that is over.
    func end(_ entry: inout Entry, at now: NIODeadline = .now()) {
        self.clock.advance(to: now)
        entry.line.setBytes(self.clock.text, at: entry.timeIndex)
        if self.format == .json {
            self.endObject(entry, at: now)
        } else {
            self.endText(&entry, at: now)
        }
        if self.spare.count < Self.kept, entry.line.capacity <= 4096 {
            self.spare.append(entry.line)
        }
        if self.isEnding || self.lines.readableBytes >= Self.batch { self.flush() }
    }

    private func endText(_ entry: inout Entry, at now: NIODeadline) {
        let status = UInt64(entry.status)
        let digits = UInt32(truncatingIfNeeded: ByteBuffer.digits(status, count: 3)) | 0x2000_0000
        entry.line.setInteger(digits, at: entry.statusIndex, endianness: .little)
        let bytes = entry.line.readableBytesUInt8Span
        self.lines.write(bytes, from: 0, to: entry.bytesIndex)
        self.lines.writeDecimal(UInt64(entry.bytes))
        self.lines.write(bytes, from: entry.bytesIndex, to: bytes.count)
        self.lines.writeStaticString("\" upstream_status=\"")
        if entry.isForwarded {
            self.lines.writeDecimal(status)
        } else {
            self.lines.writeStaticString("-")
        }
        self.lines.writeStaticString("\" duration_ms=\"")
        self.writeDuration(now - entry.started)
        self.lines.writeStaticString("\"\n")
    }

    private func endObject(_ entry: Entry, at now: NIODeadline) {
        let status = UInt64(entry.status)
        self.lines.writeImmutableBuffer(entry.line)
        self.lines.writeStaticString("\",\"status\":")
        self.lines.writeDecimal(status)
        self.lines.writeStaticString(",\"bytes\":")
        self.lines.writeDecimal(UInt64(entry.bytes))
        if entry.isForwarded {
            self.lines.writeStaticString(",\"upstream_status\":")
            self.lines.writeDecimal(status)
        }
        self.lines.writeStaticString(",\"duration_ms\":")
        self.writeDuration(now - entry.started)
        self.lines.writeStaticString("}\n")
    }

    private func writeDuration(_ duration: TimeAmount) {
        let microseconds = UInt64(max(0, duration.nanoseconds) / 1000)
        self.lines.writeDecimal(microseconds / 1000)
        let fraction = ByteBuffer.digits(microseconds % 1000, count: 3) << 8
        self.lines.writeInteger(
            UInt32(truncatingIfNeeded: fraction) | UInt32(UInt8(ascii: ".")),
            endianness: .little
        )
    }
}

extension Span<UInt8> {
    /// Where the query of an address begins, or where the address ends.
    fileprivate func endOfPath(from start: Int, to end: Int) -> Int {
        let range = self.extracting(start..<end)
        return range.position(of: ASCII.questionMark, from: 0).map { start + $0 } ?? end
    }
}

@available(*, unavailable)
extension AccessLog: Sendable {}
