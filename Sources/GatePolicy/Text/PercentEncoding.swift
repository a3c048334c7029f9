/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Returns the bytes with all valid triplets decoded; other bytes, including `+`, are
    /// unchanged.
    ///
    /// The decoded bytes can be invalid UTF-8.
    package static func decodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var rest = bytes[...]
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let octet = Self.octet(rest) {
                decoded.append(octet)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Returns the octet that the first two bytes encode; `nil` unless both are hexadecimal digits.
    package static func octet(_ digits: some Collection<UInt8>) -> UInt8? {
        let pair = digits.prefix(2)
        guard pair.count == 2, let high = pair.first?.hexValue,
            let low = pair.dropFirst().first?.hexValue
        else { return nil }
        return high << 4 | low
    }

    /// Appends an octet as a triplet with upper-case digits.
    static func append(_ octet: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        for digit in [octet >> 4, octet & 0x0F] {
            bytes.append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10)
        }
    }

    /// Whether a byte has the same meaning with and without encoding (RFC 3986 section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
    }

    /// Returns a URL for a header field, with all bytes except visible ASCII encoded.
    static func visible(_ url: String) -> String {
        self.encoded(url) { $0 > 0x20 && $0 < 0x7F }
    }

    /// Returns the string with all bytes encoded except those for which `isPlain` returns true.
    package static func encoded(_ text: String, keeping isPlain: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) { bytes.append(byte) } else { Self.append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
