/// The field syntax of HTTP/2 (RFC 9113 section 8.2).
package enum HTTP2FieldSyntax {
    enum Role: Equatable {
        case other
        /// The field describes the connection, for which HTTP/2 uses frames instead (RFC 9113 section 8.2.2).
        case connectionSpecific
        case cookie
        case host
        case contentLength
        case te
    }

    /// Returns whether the name is a lower-case token, and the value contains only valid characters.
    ///
    /// Control characters and surrounding whitespace are not valid.
    static func isValid(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        guard line.start < line.nameEnd,
            bytes.endOfToken(from: line.start, to: line.nameEnd) == line.nameEnd
        else { return false }
        for index in line.start..<line.nameEnd
        where ASCII.lowercased(bytes[index]) != bytes[index] {
            return false
        }
        guard line.valueStart < line.valueEnd else { return true }
        return bytes.isFieldValue(from: line.valueStart, to: line.valueEnd)
            && !ASCII.isBlank(bytes[line.valueStart]) && !ASCII.isBlank(bytes[line.valueEnd - 1])
    }

    static func role(of line: FieldLine, in bytes: Span<UInt8>) -> Role {
        switch line.nameEnd - line.start {
        case 2: self.isNamed("te", line, bytes) ? .te : .other
        case 4: self.isNamed("host", line, bytes) ? .host : .other
        case 6: self.isNamed("cookie", line, bytes) ? .cookie : .other
        case 7: self.isNamed("upgrade", line, bytes) ? .connectionSpecific : .other
        case 10:
            self.isNamed("connection", line, bytes) || self.isNamed("keep-alive", line, bytes)
                ? .connectionSpecific : .other
        case 14: self.isNamed("content-length", line, bytes) ? .contentLength : .other
        case 16: self.isNamed("proxy-connection", line, bytes) ? .connectionSpecific : .other
        case 17: self.isNamed("transfer-encoding", line, bytes) ? .connectionSpecific : .other
        default: .other
        }
    }

    private static func isNamed(
        _ name: StaticString,
        _ line: FieldLine,
        _ bytes: Span<UInt8>
    ) -> Bool {
        bytes.equals(name, from: line.start, to: line.nameEnd)
    }
}
