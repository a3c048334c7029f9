package import NIOCore

/// Header lists as trailer sections (RFC 9113 section 8.1).
extension HeaderList {
    /// Whether HTTP/2 allows these fields in a trailer section.
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

    /// Whether the fields can be forwarded in a trailer section.
    ///
    /// No field may have a role, because fields that frame, route or identify a message are not
    /// allowed in a trailer section (RFC 9110 section 6.5.1).
    package var isForwardableTrailerSection: Bool {
        self.isTrailerSection && self.bytes.count <= ChunkedScanner.trailerLimit
            && self.lines.allSatisfy { $0.role == .other }
    }
}

extension ByteBuffer {
    /// Creates a header block from the fields of a list.
    package init(headerBlock list: borrowing HeaderList) {
        self.init()
        let bytes = list.bytes.span
        for line in list.lines { self.writeHeaderField(line, in: bytes) }
    }

    /// Writes the last chunk of a chunked body, followed by the trailer section (RFC 9112 section 7.1.2).
    package mutating func writeLastChunk(trailers: borrowing HeaderList) {
        self.writeStaticString("0\r\n")
        self.writeBytes(trailers.bytes)
        self.writeStaticString("\r\n")
    }
}
