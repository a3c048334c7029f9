/// A version within a string, for comparing versions without copying them.
///
/// Versions are parsed and ordered as in `AppVersion`.
struct WrittenVersion {
    /// The range of the dotted numbers.
    private let numbers: Range<Int>
    /// The range of the pre-release identifiers; empty for a release.
    private let prerelease: Range<Int>

    /// Parses a version without surrounding whitespace; returns `nil` for any other string.
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

    /// Returns a number less than, equal to or greater than zero if the version sorts before,
    /// equals or sorts after another version in the same string.
    func order(to other: WrittenVersion, in text: Span<UInt8>) -> Int {
        var (one, two) = (self.numbers, other.numbers)
        // Missing numbers are zero.
        while !one.isEmpty || !two.isEmpty {
            let (number, next) = (text.nextPart(of: &one), text.nextPart(of: &two))
            let order = text.order(ofNumber: number, to: next, in: text)
            guard order == 0 else { return order }
        }
        (one, two) = (self.prerelease, other.prerelease)
        // A pre-release sorts before its release.
        guard !one.isEmpty, !two.isEmpty else { return two.count - one.count }
        while !one.isEmpty, !two.isEmpty {
            let (identifier, next) = (text.nextPart(of: &one), text.nextPart(of: &two))
            let order = text.order(of: identifier, to: next, in: text)
            guard order == 0 else { return order }
        }
        // A longer pre-release sorts after its own prefix.
        return one.count - two.count
    }
}

extension Span<UInt8> {
    /// Removes the first of the parts, which are separated by dots, and returns its range.
    fileprivate func nextPart(of parts: inout Range<Int>) -> Range<Int> {
        let start = parts.lowerBound
        var end = start
        while end < parts.upperBound, self[end] != UInt8(ascii: ".") { end += 1 }
        parts = Swift.min(end + 1, parts.upperBound)..<parts.upperBound
        return start..<end
    }
}
