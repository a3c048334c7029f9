/// A build number: one to four whole numbers, compared part by part.
///
/// Android's `versionCode` has one part, and Apple's `CFBundleVersion` has up to three. Missing
/// parts are zero, so `93` and `93.0` are the same build. Only ASCII digits and dots are accepted,
/// and each part must be below 2^64.
package struct BuildNumber: Sendable {
    private static let maximumParts = 4
    /// The maximum length of a build number, in bytes.
    static let maximumLength = 64

    private var first: UInt64
    private var second: UInt64
    private var third: UInt64
    private var fourth: UInt64
    /// The number of parts as written, which `description` preserves, such as 2 for `93.0`.
    private var writtenParts: UInt8

    package static let zero = BuildNumber(0)
    /// The highest build that clients can send.
    package static let max = BuildNumber(.max, .max, .max, .max)

    package init(_ number: UInt64) {
        self.init(number, 0, 0, 0, writtenParts: 1)
    }

    private init(
        _ first: UInt64,
        _ second: UInt64,
        _ third: UInt64,
        _ fourth: UInt64,
        writtenParts: UInt8 = 4
    ) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.writtenParts = writtenParts
    }

    /// Parses a build number.
    ///
    /// - Throws: `VersionError.invalidBuildNumber` unless `text` is one to four numbers below 2^64.
    package init(parsing text: String) throws(VersionError) {
        try self.init(text.utf8Span.span)
    }

    /// Parses a build number without surrounding whitespace.
    init(_ text: Span<UInt8>) throws(VersionError) {
        guard let build = Self.read(text) else {
            throw .invalidBuildNumber(Excerpt(text).text)
        }
        self = build
    }

    /// Returns the build number in a string without surrounding whitespace, or `nil` if the string
    /// is not a build number.
    ///
    /// Returning `nil` is faster than throwing a `VersionError`.
    static func read(_ text: Span<UInt8>) -> BuildNumber? {
        guard 1...self.maximumLength ~= text.count else { return nil }
        if let build = self.readShort(text) { return build }
        var build = BuildNumber(0)
        var (part, digits): (UInt64, Int) = (0, 0)
        for index in text.indices {
            let byte = text[index]
            if byte.isDigit {
                let (shifted, overflows) = part.multipliedReportingOverflow(by: 10)
                let (sum, carries) = shifted.addingReportingOverflow(UInt64(byte - 0x30))
                guard !overflows, !carries else { return nil }
                (part, digits) = (sum, digits + 1)
            } else {
                guard byte == UInt8(ascii: "."), digits > 0, build.writtenParts < self.maximumParts
                else { return nil }
                build.set(part)
                build.writtenParts += 1
                (part, digits) = (0, 0)
            }
        }
        guard digits > 0 else { return nil }
        build.set(part)
        return build
    }

    /// Returns a build that consists of one number with few enough digits to fit into 64 bits, as
    /// most builds do.
    ///
    /// Such a number needs no overflow checks. Returns `nil` for any other string.
    private static func readShort(_ text: Span<UInt8>) -> BuildNumber? {
        guard text.count <= DecimalNumber.safeDigits else { return nil }
        var number: UInt64 = 0
        for index in text.indices {
            guard text[index].isDigit else { return nil }
            number = number &* 10 &+ UInt64(text[index] &- 0x30)
        }
        return BuildNumber(number)
    }

    /// Sets the last part.
    private mutating func set(_ part: UInt64) {
        switch self.writtenParts {
        case 1: self.first = part
        case 2: self.second = part
        case 3: self.third = part
        default: self.fourth = part
        }
    }

    /// The next higher build; `nil` if this is the highest build.
    package var successor: BuildNumber? {
        if self.fourth < .max { return self.with(fourth: self.fourth + 1) }
        if self.third < .max { return BuildNumber(self.first, self.second, self.third + 1, 0) }
        if self.second < .max { return BuildNumber(self.first, self.second + 1, 0, 0) }
        return self.first < .max ? BuildNumber(self.first + 1) : nil
    }

    /// The next lower build; `nil` if this build is zero.
    package var predecessor: BuildNumber? {
        if self.fourth > 0 { return self.with(fourth: self.fourth - 1) }
        if self.third > 0 { return BuildNumber(self.first, self.second, self.third - 1, .max) }
        if self.second > 0 { return BuildNumber(self.first, self.second - 1, .max, .max) }
        return self.first > 0 ? BuildNumber(self.first - 1, .max, .max, .max) : nil
    }

    private func with(fourth: UInt64) -> BuildNumber {
        BuildNumber(self.first, self.second, self.third, fourth)
    }

    /// Whether the bytes consist of digits and dots, the form of a build number with parts of any
    /// size.
    static func isNumeric(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    }

    /// Whether a quick check shows that the bytes are a build number in the form that `description`
    /// produces.
    ///
    /// The result is true only if no part has a leading zero or more than
    /// `DecimalNumber.safeDigits` digits.
    static func isPlain(_ text: Span<UInt8>) -> Bool {
        guard 1...Self.maximumLength ~= text.count else { return false }
        var (parts, digits) = (1, 0)
        for index in text.indices {
            let byte = text[index]
            if byte.isDigit {
                // A leading zero must not be followed by another digit.
                guard digits < DecimalNumber.safeDigits, digits != 1 || text[index - 1] != 0x30
                else { return false }
                digits += 1
            } else {
                guard byte == UInt8(ascii: "."), digits > 0, parts < self.maximumParts else {
                    return false
                }
                (parts, digits) = (parts + 1, 0)
            }
        }
        return digits > 0
    }

    /// Whether the build is written as one whole number.
    package var isWhole: Bool { self.writtenParts == 1 }

    /// The same build, written without trailing zeros.
    var shortened: BuildNumber {
        var short = self
        short.writtenParts = self.fourth > 0 ? 4 : self.third > 0 ? 3 : self.second > 0 ? 2 : 1
        return short
    }

    func isShorter(than other: BuildNumber) -> Bool { self.writtenParts < other.writtenParts }
}

extension BuildNumber: CustomStringConvertible {
    /// The build number without leading zeros, with as many parts as were written.
    package var description: String {
        var text = String(self.first)
        if self.writtenParts > 1 { text += ".\(self.second)" }
        if self.writtenParts > 2 { text += ".\(self.third)" }
        if self.writtenParts > 3 { text += ".\(self.fourth)" }
        return text
    }
}

extension BuildNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: UInt64) {
        self.init(number)
    }
}

extension BuildNumber: Hashable {
    package static func == (left: BuildNumber, right: BuildNumber) -> Bool {
        left.first == right.first && left.second == right.second && left.third == right.third
            && left.fourth == right.fourth
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.first)
        hasher.combine(self.second)
        hasher.combine(self.third)
        hasher.combine(self.fourth)
    }
}

extension BuildNumber: Comparable {
    package static func < (left: BuildNumber, right: BuildNumber) -> Bool {
        if left.first != right.first { return left.first < right.first }
        if left.second != right.second { return left.second < right.second }
        if left.third != right.third { return left.third < right.third }
        return left.fourth < right.fourth
    }
}

extension BuildNumber: Encodable {
    /// Encodes a build of one part as a number, and any other build as a string.
    ///
    /// The JSON number 93.10 would lose its trailing zero.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if self.writtenParts == 1 {
            try container.encode(self.first)
        } else {
            try container.encode(self.description)
        }
    }
}
