/// Byte classes in HTTP (RFC 9110 sections 5.5 and 5.6.2).
@usableFromInline
package enum ASCII {
    static let tab: UInt8 = 0x09
    @inlinable package static var lineFeed: UInt8 { 0x0A }
    static let carriageReturn: UInt8 = 0x0D
    @inlinable package static var space: UInt8 { 0x20 }
    @inlinable package static var comma: UInt8 { 0x2C }
    static let hyphen: UInt8 = 0x2D
    @inlinable package static var slash: UInt8 { 0x2F }
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let plus: UInt8 = 0x2B
    static let equals: UInt8 = 0x3D
    static let quote: UInt8 = 0x22
    static let backslash: UInt8 = 0x5C
    @inlinable package static var dot: UInt8 { 0x2E }
    @inlinable package static var questionMark: UInt8 { 0x3F }
    package static let asterisk: UInt8 = 0x2A
    static let underscore: UInt8 = 0x5F

    /// The bit set of the `token` characters below 0x40.
    ///
    /// Tokens consist of digits, letters and ``!#$%&'*+-.^_`|~`` (RFC 9110 section 5.6.2).
    private static let lowTokens: UInt64 = 0x03FF_6CFA_0000_0000
    /// The bit set of the `token` characters from 0x40 up.
    private static let highTokens: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    @inline(always)
    static func isToken(_ byte: UInt8) -> Bool {
        // Most names consist of letters, digits and hyphens; the other token characters are rare.
        let letter = (byte | 0x20) &- 0x61
        guard letter >= 26 else { return true }
        let half = byte < 0x40 ? Self.lowTokens : Self.highTokens
        return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// Returns whether a byte is valid in a field value: HTAB, or any byte that is not a control character.
    @inline(always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == Self.tab
    }

    /// Returns whether a byte is valid in a request target: visible ASCII except `#` (RFC 9112 section 3.2).
    @inline(always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    @inline(always)
    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39
    }

    @inline(always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == Self.space || byte == Self.tab
    }

    @inline(always)
    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    static func hexValue(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte - 0x30)
        case 0x41...0x46: UInt64(byte - 0x37)
        case 0x61...0x66: UInt64(byte - 0x57)
        default: nil
        }
    }
}
