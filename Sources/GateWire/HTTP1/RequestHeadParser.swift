/// An in-place, single-pass parser for request heads (RFC 9112).
///
/// The parser rejects anything that two recipients could interpret differently.
package struct RequestHeadParser: Sendable {
    package enum Progress: Equatable, Sendable {
        /// More bytes are needed to complete the head.
        case incomplete
        /// `head` is complete and ends at `head.end`.
        case complete
        case malformed(MessageFault)
    }

    private enum Stage {
        case requestLine
        case fields
    }

    package private(set) var head = RequestHead()
    /// Whether any request line, of this head or an earlier one, has been parsed.
    package private(set) var hasReadLine = false
    private var scanner = HeadLineScanner()
    private var stage = Stage.requestLine
    private let limits: HeadLimits

    package init(limits: HeadLimits = .defaults) {
        self.limits = limits
    }

    /// Prepares for the next head, reusing the memory of the previous one.
    package mutating func reset() {
        self.scanner = HeadLineScanner()
        self.stage = .requestLine
    }

    /// Returns the parser with its state, and leaves a new parser with the same limits in its place.
    package mutating func take() -> RequestHeadParser {
        var parser = RequestHeadParser(limits: self.limits)
        swap(&parser, &self)
        return parser
    }

    /// Moves the parsed head out of the parser.
    package mutating func takeHead() -> RequestHead {
        var head = RequestHead()
        swap(&head, &self.head)
        return head
    }

    /// Reuses the memory of a head for the next one.
    package mutating func reuse(_ head: consuming RequestHead) {
        self.head = head
    }

    /// Parses the bytes received since the previous call.
    ///
    /// `bytes` contains all bytes of the head so far, including those of earlier calls.
    package mutating func parse(_ bytes: Span<UInt8>, table: FieldNameTable) -> Progress {
        while true {
            self.readPlainFields(in: bytes, table: table)
            switch self.scanner.next(in: bytes) {
            case .line(let start, let end):
                guard end + 2 <= self.limits.bytes else { return .malformed(.headTooLarge) }
                if let progress = self.read(from: start, to: end, in: bytes, table: table) {
                    return progress
                }
            case .incomplete:
                return self.overflow(bytes.count).map(Progress.malformed) ?? .incomplete
            case .malformed:
                return .malformed(.lineEnd)
            }
        }
    }

    /// The maximum length of the request line, in bytes.
    ///
    /// The method, the version and the spaces usually take up far fewer than 64 bytes.
    private var requestLineLimit: Int { self.limits.target + 64 }

    private func overflow(_ count: Int) -> MessageFault? {
        switch self.stage {
        case .requestLine where count - self.scanner.lineStart > self.requestLineLimit:
            .targetTooLong
        case .requestLine, .fields: count > self.limits.bytes ? .headTooLarge : nil
        }
    }

    /// Parses the complete lines in the usual form.
    ///
    /// Each line is parsed in this way only once, so that a line that arrives byte by byte is not
    /// parsed again for each byte.
    @inline(__always)
    private mutating func readPlainFields(in bytes: Span<UInt8>, table: FieldNameTable) {
        guard self.stage == .fields, self.scanner.isAtNewLine else { return }
        let end = self.head.fields.append(
            plainLinesIn: bytes,
            from: self.scanner.lineStart,
            count: self.limits.fields,
            limit: self.limits.bytes,
            table: table
        )
        self.scanner.skip(to: end)
    }

    @inline(__always)
    private mutating func read(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>,
        table: FieldNameTable
    ) -> Progress? {
        switch self.stage {
        case .requestLine:
            // Some old clients send empty lines before the request line (RFC 9112 section 2.2).
            guard start < end else { return nil }
            // The limit includes the CR, as in `overflow(_:)`, which checks incomplete lines.
            guard end - start < self.requestLineLimit else { return .malformed(.targetTooLong) }
            if let fault = self.readRequestLine(from: start, to: end, in: bytes) {
                return .malformed(fault)
            }
            self.beginFields(at: end + 2)
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
                .append(lineIn: bytes, from: start, to: end, table: table)
                .map(Progress.malformed)
        }
    }
}

extension RequestHeadParser {
    private mutating func beginFields(at start: Int) {
        self.hasReadLine = true
        self.head.fieldsStart = start
        self.head.fields.removeAll()
        self.stage = .fields
    }

    /// Parses `method SP request-target SP HTTP-version`, with single spaces (RFC 9112 section 3).
    private mutating func readRequestLine(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> MessageFault? {
        let methodEnd = bytes.endOfToken(from: start, to: end)
        guard methodEnd > start, methodEnd < end, bytes[methodEnd] == ASCII.space else {
            return .method
        }
        self.head.methodStart = start
        self.head.methodEnd = methodEnd

        let targetStart = methodEnd + 1
        let targetEnd = bytes.endOfTarget(from: targetStart, to: end)
        guard targetEnd - targetStart <= self.limits.target else { return .targetTooLong }
        guard targetEnd > targetStart else { return .target }
        guard targetEnd < end else { return .version }
        guard bytes[targetEnd] == ASCII.space else { return .target }

        if let fault = self.readVersion(from: targetEnd + 1, to: end, in: bytes) { return fault }
        return self.readTarget(from: targetStart, to: targetEnd, in: bytes)
    }

    private mutating func readVersion(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> MessageFault? {
        guard end - start == 8 else { return .version }
        if bytes.word(at: start) == Self.version11 {
            self.head.minorVersion = 1
            return nil
        }
        guard bytes[start] == UInt8(ascii: "H"), bytes[start + 1] == UInt8(ascii: "T"),
            bytes[start + 2] == UInt8(ascii: "T"), bytes[start + 3] == UInt8(ascii: "P"),
            bytes[start + 4] == ASCII.slash, bytes[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[start + 5]), ASCII.isDigit(bytes[start + 7])
        else { return .version }
        guard bytes[start + 5] == UInt8(ascii: "1") else { return .unsupportedVersion }
        self.head.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        return nil
    }

    /// The bytes of `HTTP/1.1`, the version in nearly all requests, as an integer.
    private static let version11: UInt64 = 0x312E_312F_5054_5448

    private mutating func readTarget(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> MessageFault? {
        var target = RequestTarget()
        target.start = start
        target.end = end
        defer { self.head.target = target }
        // The gate is not a forward proxy (RFC 9110 section 9.3.6). CONNECT is rejected for any
        // target: if a backend accepted the request, it would open a tunnel on a connection that
        // the gate would reuse.
        if self.head.method("CONNECT", in: bytes) { return .unsupportedMethod }
        if bytes[start] == ASCII.slash { return nil }
        if end - start == 1, bytes[start] == ASCII.asterisk {
            target.form = .asterisk
            return self.head.method("OPTIONS", in: bytes) ? nil : .target
        }
        guard let absolute = RequestTarget(absolute: start..<end, in: bytes) else { return .target }
        target = absolute
        return nil
    }
}
