/// The places between and at the versions that rules name.
struct VersionCuts: Sendable {
    private let cuts: [AppVersion]
    /// The same as numbers; `nil` if one of them is too large.
    private let packed: [UInt128]?

    init(_ versions: [AppVersion]) {
        self.cuts = Set(versions).sorted()
        // A pre-release stands directly below its release: no plain version lies between.
        let packed = versions.map(\.packed)
        self.packed = packed.contains(nil) ? nil : Set(packed.compactMap(\.self)).sorted()
    }

    var isEmpty: Bool { self.cuts.isEmpty }

    /// The place of a version of dotted numbers; `nil` for what has to be read with more care.
    func fastPlace(of text: Span<UInt8>) -> Int? {
        guard let packed = self.packed, let version = AppVersion.packed(text) else {
            return nil
        }
        return packed.place(of: version)
    }

    /// The places of a version, and of the release that it is or leads to.
    func places(of version: AppVersion) -> (version: Int, release: Int) {
        (self.cuts.place(of: version), self.cuts.place(of: version.release))
    }
}

extension AppVersion {
    private static let packedParts = 4

    /// Four numbers of 32 bits, in the order of versions; `nil` for a version that has others.
    fileprivate var packed: UInt128? {
        guard self.numbers.count <= Self.packedParts else { return nil }
        var packed: UInt128 = 0
        for index in 0..<Self.packedParts {
            let number = index < self.numbers.count ? self.numbers[index].integer : 0
            guard let number, number <= UInt32.max else { return nil }
            packed = packed << 32 | UInt128(number)
        }
        return packed
    }

    /// The same of a text; `nil` also for one with anything beside numbers.
    fileprivate static func packed(_ text: Span<UInt8>) -> UInt128? {
        // One that has a build behind it would be found out at its end.
        guard 1...Self.maximumLength ~= text.count, text[text.count - 1] != UInt8(ascii: ")")
        else { return nil }
        var (packed, parts): (UInt128, Int) = (0, 0)
        var (number, digits): (UInt64, Int) = (0, 0)
        for index in text.indices {
            let byte = text[index]
            if byte.isDigit {
                number = number * 10 + UInt64(byte - 0x30)
                digits += 1
                guard digits <= 10 else { return nil }
            } else if byte == UInt8(ascii: ".") {
                guard digits > 0, number <= UInt32.max, parts < Self.packedParts - 1
                else { return nil }
                packed = packed << 32 | UInt128(number)
                parts += 1
                (number, digits) = (0, 0)
            } else {
                return nil
            }
        }
        guard digits > 0, number <= UInt32.max else { return nil }
        packed = packed << 32 | UInt128(number)
        return packed << UInt128(32 * (Self.packedParts - 1 - parts))
    }
}

extension Array where Element: Comparable {
    /// The place of a value among ascending ones: an odd number is one of them, an even one lies
    /// between two.
    func place(of value: Element) -> Int {
        var (start, end) = (0, self.count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] < value { start = middle + 1 } else { end = middle }
        }
        return start < self.count && self[start] == value ? 2 * start + 1 : 2 * start
    }
}
