/// The pre-release of a version, such as `rc.1` in `2.0.0-rc.1`.
///
/// Identifiers are compared one by one, as in SemVer 2.0.0 section 11.4. Numbers are ordered by
/// value and sort before other identifiers, which are ordered by their ASCII bytes. A list sorts
/// after each of its prefixes.
struct Prerelease: Sendable, Hashable {
    /// The identifiers, separated by dots, without leading zeros in numbers; empty for a release.
    let text: String

    static let none = Prerelease(text: "")

    var isEmpty: Bool { self.text.isEmpty }

    private init(text: String) {
        self.text = text
    }

    /// Parses identifiers of ASCII letters, digits and hyphens; returns `nil` for any other string.
    ///
    /// SemVer forbids leading zeros in numbers. They are accepted here, as in the parts of a
    /// version, because nightly builds contain dates and times (`-20260701.0930`).
    init?(_ bytes: Span<UInt8>) {
        guard Self.isWellFormed(bytes) else { return nil }
        guard Self.hasLeadingZero(bytes) else {
            self.text = bytes.text
            return
        }
        var text: [UInt8] = []
        var start = 0
        while start <= bytes.count {
            let end = bytes.identifierEnd(from: start)
            if !text.isEmpty { text.append(UInt8(ascii: ".")) }
            if bytes.isNumber(start..<end) {
                while start + 1 < end, bytes[start] == 0x30 { start += 1 }
            }
            text.append(bytes.extracting(start..<end))
            start = end + 1
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Whether the bytes are valid identifiers of a pre-release or of build metadata.
    static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        var isEmpty = true
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                guard !isEmpty else { return false }
                isEmpty = true
            } else {
                guard byte.isDigit || byte.isLetter || byte == UInt8(ascii: "-") else {
                    return false
                }
                isEmpty = false
            }
        }
        return !isEmpty
    }

    /// Whether any part between dots starts with a zero that is followed by further characters.
    static func hasLeadingZero(_ bytes: Span<UInt8>) -> Bool {
        var isFirst = true
        for index in bytes.indices {
            if isFirst, bytes[index] == 0x30, index + 1 < bytes.count,
                bytes[index + 1] != UInt8(ascii: ".")
            {
                return true
            }
            isFirst = bytes[index] == UInt8(ascii: ".")
        }
        return false
    }
}

extension Prerelease: Comparable {
    static func < (left: Prerelease, right: Prerelease) -> Bool {
        let (left, right) = (left.text.utf8Span.span, right.text.utf8Span.span)
        var start = left.beginning(sharedWith: right)
        var other = start
        while start < left.count, other < right.count {
            let end = left.identifierEnd(from: start)
            let otherEnd = right.identifierEnd(from: other)
            let order = left.order(of: start..<end, to: other..<otherEnd, in: right)
            guard order == 0 else { return order < 0 }
            (start, other) = (end + 1, otherEnd + 1)
        }
        return start >= left.count && other < right.count
    }
}

extension Span<UInt8> {
    /// Returns the index after the last dot in the common prefix; 0 if the prefix contains no dot.
    fileprivate func beginning(sharedWith other: Span<UInt8>) -> Int {
        var shared = 0
        for index in 0..<Swift.min(self.count, other.count) {
            guard self[index] == other[index] else { break }
            if self[index] == UInt8(ascii: ".") { shared = index + 1 }
        }
        return shared
    }

    /// Returns the end of the identifier that starts at the given index.
    fileprivate func identifierEnd(from start: Int) -> Int {
        var end = start
        while end < self.count, self[end] != UInt8(ascii: ".") { end += 1 }
        return end
    }

    func isNumber(_ identifier: Range<Int>) -> Bool {
        self.extracting(identifier).allSatisfy(\.isDigit)
    }

    /// Returns a number less than, equal to or greater than zero if an identifier sorts before,
    /// equals or sorts after another identifier.
    ///
    /// Numbers sort before other identifiers (SemVer 2.0.0 section 11.4.3).
    func order(
        of identifier: Range<Int>,
        to otherIdentifier: Range<Int>,
        in other: Span<UInt8>
    ) -> Int {
        let isNumber = self.isNumber(identifier)
        guard isNumber == other.isNumber(otherIdentifier) else { return isNumber ? -1 : 1 }
        return isNumber
            ? self.order(ofNumber: identifier, to: otherIdentifier, in: other)
            : self.order(ofBytes: identifier, to: otherIdentifier, in: other)
    }

    /// Returns the order of two strings of digits by value, like `order(of:to:in:)`.
    ///
    /// An empty range represents zero.
    func order(
        ofNumber number: Range<Int>,
        to otherNumber: Range<Int>,
        in other: Span<UInt8>
    ) -> Int {
        let (digits, otherDigits) = (self.withoutZeros(number), other.withoutZeros(otherNumber))
        // Without leading zeros, the number with more digits is larger.
        return digits.count == otherDigits.count
            ? self.order(ofBytes: digits, to: otherDigits, in: other)
            : digits.count - otherDigits.count
    }

    private func withoutZeros(_ digits: Range<Int>) -> Range<Int> {
        var start = digits.lowerBound
        while start < digits.upperBound, self[start] == 0x30 { start += 1 }
        return start..<digits.upperBound
    }

    private func order(
        ofBytes bytes: Range<Int>,
        to otherBytes: Range<Int>,
        in other: Span<UInt8>
    ) -> Int {
        for (index, otherIndex) in zip(bytes, otherBytes) where self[index] != other[otherIndex] {
            return Int(self[index]) - Int(other[otherIndex])
        }
        return bytes.count - otherBytes.count
    }
}
