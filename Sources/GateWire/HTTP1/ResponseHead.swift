/// A response head as positions in the bytes of its message, for all versions of HTTP.
///
/// The bytes are an HTTP/1.1 head (RFC 9112 sections 4 and 5), or the `HeaderList` of an HTTP/2
/// head. Field lines have the same format in both. All positions are relative to the first byte.
@usableFromInline
package struct ResponseHead: Equatable, Sendable {
    @usableFromInline package internal(set) var status = 0
    package internal(set) var minorVersion = 1
    /// The index of the start of the status line.
    package internal(set) var lineStart = 0
    /// The index of the status code.
    ///
    /// The range up to `statusEnd` includes the reason phrase, if there is one.
    package internal(set) var statusStart = 0
    package internal(set) var statusEnd = 0
    package internal(set) var fields = FieldSection()
    /// The index of the first field line.
    package internal(set) var fieldsStart = 0
    /// The position after the empty line that ends the head.
    package internal(set) var end = 0
    /// Whether the bytes before the field lines are an HTTP/1.1 status line.
    package internal(set) var hasStatusLine = true
    /// Whether a body may follow that no field announces; HTTP/2 frames delimit it.
    package internal(set) var hasUnannouncedBody = false

    package init() {}

    @inlinable package var isInterim: Bool { self.status < 200 && self.status != 101 }
}

/// An in-place parser for response heads, as strict as the request parser.
///
/// A response that is ambiguous to the gate could also be ambiguous to the client.
package struct ResponseHeadParser: Sendable {
    package typealias Progress = RequestHeadParser.Progress

    private enum Stage {
        case statusLine
        case fields
    }

    package private(set) var head = ResponseHead()
    private var scanner = HeadLineScanner()
    private var stage = Stage.statusLine
    private let limits: HeadLimits

    package init(limits: HeadLimits = .defaults) {
        self.limits = limits
    }

    /// Prepares for the next head, reusing the memory of the previous one.
    package mutating func reset() {
        self.scanner = HeadLineScanner()
        self.stage = .statusLine
        self.head.fields.removeAll()
    }

    /// Parses the bytes received since the previous call.
    ///
    /// `bytes` contains all bytes of the head so far, including those of earlier calls.
    package mutating func parse(_ bytes: Span<UInt8>) -> Progress {
        while true {
            if self.stage == .fields, self.scanner.isAtNewLine {
                let end = self.head.fields.append(
                    plainLinesIn: bytes,
                    from: self.scanner.lineStart,
                    count: self.limits.fields,
                    limit: self.limits.bytes,
                    table: .response
                )
                self.scanner.skip(to: end)
            }
            switch self.scanner.next(in: bytes) {
            case .incomplete:
                return bytes.count > self.limits.bytes ? .malformed(.headTooLarge) : .incomplete
            case .malformed:
                return .malformed(.lineEnd)
            case .line(let start, let end):
                guard end + 2 <= self.limits.bytes else { return .malformed(.headTooLarge) }
                if let progress = self.read(from: start, to: end, in: bytes) { return progress }
            }
        }
    }

    @inline(__always)
    private mutating func read(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> Progress? {
        switch self.stage {
        case .statusLine:
            guard self.readStatusLine(from: start, to: end, in: bytes) else {
                return .malformed(.status)
            }
            self.stage = .fields
            return nil
        case .fields:
            guard start < end else {
                self.head.end = end + 2
                return .complete
            }
            guard self.head.fields.lines.count < self.limits.fields else {
                return .malformed(.tooManyFields)
            }
            return self.head.fields
                .append(lineIn: bytes, from: start, to: end, table: .response)
                .map(Progress.malformed)
        }
    }

    /// Parses `HTTP-version SP status-code SP [ reason-phrase ]`.
    ///
    /// Many backends omit the second space if there is no reason phrase; accepting this is harmless.
    private mutating func readStatusLine(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> Bool {
        guard end - start >= 12, bytes.equals("HTTP/1.", from: start, to: start + 7),
            ASCII.isDigit(bytes[start + 7]), bytes[start + 8] == ASCII.space
        else { return false }
        var status = 0
        for index in (start + 9)..<(start + 12) {
            guard ASCII.isDigit(bytes[index]) else { return false }
            status = status * 10 + Int(bytes[index] - 0x30)
        }
        guard status >= 100, status < 1000 else { return false }
        guard end == start + 12 || bytes[start + 12] == ASCII.space else { return false }
        for index in (start + 12)..<end where !ASCII.isFieldValue(bytes[index]) { return false }
        self.head.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        self.head.status = status
        self.head.lineStart = start
        self.head.statusStart = start + 9
        self.head.statusEnd = end
        self.head.fieldsStart = end + 2
        return true
    }
}
