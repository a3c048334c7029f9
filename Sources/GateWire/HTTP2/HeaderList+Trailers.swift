package import NIOCore

/// A header list as what stands behind the content of a message (RFC 9113 8.1).
extension HeaderList {
    /// Whether HTTP/2 lets these fields stand there.
    package var isTrailerSection: Bool {
        let bytes = self.bytes.span
        guard self.isWellFormed, !self.isTooLarge else { return false }
        for line in self.lines {
            guard bytes[line.start] != ASCII.colon,
                HTTP2FieldSyntax.role(of: line, in: bytes) != .connectionSpecific
            else { return false }
        }
        return true
    }

    /// Whether they may be passed on there: none of them has a role, as those that frame, route or
    /// identify a message have (RFC 9110 6.5.1).
    package var mayTrail: Bool {
        self.isTrailerSection && self.bytes.count <= ChunkedScanner.trailerLimit
            && self.lines.allSatisfy { $0.role == .other }
    }
}

extension ByteBuffer {
    /// A block of the fields of a list.
    package init(headerBlock list: borrowing HeaderList) {
        self.init()
        let bytes = list.bytes.span
        for line in list.lines { self.writeHeaderField(line, in: bytes) }
    }

    /// Writes the end of a chunked body with trailer fields, if there are any (RFC 9112 7.1.2).
    package mutating func writeLastChunk(trailers: borrowing HeaderList) {
        self.writeStaticString("0\r\n")
        self.writeBytes(trailers.bytes)
        self.writeStaticString("\r\n")
    }
}
