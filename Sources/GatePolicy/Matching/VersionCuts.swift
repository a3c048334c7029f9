/// The versions that rules contain, which divide all versions into numbered positions.
struct VersionCuts: Sendable {
    private let cuts: [AppVersion]
    /// The versions as packed integers; `nil` if at least one version does not fit.
    private let packed: [UInt128]?

    init(_ versions: [AppVersion]) {
        self.cuts = Set(versions).sorted()
        // A pre-release is directly below its release; no other release lies between them.
        let packed = versions.map(\.packed)
        self.packed = packed.contains(nil) ? nil : Set(packed.compactMap(\.self)).sorted()
    }

    var isEmpty: Bool { self.cuts.isEmpty }

    /// Returns the position of a version that consists only of dotted numbers.
    ///
    /// Returns `nil` if the string has to be parsed completely.
    func fastPlace(of text: Span<UInt8>) -> Int? {
        guard let (place, end) = self.fastPlace(ofPrefix: text), end == text.count else {
            return nil
        }
        return place
    }

    /// Parses the dotted numbers at the start of a string, and returns the position of this version
    /// and the index of its end.
    ///
    /// Returns `nil` if the string has to be parsed completely.
    func fastPlace(ofPrefix text: Span<UInt8>) -> (place: Int, end: Int)? {
        guard let packed = self.packed, let (version, end) = AppVersion.packed(prefix: text) else {
            return nil
        }
        return (packed.place(of: version), end)
    }

    /// Returns the positions of a version and of its release.
    func places(of version: AppVersion) -> (version: Int, release: Int) {
        (self.cuts.place(of: version), self.cuts.place(of: version.release))
    }
}

extension AppVersion {
    private static let packedParts = 4

    /// The version as four 32-bit numbers, which sort like versions; `nil` if the version does not
    /// fit.
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

    /// Parses the digits and dots at the start of a string as four 32-bit numbers.
    ///
    /// Returns the packed version and the index of its end, or `nil` if the digits and dots are not
    /// a version or do not fit.
    fileprivate static func packed(prefix text: Span<UInt8>) -> (version: UInt128, end: Int)? {
        var (packed, parts): (UInt128, Int) = (0, 0)
        var (number, digits): (UInt64, Int) = (0, 0)
        var end = 0
        while end < text.count {
            let byte = text[end]
            if byte.isDigit {
                // Ten digits fit into 64 bits.
                guard digits < 10 else { return nil }
                number = number &* 10 &+ UInt64(byte &- 0x30)
                digits &+= 1
            } else if byte == UInt8(ascii: ".") {
                guard digits > 0, number <= UInt32.max, parts < Self.packedParts - 1
                else { return nil }
                packed = packed << 32 | UInt128(number)
                parts += 1
                (number, digits) = (0, 0)
            } else {
                break
            }
            end += 1
        }
        guard digits > 0, number <= UInt32.max else { return nil }
        packed = packed << 32 | UInt128(number)
        return (packed << UInt128(32 * (Self.packedParts - 1 - parts)), end)
    }
}

extension Array where Element: Comparable {
    /// Returns the position of a value among the elements, which must be in ascending order.
    ///
    /// The position is an odd number if the value is an element, and an even number otherwise.
    func place(of value: Element) -> Int {
        var (start, end) = (0, self.count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] < value { start = middle + 1 } else { end = middle }
        }
        return start < self.count && self[start] == value ? 2 * start + 1 : 2 * start
    }
}
