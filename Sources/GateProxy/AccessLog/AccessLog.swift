import GatePolicy
import GateWire
import Glibc
import NIOCore

/// The access log of one event loop, with one line for each exchange, written when the exchange ends.
///
/// Lines are collected in a buffer, which is passed to the log when it is full and on each tick.
final class AccessLog {
    /// The maximum lengths of the logged parts of a request, in bytes before escaping.
    enum Limit {
        static let method = 32
        static let path = 1024
        static let field = 512
        static let requestID = 128
        /// The maximum total length of all logged parts, in bytes before escaping.
        static let all = Self.method + Self.path + 2 * Self.field + Self.requestID
    }

    /// The capacity in bytes for a line, excluding the fields for an identified client and for the decision.
    ///
    /// The capacity is six bytes for each logged byte of the request, plus the fields for a plain client, names,
    /// punctuation, ellipses, the client's address, the time, and numbers of at most 20 digits.
    private let ownRoom = 6 * Limit.all + AccessLogFields.plainRoom + 1024

    /// The maximum number of bytes that are added to a line when its exchange ends.
    private static let endRoom = 320

    /// The number of buffered bytes at which lines are passed to the log.
    ///
    /// With this value, most batches fit into one write.
    private static let batch = 3584

    let format: AccessLogFormat
    private let output: (Span<UInt8>) -> Void
    private let wallTime: () -> Int64
    private var clock: AccessLogClock
    private var lines: LogMemory
    /// The scratch memory in which the start of a line is written before it is copied to its `Entry`.
    private var draft: LogMemory
    /// A pool of memory from completed lines, for reuse.
    private var spare = LogMemoryPool()
    /// The verdict for requests to the gate itself, for which no client is identified.
    let unjudged: Verdict
    private var isEnding = false

    /// Creates an access log.
    ///
    /// `wallTime` returns Unix time in nanoseconds, and `output` receives whole lines.
    init(
        _ format: AccessLogFormat,
        wallTime: @escaping () -> Int64 = AccessLog.wallTime,
        output: @escaping (Span<UInt8>) -> Void
    ) {
        self.format = format
        self.wallTime = wallTime
        self.output = output
        self.clock = AccessLogClock(format, wallTime: wallTime(), at: .now())
        self.lines = LogMemory(capacity: Self.batch + self.ownRoom)
        self.draft = LogMemory(capacity: self.ownRoom)
        self.unjudged = Verdict(
            decision: .preflight,
            logFields: AccessLogFields.rendered(nil, as: format),
            clientLogFields: AccessLogFields.rendered(client: nil, as: format)
        )
    }

    static func wallTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Adjusts the clock to the wall-clock time, and writes the collected lines.
    func tick() {
        self.clock.set(wallTime: self.wallTime(), at: .now())
        self.flush()
    }

    /// Writes the collected lines, and disables buffering, because no more ticks follow.
    func end() {
        self.isEnding = true
        self.flush()
    }

    private func flush() {
        guard self.lines.count > 0 else { return }
        self.lines.withBytes { self.output($0) }
        self.lines.removeAll()
    }
}

extension AccessLog {
    /// The ID of a request: the client's ID if it is valid, or a new one.
    enum RequestName {
        case given(FieldLine)
        case new(RequestID)
    }

    /// Starts the line of a request while the bytes of the request are still available.
    ///
    /// - Returns: The entry to pass to `end(_:at:)` when the exchange ends.
    func begin(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        of address: String,
        isHTTP2: Bool,
        verdict: Verdict,
        id: RequestName,
        at now: NIODeadline = .now()
    ) -> Entry {
        let parts = LoggedParts(of: head, in: bytes, isHTTP2: isHTTP2, verdict: verdict)
        let client = parts.hasPlainClient ? nil : self.client(of: verdict, head, in: bytes)
        let decision = verdict.logFields
        var newID: RequestID?
        var timeIndex = 0
        var statusIndex = 0
        self.draft.removeAll()
        self.draft.reserve(self.ownRoom + (client?.count ?? 0) + decision.count)
        self.draft.write { line in
            switch self.format {
            case .common, .combined:
                line.writeString(address)
                line.writeStaticString(" - - [")
                timeIndex = line.count
                self.writeRequestLine(parts, in: bytes, into: &line)
                statusIndex = line.count
                if self.format == .combined { self.writeAgent(parts, in: bytes, into: &line) }
                self.writeClient(parts, or: client, in: bytes, into: &line)
                line.writeBytes(decision.span)
                if let trace = parts.trace {
                    line.writeStaticString(" trace_id=\"")
                    line.writeBytes(bytes.extracting(trace.traceID))
                    line.writeStaticString("\"")
                }
                line.writeStaticString(" request_id=\"")
            case .json, .otel:
                line.writeStaticString("{\"time\":\"")
                timeIndex = line.count
                line.writeStaticString("\",\"level\":\"info\",\"message\":\"request\"")
                line.writeStaticString(self.member(",\"client\":\"", ",\"client.address\":\""))
                line.writeString(address)
                self.writeMembers(parts, in: bytes, into: &line)
                self.writeClient(parts, or: client, in: bytes, into: &line)
                line.writeBytes(decision.span)
                self.writeTrace(parts.trace, in: bytes, into: &line)
                line.writeStaticString(
                    self.member(",\"request_id\":\"", ",\"versiongate.request_id\":\"")
                )
                statusIndex = line.count
            }
            switch id {
            case .given(let field):
                self.write(field.value, in: bytes, atMost: Limit.requestID, into: &line)
            case .new(let id):
                line.writeRequestID(id)
                newID = id
            }
        }
        return Entry(
            line: self.spare.copy(of: self.draft),
            timeIndex: timeIndex,
            statusIndex: statusIndex,
            started: now,
            newRequestID: newID
        )
    }

    /// Returns the rendered fields for a client whose values cannot be copied verbatim from the request head.
    private func client(
        of verdict: Verdict,
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> [UInt8] {
        guard let members = verdict.members else { return verdict.clientLogFields }
        let client = members.identity(of: head, in: bytes)
        return AccessLogFields.rendered(client: client, as: self.format)
    }

    private func writeClient(
        _ parts: LoggedParts,
        or rendered: [UInt8]?,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        if let rendered { return line.writeBytes(rendered.span) }
        AccessLogFields.write(parts.client, in: bytes, as: self.format, into: &line)
    }
}

extension AccessLog {
    /// Completes the line of an exchange that has ended.
    func end(_ entry: consuming Entry, at now: NIODeadline = .now()) {
        self.clock.advance(to: now)
        let room = entry.line.count + Self.endRoom
        if self.lines.capacity - self.lines.count < room {
            self.flush()
            self.lines.reserve(room)
        }
        entry.line.withBytes { line in
            self.lines.write { lines in
                lines.writeBytes(line.extracting(..<entry.timeIndex))
                lines.writeBytes(self.clock.text.span.extracting(..<self.clock.count))
                lines.writeBytes(line.extracting(entry.timeIndex..<entry.statusIndex))
                let rest = line.extracting(entry.statusIndex...)
                switch self.format {
                case .common, .combined: Self.endText(entry, rest, at: now, into: &lines)
                case .json, .otel: self.endObject(entry, rest, at: now, into: &lines)
                }
            }
        }
        self.spare.take(back: entry.line)
        if self.isEnding || self.lines.count >= Self.batch { self.flush() }
    }

    /// Writes a text line from the status to the end; `rest` is the part of the entry after the status.
    private static func endText(
        _ entry: borrowing Entry,
        _ rest: Span<UInt8>,
        at now: NIODeadline,
        into lines: inout LogCursor
    ) {
        lines.writeThreeDigits(UInt64(entry.status))
        lines.writeStaticString(" ")
        lines.writeDecimal(UInt64(entry.bytes))
        lines.writeBytes(rest)
        lines.writeStaticString("\" upstream_status=\"")
        if entry.isForwarded {
            lines.writeThreeDigits(UInt64(entry.status))
        } else {
            lines.writeStaticString("-")
        }
        lines.writeStaticString("\" duration_ms=\"")
        self.writeMilliseconds(now - entry.started, into: &lines)
        lines.writeStaticString("\"\n")
    }

    /// Writes the end of a JSON object, starting with `rest`, the remaining part of the entry.
    private func endObject(
        _ entry: borrowing Entry,
        _ rest: Span<UInt8>,
        at now: NIODeadline,
        into lines: inout LogCursor
    ) {
        lines.writeBytes(rest)
        lines.writeStaticString(
            self.member("\",\"status\":", "\",\"http.response.status_code\":")
        )
        lines.writeDecimal(UInt64(entry.status))
        lines.writeStaticString(self.member(",\"bytes\":", ",\"http.response.body.size\":"))
        lines.writeDecimal(UInt64(entry.bytes))
        if entry.isForwarded {
            lines.writeStaticString(
                self.member(",\"upstream_status\":", ",\"versiongate.upstream_status\":")
            )
            lines.writeDecimal(UInt64(entry.status))
        }
        lines.writeStaticString(
            self.member(",\"duration_ms\":", ",\"versiongate.duration_ms\":")
        )
        Self.writeMilliseconds(now - entry.started, into: &lines)
        lines.writeStaticString("}\n")
    }

    private static func writeMilliseconds(_ time: TimeAmount, into lines: inout LogCursor) {
        let microseconds = UInt64(max(0, time.nanoseconds) / 1000)
        let milliseconds = microseconds / 1000
        lines.writeDecimal(milliseconds)
        lines.writeStaticString(".")
        lines.writeThreeDigits(microseconds - 1000 * milliseconds)
    }
}

extension AccessLog {
    /// The log line of a request whose response is not complete yet.
    struct Entry: ~Copyable {
        /// The line without the parts that are known only when the exchange ends.
        let line: LogMemory
        /// The index at which the time is inserted.
        let timeIndex: Int
        /// The index at which the status and the number of bytes are inserted in a text line.
        let statusIndex: Int
        let started: NIODeadline
        /// The ID that the gate assigned to the request; `nil` if the client sent a valid ID.
        let newRequestID: RequestID?
        /// Whether the response is from the backend.
        private(set) var isForwarded = false
        /// The status code of the response; 0 if the client disconnected before the response.
        private(set) var status = 0
        /// The number of body bytes in the response, including HTTP/1.1 framing.
        var bytes = 0

        /// Records the status of a response that the gate generated.
        mutating func answered(_ status: Int) {
            self.status = status
            self.isForwarded = false
        }

        /// Records the status of a response from the backend.
        mutating func forwarded(_ status: Int) {
            self.status = status
            self.isForwarded = true
        }
    }
}

@available(*, unavailable)
extension AccessLog: Sendable {}
