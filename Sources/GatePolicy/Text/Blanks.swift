extension Substring {
    /// The string without surrounding whitespace.
    ///
    /// Whitespace is SP and HTAB (RFC 9110 section 5.6.3). Other Unicode spaces are part of the
    /// value, and make the value unparsable.
    package var trimmingBlanks: Substring {
        let bytes = self.utf8
        guard let first = bytes.firstIndex(where: { !$0.isBlank }),
            let last = bytes.lastIndex(where: { !$0.isBlank })
        else { return self.prefix(0) }
        return self[first..<bytes.index(after: last)]
    }
}

extension String {
    /// The string without surrounding whitespace.
    var trimmingBlanks: Substring { self[...].trimmingBlanks }
}

extension Span<UInt8> {
    /// Returns a range of bytes without surrounding whitespace.
    @inline(__always)
    func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
        // Most values have no surrounding whitespace, because the request parser removes it.
        guard !range.isEmpty,
            self[range.lowerBound].isBlank || self[range.upperBound - 1].isBlank
        else { return range }
        return self.trimmed(range)
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}

extension UInt8 {
    /// Whether the byte is SP or HTAB.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is an ASCII digit.
    ///
    /// Digits of other scripts consist of several bytes, none of which is in this range.
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// Whether the byte is an ASCII letter.
    var isLetter: Bool { self.lowercased >= 0x61 && self.lowercased <= 0x7A }

    /// The byte with an ASCII letter in lower case; other bytes are unchanged.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    var uppercased: UInt8 { self >= 0x61 && self <= 0x7A ? self & ~0x20 : self }

    /// The value of a hexadecimal digit; `nil` if the byte is not a hexadecimal digit.
    var hexValue: UInt8? {
        if self.isDigit { return self - 0x30 }
        let letter = self.lowercased
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
    }
}
