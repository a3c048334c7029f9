/// A scanner that splits a message head into lines while its bytes arrive.
///
/// Each byte is searched only once for the end of a line, even if the bytes arrive in small
/// buffers. Only CR LF ends a line. RFC 9112 section 2.2 allows a recipient to accept a bare LF,
/// but other hops might reject it, and request smuggling exploits such differences.
struct HeadLineScanner: Equatable, Sendable {
    package enum Line: Equatable {
        /// The bounds of the line, without its CR LF.
        case line(start: Int, end: Int)
        case incomplete
        case malformed
    }

    /// The index of the start of the next line.
    private(set) var lineStart = 0
    /// The index before which there is no line feed.
    private var searchStart = 0

    /// Whether no byte of the next line has been searched yet.
    var isAtNewLine: Bool { self.searchStart == self.lineStart }

    /// Continues at the start of a line, because the caller has parsed all earlier lines.
    mutating func skip(to start: Int) {
        self.lineStart = start
        self.searchStart = start
    }

    mutating func next(in bytes: Span<UInt8>) -> Line {
        guard let lineFeed = bytes.position(of: ASCII.lineFeed, from: self.searchStart) else {
            return self.wait(in: bytes)
        }
        let start = self.lineStart
        guard lineFeed > start, bytes[lineFeed - 1] == ASCII.carriageReturn else {
            return .malformed
        }
        self.lineStart = lineFeed + 1
        self.searchStart = lineFeed + 1
        return .line(start: start, end: lineFeed - 1)
    }

    /// Checks for a CR without LF in an incomplete line.
    ///
    /// Such a CR is reported immediately, not when the timeout for the head expires.
    private mutating func wait(in bytes: Span<UInt8>) -> Line {
        let carriageReturn = bytes.position(
            of: ASCII.carriageReturn,
            from: Swift.max(self.searchStart - 1, self.lineStart)
        )
        self.searchStart = bytes.count
        guard let carriageReturn, carriageReturn < bytes.count - 1 else { return .incomplete }
        return .malformed
    }
}
