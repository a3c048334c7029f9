/// Cuts the lines of a message head out of bytes that arrive in any pieces, each byte looked at
/// once for the line end however small the pieces are.
///
/// Only CR LF ends a line (RFC 9112 2.2 lets a recipient take a bare LF; another hop may not, and
/// that difference is what request smuggling lives on).
struct HeadLineScanner: Equatable, Sendable {
    package enum Line: Equatable {
        /// The bounds of the line without its CR LF.
        case line(start: Int, end: Int)
        case incomplete
        case malformed
    }

    /// The index at which the next line begins.
    private(set) var lineStart = 0
    /// Bytes before it are known to hold no line feed.
    private var searchStart = 0

    /// Whether nothing of the line that comes next has been looked at.
    var isAtNewLine: Bool { self.searchStart == self.lineStart }

    /// Goes on where a line begins, because those before have been read.
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

    /// A CR that can no longer be half of a line end will never become one: say so now, not when
    /// the head's time is over.
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
