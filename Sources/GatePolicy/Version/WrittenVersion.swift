/// A version at its location in a string, so that it can be compared with others without copying.
///
/// It is parsed and ordered like `AppVersion`.
struct WrittenVersion {
    /// The range of the dotted numbers.
    private let numbers: Range<Int>
    /// The range of the pre-release identifiers; empty for a release.
    private let prerelease: Range<Int>

    /// Parses a version; `nil` for any other text.
    ///
    /// - Parameters:
    ///   - text: The text that contains the version.
    ///   - place: The range of the version, without surrounding whitespace.
    init?(in text: Span<UInt8>, at place: Range<Int>) {
        guard 1...AppVersion.maximumLength ~= place.count else { return nil }
        var index = place.lowerBound
        if place.count > 1, text[index].lowercased == UInt8(ascii: "v"), text[index + 1].isDigit {
            index += 1
        }
        let start = index
        var (parts, digits) = (1, 0)
        while index < place.upperBound {
            let byte = text[index]
            if byte.isDigit {
                digits += 1
            } else if byte == UInt8(ascii: "."), digits > 0 {
                (parts, digits) = (parts + 1, 0)
            } else {
                break
            }
            index += 1
        }
        guard digits > 0, parts <= AppVersion.maximumParts else { return nil }
        self.numbers = start..<index
        var end = index
        while end < place.upperBound, text[end] != UInt8(ascii: "+") { end += 1 }
        if end < place.upperBound {
            let metadata = text.extracting(end + 1..<place.upperBound)
            guard Prerelease.isWellFormed(metadata) else { return nil }
        }
        guard index < end else {
            self.prerelease = end..<end
            return
        }
        self.prerelease = index + 1..<end
        guard text[index] == UInt8(ascii: "-"),
            Prerelease.isWellFormed(text.extracting(self.prerelease))
        else { return nil }
    }

    /// Returns a number less than zero if the version sorts before another one in the same string,
    /// and greater than zero if it sorts after it.
    func order(to other: WrittenVersion, in text: Span<UInt8>) -> Int {
        var (one, two) = (self.numbers, other.numbers)
        // Missing numbers are zero.
        while !one.isEmpty || !two.isEmpty {
            let order = text.order(ofNumber: text.nextPart(of: &one), to: text.nextPart(of: &two))
            guard order == 0 else { return order }
        }
        (one, two) = (self.prerelease, other.prerelease)
        // A pre-release sorts before its release.
        guard !one.isEmpty, !two.isEmpty else { return two.count - one.count }
        while !one.isEmpty, !two.isEmpty {
            let order = text.order(
                ofIdentifier: text.nextPart(of: &one),
                to: text.nextPart(of: &two)
            )
            guard order == 0 else { return order }
        }
        // A longer pre-release sorts after its own prefix.
        return one.count - two.count
    }
}

extension Span<UInt8> {
    /// Removes and returns the first of the parts, which are separated by dots.
    fileprivate func nextPart(of parts: inout Range<Int>) -> Range<Int> {
        var end = parts.lowerBound
        while end < parts.upperBound, self[end] != UInt8(ascii: ".") { end += 1 }
        defer { parts = Swift.min(end + 1, parts.upperBound)..<parts.upperBound }
        return parts.lowerBound..<end
    }

    /// Compares digits by value; an empty range is zero.
    fileprivate func order(ofNumber number: Range<Int>, to other: Range<Int>) -> Int {
        let (number, other) = (self.withoutZeros(number), self.withoutZeros(other))
        // Without leading zeros, the longer number is the larger one.
        return number.count == other.count
            ? self.order(ofBytes: number, to: other) : number.count - other.count
    }

    private func withoutZeros(_ digits: Range<Int>) -> Range<Int> {
        var start = digits.lowerBound
        while start < digits.upperBound, self[start] == 0x30 { start += 1 }
        return start..<digits.upperBound
    }

    /// Compares identifiers; numbers sort before text (SemVer 2.0.0 section 11.4.3).
    fileprivate func order(ofIdentifier identifier: Range<Int>, to other: Range<Int>) -> Int {
        let isNumber = self.extracting(identifier).allSatisfy(\.isDigit)
        let isOtherNumber = self.extracting(other).allSatisfy(\.isDigit)
        guard isNumber == isOtherNumber else { return isNumber ? -1 : 1 }
        return isNumber
            ? self.order(ofNumber: identifier, to: other)
            : self.order(ofBytes: identifier, to: other)
    }

    private func order(ofBytes bytes: Range<Int>, to other: Range<Int>) -> Int {
        for (index, otherIndex) in zip(bytes, other) where self[index] != self[otherIndex] {
            return Int(self[index]) - Int(self[otherIndex])
        }
        return bytes.count - other.count
    }
}
