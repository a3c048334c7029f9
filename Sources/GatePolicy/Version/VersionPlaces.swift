/// The ranges of a version, its builds and a platform in a string.
///
/// The supported formats are `1.3.0`, `1.3.0 (93)` (Apple's tools), `1.3.0+93` (Flutter),
/// `1.3.0/93`, and a platform before any of these: `ios/1.3.0`. Metadata after `+` is a build only
/// if it consists of digits and dots. An unparsable part does not affect the ranges of the other
/// parts.
struct VersionPlaces {
    /// The range of the platform before a slash; empty if nothing precedes the slash.
    ///
    /// `nil` if there is no platform.
    private(set) var platform: Range<Int>?
    /// The range of the version, without metadata.
    private(set) var version: Range<Int>
    /// The range of the build after a slash; `nil` if there is none.
    private var afterSlash: Range<Int>?
    private var inParentheses: Range<Int>?
    private var afterPlus: Range<Int>?
    /// Whether the string in the position of a build does not have the form of a build, as in
    /// `1.3.0 (93`.
    private(set) var hasStrayText = false

    /// Locates the parts in a string without surrounding whitespace.
    init(in text: Span<UInt8>) {
        self.version = 0..<text.count
        guard !self.findOnlyBuild(in: text) else { return }
        if let slash = text.firstIndex(of: UInt8(ascii: "/")) {
            let name = text.withoutBlanks(0..<slash)
            var rest = slash + 1
            if Self.isPlatform(text.extracting(name)) {
                self.platform = name
                self.version = text.withoutBlanks(rest..<text.count)
                rest = text.firstIndex(of: UInt8(ascii: "/"), in: self.version).map { $0 + 1 } ?? 0
            }
            if rest > 0 {
                self.afterSlash = Self.nonEmpty(text.withoutBlanks(rest..<self.version.upperBound))
                self.version = text.withoutBlanks(self.version.lowerBound..<rest - 1)
            }
        }
        if let open = text.firstIndex(of: UInt8(ascii: "("), in: self.version) {
            let end = self.version.upperBound - 1
            if text[end] == UInt8(ascii: ")") {
                self.inParentheses = Self.nonEmpty(text.withoutBlanks(open + 1..<end))
            } else {
                self.hasStrayText = true
            }
            self.version = text.withoutBlanks(self.version.lowerBound..<open)
        }
        if let plus = text.firstIndex(of: UInt8(ascii: "+"), in: self.version) {
            let metadata = plus + 1..<self.version.upperBound
            if BuildNumber.isNumeric(text.extracting(metadata)) { self.afterPlus = metadata }
            self.version = text.withoutBlanks(self.version.lowerBound..<plus)
        }
    }

    /// Finds the build in `1.3.0+93` and `1.3.0 (93)`, the most frequent notations, in a single
    /// pass.
    ///
    /// Returns whether the string has one of these notations.
    private mutating func findOnlyBuild(in text: Span<UInt8>) -> Bool {
        var end = 0
        while end < text.count, text[end].isDigit || text[end] == UInt8(ascii: ".") { end += 1 }
        guard let digits = Self.onlyBuild(in: text, after: end),
            BuildNumber.isNumeric(text.extracting(digits))
        else { return false }
        if text[end] == UInt8(ascii: "+") {
            self.afterPlus = digits
        } else {
            self.inParentheses = digits
        }
        self.version = 0..<end
        return true
    }

    /// Returns the range of the string after `+` or in parentheses, such as `93` in `1.3.0 (93)`.
    ///
    /// Returns `nil` if anything else follows the version, which ends at `end`. `text` must not
    /// have surrounding whitespace.
    static func onlyBuild(in text: Span<UInt8>, after end: Int) -> Range<Int>? {
        guard end + 1 < text.count else { return nil }
        if text[end] == UInt8(ascii: "+") { return end + 1..<text.count }
        let last = text.count - 1
        guard text[end] == UInt8(ascii: " "), text[end + 1] == UInt8(ascii: "("), end + 2 < last,
            text[last] == UInt8(ascii: ")")
        else { return nil }
        return end + 2..<last
    }

    /// Returns the range of the build at the end of a string, such as `93` in `1.3.0+93`.
    ///
    /// `1.3.0 (93)` is also supported. Returns `nil` if the build is in another position. `text`
    /// must contain exactly one build, and must not have surrounding whitespace.
    static func build(atEndOf text: Span<UInt8>) -> Range<Int>? {
        guard let last = text.indices.last else { return nil }
        let isInParentheses = text[last] == UInt8(ascii: ")")
        let end = isInParentheses ? last : last + 1
        var start = end
        while start > 0, text[start - 1].isDigit || text[start - 1] == UInt8(ascii: ".") {
            start -= 1
        }
        let mark = UInt8(ascii: isInParentheses ? "(" : "+")
        return start > 0 && text[start - 1] == mark ? start..<end : nil
    }

    /// Whether the string before a slash is a platform and not a version.
    ///
    /// `3.4.9/93` and `v3.4.9/93` each consist of a version and a build.
    private static func isPlatform(_ name: Span<UInt8>) -> Bool {
        guard let first = name.isEmpty ? nil : name[0] else { return true }
        let isVersion =
            first.isDigit
            || first.lowercased == UInt8(ascii: "v") && name.count > 1 && name[1].isDigit
        return !isVersion
    }

    private static func nonEmpty(_ place: Range<Int>) -> Range<Int>? {
        place.isEmpty ? nil : place
    }

    /// The range of the build, or of one of several builds; `nil` if there is none.
    var build: Range<Int>? { self.inParentheses ?? self.afterPlus ?? self.afterSlash }

    /// The ranges of all builds.
    var builds: [Range<Int>] {
        [self.inParentheses, self.afterPlus, self.afterSlash].compactMap { $0 }
    }

    /// Whether the string has at most one build, and no stray text.
    var hasOneBuild: Bool {
        guard !self.hasStrayText else { return false }
        return self.afterPlus == nil
            ? self.inParentheses == nil || self.afterSlash == nil
            : self.inParentheses == nil && self.afterSlash == nil
    }
}

extension Span<UInt8> {
    /// Returns the first index of a byte within a range; `nil` if the byte does not occur.
    fileprivate func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        self.extracting(range).firstIndex(of: byte).map { range.lowerBound + $0 }
    }
}
