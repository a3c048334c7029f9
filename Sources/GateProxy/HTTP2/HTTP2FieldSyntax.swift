import NIOCore

/// What HTTP/2 allows in a field (RFC 9113 8.2).
enum HTTP2FieldSyntax {
    enum Role: Equatable {
        case other
        /// Speaks of a connection, which HTTP/2 does in frames (RFC 9113 8.2.2).
        case connectionSpecific
        case cookie
        case host
        case contentLength
        case te
    }

    /// Whether the name is a token in lower case, and the value without controls and without blanks
    /// around it.
    static func isValid(_ field: HeaderList.Field, in bytes: Span<UInt8>) -> Bool {
        guard field.nameStart < field.nameEnd,
            bytes.endOfToken(from: field.nameStart, to: field.nameEnd) == field.nameEnd
        else { return false }
        for index in field.nameStart..<field.nameEnd
        where ASCII.lowercased(bytes[index]) != bytes[index] {
            return false
        }
        guard field.nameEnd < field.valueEnd else { return true }
        return bytes.isFieldValue(from: field.nameEnd, to: field.valueEnd)
            && !ASCII.isBlank(bytes[field.nameEnd]) && !ASCII.isBlank(bytes[field.valueEnd - 1])
    }

    static func role(of field: HeaderList.Field, in bytes: Span<UInt8>) -> Role {
        switch field.nameEnd - field.nameStart {
        case 2: self.isNamed("te", field, bytes) ? .te : .other
        case 4: self.isNamed("host", field, bytes) ? .host : .other
        case 6: self.isNamed("cookie", field, bytes) ? .cookie : .other
        case 7: self.isNamed("upgrade", field, bytes) ? .connectionSpecific : .other
        case 10:
            self.isNamed("connection", field, bytes) || self.isNamed("keep-alive", field, bytes)
                ? .connectionSpecific : .other
        case 14: self.isNamed("content-length", field, bytes) ? .contentLength : .other
        case 16: self.isNamed("proxy-connection", field, bytes) ? .connectionSpecific : .other
        case 17: self.isNamed("transfer-encoding", field, bytes) ? .connectionSpecific : .other
        default: .other
        }
    }

    private static func isNamed(
        _ name: StaticString,
        _ field: HeaderList.Field,
        _ bytes: Span<UInt8>
    ) -> Bool {
        bytes.equals(name, from: field.nameStart, to: field.nameEnd)
    }

    /// The length that a field speaks of (RFC 9110 8.6); `nil`: none, or more than can be.
    static func number(_ field: HeaderList.Field, in bytes: Span<UInt8>) -> UInt64? {
        guard (1...18).contains(field.valueEnd - field.nameEnd) else { return nil }
        var number: UInt64 = 0
        for index in field.nameEnd..<field.valueEnd {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            number = number * 10 + UInt64(bytes[index] - 0x30)
        }
        return number
    }

    /// Writes the end of a chunked body with these trailer fields (RFC 9112 7.1.2); `false` if they
    /// are malformed.
    static func writeTrailers(_ list: borrowing HeaderList, into out: inout ByteBuffer) -> Bool {
        let bytes = list.bytes.span
        out.writeStaticString("0\r\n")
        for field in list.fields {
            guard self.isValid(field, in: bytes),
                self.role(of: field, in: bytes) != .connectionSpecific
            else { return false }
            out.write(bytes, from: field.nameStart, to: field.nameEnd)
            out.writeStaticString(": ")
            out.write(bytes, from: field.nameEnd, to: field.valueEnd)
            out.writeStaticString("\r\n")
        }
        out.writeStaticString("\r\n")
        return true
    }
}
