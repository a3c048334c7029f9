/// Which of the heads on a connection one is.
///
/// A number never comes back once another has been read.
package struct HeadGeneration: Equatable, Sendable {
    /// Stays the same while heads repeat the one before byte for byte.
    package var head: UInt64 = 0
    /// Stays the same while their header sections do.
    package var fields: UInt64 = 0

    package init() {}
}

/// Reads request heads in place, once, and refuses whatever two readers could understand
/// differently (RFC 9112).
package struct RequestHeadParser: Sendable {
    package enum Progress: Equatable, Sendable {
        /// The head ends later than these bytes do.
        case incomplete
        /// `head` is filled; it ends at `head.end`.
        case complete
        case malformed(MessageFault)
    }

    private enum Stage {
        case requestLine
        case fields
    }

    package private(set) var head = RequestHead()
    private var scanner = HeadLineScanner()
    private var stage = Stage.requestLine
    /// Which head this is, compared with those before.
    package private(set) var generation = HeadGeneration()
    /// From the first byte to the first field line; none while another head is being read.
    private var requestLine = RememberedBytes(limit: 256)
    /// From the first field line to the empty line that ends the section.
    private var section = RememberedBytes(limit: 2048)
    private var lastFacts: RequestFacts?
    /// The head that they are of.
    private var lastFactsGeneration = HeadGeneration()
    private let limits: HeadLimits

    package init(limits: HeadLimits = .defaults) {
        self.limits = limits
    }

    /// Makes ready for another head; the memory of the last one is used again.
    package mutating func reset() {
        self.scanner = HeadLineScanner()
        self.stage = .requestLine
    }

    /// Makes ready for a head that is read by another table.
    package mutating func resetForNewTable() {
        self.reset()
        self.requestLine.forget()
        self.section.forget()
    }

    /// Reads on.
    ///
    /// `bytes`: all bytes of the head so far: those of the last call and any new ones.
    package mutating func parse(_ bytes: Span<UInt8>, table: FieldNameTable) -> Progress {
        if self.repeatsHead(in: bytes) { return .complete }
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

    /// What the gate has to know of the head that is complete.
    ///
    /// Field lines that stand there again are not read again.
    /// - Throws: the fault of a head that is well formed line by line and still ambiguous.
    package mutating func facts(in bytes: Span<UInt8>) throws(MessageFault) -> RequestFacts {
        let last = self.lastFactsGeneration
        if last.head != self.generation.head {
            let isKnown =
                last.fields == self.generation.fields
                && self.lastFacts?.apply(toRepeated: self.head, in: bytes) == true
            if !isKnown { self.lastFacts = nil }
            self.lastFactsGeneration = self.generation
        }
        if let facts = self.lastFacts { return facts }
        let facts = try RequestFacts(self.head, in: bytes)
        self.lastFacts = facts
        return facts
    }

    /// Method, version and the spaces between take far less than 64 bytes in an honest line.
    private var requestLineLimit: Int { self.limits.target + 64 }

    private func overflow(_ count: Int) -> MessageFault? {
        switch self.stage {
        case .requestLine where count - self.scanner.lineStart > self.requestLineLimit:
            .targetTooLong
        case .requestLine, .fields: count > self.limits.bytes ? .headTooLarge : nil
        }
    }

    /// No line is begun twice, so that one which arrives byte by byte is not read anew with each.
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
            // Empty lines before the request line come from old clients (RFC 9112 2.2).
            guard start < end else { return nil }
            // With its CR it must fit, as where the line feed comes later.
            guard end - start < self.requestLineLimit else { return .malformed(.targetTooLong) }
            if let fault = self.readRequestLine(from: start, to: end, in: bytes) {
                return .malformed(fault)
            }
            return self.beginFields(at: end + 2, in: bytes)
        case .fields:
            guard start < end else {
                self.head.end = end + 2
                self.section.remember(bytes, from: self.head.fieldsStart, to: end + 2)
                self.rememberRequestLine(in: bytes)
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
    /// Whether the head before this one stands there again; it still is `head`.
    @inline(__always)
    private func repeatsHead(in bytes: Span<UInt8>) -> Bool {
        self.scanner.isUnused && self.requestLine.stands(in: bytes, at: 0)
            && self.section.stands(in: bytes, at: self.requestLine.count)
    }

    private mutating func rememberRequestLine(in bytes: Span<UInt8>) {
        self.generation.head += 1
        self.requestLine.remember(bytes, from: 0, to: self.head.fieldsStart)
    }

    private mutating func beginFields(at start: Int, in bytes: Span<UInt8>) -> Progress? {
        let lastStart = self.head.fieldsStart
        self.head.fieldsStart = start
        let end = start + self.section.count
        if end <= self.limits.bytes, self.section.stands(in: bytes, at: start) {
            self.head.fields.move(by: start - lastStart)
            self.head.end = end
            self.rememberRequestLine(in: bytes)
            return .complete
        }
        self.generation.fields += 1
        self.head.fields.removeAll()
        self.section.forget()
        self.stage = .fields
        return nil
    }

    /// `method SP request-target SP HTTP-version`, with single spaces (RFC 9112 3).
    private mutating func readRequestLine(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> MessageFault? {
        self.requestLine.forget()
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
        guard end - start == 8,
            bytes[start] == UInt8(ascii: "H"), bytes[start + 1] == UInt8(ascii: "T"),
            bytes[start + 2] == UInt8(ascii: "T"), bytes[start + 3] == UInt8(ascii: "P"),
            bytes[start + 4] == ASCII.slash, bytes[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[start + 5]), ASCII.isDigit(bytes[start + 7])
        else { return .version }
        guard bytes[start + 5] == UInt8(ascii: "1") else { return .unsupportedVersion }
        self.head.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        return nil
    }

    private mutating func readTarget(
        from start: Int,
        to end: Int,
        in bytes: Span<UInt8>
    ) -> MessageFault? {
        var target = RequestTarget()
        target.start = start
        target.end = end
        defer { self.head.target = target }
        // A proxy for everybody is not what the gate is (RFC 9110 9.3.6). Whatever the target is: a
        // backend that takes CONNECT has a tunnel where the gate sees a connection to use again.
        if self.head.method("CONNECT", in: bytes) { return .unsupportedMethod }
        if bytes[start] == ASCII.slash { return nil }
        if end - start == 1, bytes[start] == ASCII.asterisk {
            target.form = .asterisk
            return self.head.method("OPTIONS", in: bytes) ? nil : .target
        }
        guard let authority = Self.authorityStart(in: bytes, from: start, to: end) else {
            return .target
        }
        target.form = .absolute
        target.authorityStart = authority
        var path = authority
        while path < end, bytes[path] != ASCII.slash, bytes[path] != UInt8(ascii: "?") {
            path += 1
        }
        target.authorityEnd = path
        target.start = path
        return HostSyntax.isValid(bytes, from: authority, to: path) && path > authority
            ? nil : .target
    }

    private static func authorityStart(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int
    ) -> Int? {
        for (scheme, length) in [("http://" as StaticString, 7), ("https://", 8)]
        where end - start >= length && bytes.matches(scheme, from: start, to: start + length) {
            return start + length
        }
        return nil
    }
}
