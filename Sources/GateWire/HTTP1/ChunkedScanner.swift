/// A scanner that finds the end of a chunked body and rejects ambiguous framing (RFC 9112 section 7.1).
///
/// Framing that two recipients could interpret differently is a fault. The gate forwards the bytes
/// unchanged, except for chunk extensions, which are hop-by-hop and have no meaning for the gate.
package struct ChunkedScanner: Equatable, Sendable {
    package enum Progress: Equatable, Sendable {
        /// The number of bytes that the call has consumed; the body continues.
        ///
        /// Any further bytes in the buffer are the start of an incomplete line.
        case more(consumed: Int)
        /// The number of bytes up to the end of the body.
        case end(consumed: Int)
        case malformed(MessageFault)
    }

    private enum Stage: Equatable {
        case size
        case data(remaining: UInt64)
        case dataEnd
        case trailer
    }

    /// The maximum number of digits in a chunk size.
    private static let sizeDigits = 16
    /// The maximum number of bytes in the extensions of one chunk.
    private static let sizeLineLimit = 512
    /// The maximum number of bytes in all extensions of a body.
    ///
    /// Parsing extensions costs the gate more than sending them costs the peer.
    private static let extensionLimit = 16 * 1024
    /// The maximum number of bytes in the trailer section of a message.
    static let trailerLimit = 8 * 1024

    private var stage = Stage.size
    private var extensionBytes = 0
    private var trailerBytes = 0

    package init() {}

    /// Reads further bytes, starting at the first byte that no earlier call has consumed.
    ///
    /// Fields that have a role in `trailerFields` are not allowed in the trailer section. `onData`
    /// is called with the bounds of each run of content, without its framing. `onExtension` is
    /// called with the bounds of the extensions of each chunk that has any. `onTrailer` is called
    /// with each field of the trailer section.
    package mutating func consume(
        _ bytes: Span<UInt8>,
        trailerFields: FieldNameTable,
        onData: (Int, Int) -> Void = { _, _ in },
        onExtension: (Int, Int) -> Void = { _, _ in },
        onTrailer: (FieldLine) -> Void = { _ in }
    ) -> Progress {
        var position = 0
        while true {
            switch self.stage {
            case .data(let remaining):
                let available = UInt64(bytes.count - position)
                if available < remaining {
                    onData(position, bytes.count)
                    self.stage = .data(remaining: remaining - available)
                    return .more(consumed: bytes.count)
                }
                onData(position, position + Int(remaining))
                position += Int(remaining)
                self.stage = .dataEnd
            case .dataEnd:
                switch Self.lineEnd(in: bytes, from: position) {
                case .found(let end) where end == position:
                    position += 2
                    self.stage = .size
                case .found, .malformed: return .malformed(.chunkEnd)
                case .incomplete:
                    guard bytes.count - position < 2 else { return .malformed(.chunkEnd) }
                    return Self.startsLineEnd(bytes, at: position)
                        ? .more(consumed: position) : .malformed(.chunkEnd)
                }
            case .size:
                switch Self.lineEnd(in: bytes, from: position) {
                case .found(let end):
                    if let fault = self.readSize(in: bytes, from: position, to: end, onExtension) {
                        return .malformed(fault)
                    }
                    position = end + 2
                case .malformed: return .malformed(.chunkSize)
                case .incomplete:
                    guard bytes.count - position <= Self.sizeDigits + Self.sizeLineLimit + 1,
                        Self.couldBeSize(bytes, from: position)
                    else { return .malformed(.chunkSize) }
                    return .more(consumed: position)
                }
            case .trailer:
                switch Self.lineEnd(in: bytes, from: position) {
                case .found(let end) where end == position:
                    return .end(consumed: position + 2)
                case .found(let end):
                    if let fault = self.readTrailer(
                        in: bytes,
                        from: position,
                        to: end,
                        table: trailerFields,
                        onTrailer
                    ) {
                        return .malformed(fault)
                    }
                    position = end + 2
                case .malformed: return .malformed(.trailer)
                case .incomplete:
                    // The buffer can already contain the CR of a line of the maximum length.
                    guard bytes.count - position <= Self.trailerLimit + 1 else {
                        return .malformed(.trailer)
                    }
                    return .more(consumed: position)
                }
            }
        }
    }
}

extension ChunkedScanner {
    private enum LineEnd {
        /// The position of the CR of the CR LF that ends the line.
        case found(Int)
        case incomplete
        case malformed
    }

    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> LineEnd {
        guard let lineFeed = bytes.position(of: ASCII.lineFeed, from: start) else {
            return .incomplete
        }
        guard lineFeed > start, bytes[lineFeed - 1] == ASCII.carriageReturn else {
            return .malformed
        }
        return .found(lineFeed - 1)
    }

    private static func startsLineEnd(_ bytes: Span<UInt8>, at position: Int) -> Bool {
        position == bytes.count || bytes[position] == ASCII.carriageReturn
    }

    /// Returns whether an incomplete chunk-size line can still become valid.
    private static func couldBeSize(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        start == bytes.count || ASCII.hexValue(bytes[start]) != nil
    }

    /// Parses `chunk-size [ chunk-ext ]`, which must start with a hexadecimal digit.
    private mutating func readSize(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        _ onExtension: (Int, Int) -> Void
    ) -> MessageFault? {
        var size: UInt64 = 0
        var position = start
        while position < end, let digit = ASCII.hexValue(bytes[position]) {
            guard position - start < Self.sizeDigits, size <= UInt64(Int64.max) >> 4 else {
                return .chunkSize
            }
            size = size << 4 | digit
            position += 1
        }
        guard position > start else { return .chunkSize }
        if position < end {
            guard bytes[position] == ASCII.semicolon else { return .chunkSize }
            if let fault = self.readExtensions(in: bytes, from: position, to: end) { return fault }
            onExtension(position, end)
        }
        self.stage = size == 0 ? .trailer : .data(remaining: size)
        return nil
    }

    /// Parses `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )` (RFC 9112 section 7.1.1).
    ///
    /// Whitespace directly after the chunk size is not allowed.
    private mutating func readExtensions(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int
    ) -> MessageFault? {
        self.extensionBytes += end - start
        guard self.extensionBytes <= Self.extensionLimit, end - start <= Self.sizeLineLimit else {
            return .chunkExtension
        }
        var position = start
        while position < end {
            guard bytes[position] == ASCII.semicolon,
                let extensionEnd = Self.endOfExtension(in: bytes, from: position + 1, to: end)
            else { return .chunkExtension }
            position = extensionEnd
        }
        return nil
    }

    /// Returns the position after a chunk extension and the whitespace before the next extension.
    ///
    /// Returns `nil` if the extension is invalid, or if the line ends with whitespace.
    private static func endOfExtension(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int
    ) -> Int? {
        let nameStart = bytes.endOfBlanks(from: start, to: end)
        var valueEnd = bytes.endOfToken(from: nameStart, to: end)
        guard valueEnd > nameStart else { return nil }
        var position = bytes.endOfBlanks(from: valueEnd, to: end)
        if position < end, bytes[position] == ASCII.equals {
            let valueStart = bytes.endOfBlanks(from: position + 1, to: end)
            let tokenEnd = bytes.endOfToken(from: valueStart, to: end)
            let quotedEnd = bytes.endOfQuotedString(from: valueStart, to: end)
            guard let stringEnd = tokenEnd > valueStart ? tokenEnd : quotedEnd else { return nil }
            valueEnd = stringEnd
            position = bytes.endOfBlanks(from: valueEnd, to: end)
        }
        return position < end || position == valueEnd ? position : nil
    }

    /// Parses a field of the trailer section.
    ///
    /// Fields that frame, route or identify a message are not allowed (RFC 9110 section 6.5.1).
    private mutating func readTrailer(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        table: FieldNameTable,
        _ onTrailer: (FieldLine) -> Void
    ) -> MessageFault? {
        self.trailerBytes += end - start
        guard self.trailerBytes <= Self.trailerLimit else { return .trailer }
        var section = FieldSection()
        guard section.append(lineIn: bytes, from: start, to: end, table: table) == nil else {
            return .trailer
        }
        guard section.lines.allSatisfy({ $0.role == .other }) else { return .trailer }
        section.lines.forEach(onTrailer)
        return nil
    }
}
