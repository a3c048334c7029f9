/// A slow and simple second implementation of the interpretations of a request target.
///
/// It tries both positions of every switch, even of one that has no effect.
enum ReferencePath {
    /// Returns the path before the query.
    private static func path(_ target: [UInt8]) -> [UInt8]? {
        let path = Array(target.prefix { $0 != UInt8(ascii: "?") })
        return path.first == UInt8(ascii: "/") ? path : nil
    }

    /// Returns every list of segments into which a backend could split the path, in lower case; an encoded slash is
    /// `%2f`.
    static func readings(of target: [UInt8]) -> Set<[[UInt8]]> {
        guard let path = Self.path(target) else { return [] }
        var readings: Set<[[UInt8]]> = []
        for spelling in [path, Self.decodedPercent(path)] {
            let characters = Self.characters(spelling)
            Self.forEachChoice(characters) { choice in
                let early = Self.stage(characters, choice.early)
                var segments = Self.segments(Self.stage(early, choice.late))
                if choice.merges == 2 { segments.removeAll(where: \.isEmpty) }
                // A single trailing slash is ignored.
                if segments.last == [] { segments.removeLast() }
                readings.insert(segments)
            }
        }
        return readings
    }

    /// Returns the maximum number of choices for a target in all its spellings.
    static func choices(of target: [UInt8]) -> Int {
        guard let path = Self.path(target) else { return 0 }
        return [path, Self.decodedPercent(path)].reduce(0) { count, spelling in
            var count = count
            Self.forEachChoice(Self.characters(spelling)) { _ in count += 1 }
            return count
        }
    }

    private typealias Symbol = (byte: UInt8, isEncoded: Bool)

    /// The conversions in one of the two steps, which precede and follow decoding.
    private struct Step {
        var cuts: Set<UInt8> = []
        var splits: Set<UInt8> = []
        var parameters = false
        var merges = false
        /// 1: raw dot segments are resolved; 2: encoded ones are also resolved.
        var dots = 0
        /// Whether encoded characters are treated like raw ones.
        var seesEncoded = false
    }

    private typealias Choice = (early: Step, late: Step, merges: Int)

    /// Calls `body` with every combination of all switches, in the order of an odometer.
    private static func forEachChoice(_ path: [Symbol], _ body: (Choice) -> Void) {
        func positions(_ character: String, _ count: Int) -> Int {
            path.contains { character.utf8.contains($0.byte) } ? count : 1
        }
        let wheels = [
            positions("#", 3), positions("\0", 2), positions("/", 2), positions("\\", 3),
            positions(";", 3), 3, positions(".", 6),
        ]
        for number in 0..<wheels.reduce(1, *) {
            var rest = number
            body(
                Self.choice(
                    wheels.map { count in
                        defer { rest /= count }
                        return rest % count
                    }
                )
            )
        }
    }

    private static func choice(_ positions: [Int]) -> Choice {
        var (early, late) = (Step(), Step())
        late.seesEncoded = true
        if positions[0] == 1 { early.cuts.insert(UInt8(ascii: "#")) }
        if positions[0] == 2 { late.cuts.insert(UInt8(ascii: "#")) }
        if positions[1] == 1 { late.cuts.insert(0) }
        if positions[2] == 1 { late.splits.insert(UInt8(ascii: "/")) }
        if positions[3] == 1 { early.splits.insert(UInt8(ascii: "\\")) }
        if positions[3] == 2 { late.splits.insert(UInt8(ascii: "\\")) }
        early.parameters = positions[4] == 1
        late.parameters = positions[4] == 2
        early.merges = positions[5] == 1
        late.merges = positions[5] == 1
        early.dots = positions[6] % 3
        late.dots = positions[6] / 3 * 2
        return (early, late, positions[5])
    }

    private static func stage(_ path: [Symbol], _ step: Step) -> [Symbol] {
        func isSeen(_ character: Symbol) -> Bool { step.seesEncoded || !character.isEncoded }
        func splits(_ character: Symbol) -> Bool {
            isSeen(character) && step.splits.contains(character.byte)
                || character.byte == UInt8(ascii: "/") && !character.isEncoded
        }
        func isParameter(_ character: Symbol) -> Bool {
            step.parameters && isSeen(character) && character.byte == UInt8(ascii: ";")
        }
        var segments = path.prefix { !(isSeen($0) && step.cuts.contains($0.byte)) }
            .dropFirst()
            .split(omittingEmptySubsequences: false, whereSeparator: splits)
            .map { $0.prefix { !isParameter($0) } }
        if step.merges { segments.removeAll(where: \.isEmpty) }
        if step.dots > 0 {
            var kept: [ArraySlice<Symbol>] = []
            for segment in segments {
                let isSpelled = step.dots == 2 || !segment.contains(where: \.isEncoded)
                switch segment.map(\.byte) {
                case [0x2E] where isSpelled: break
                case [0x2E, 0x2E] where isSpelled: _ = kept.popLast()
                default: kept.append(segment)
                }
            }
            segments = kept
        }
        return segments.flatMap { [(UInt8(ascii: "/"), false)] + $0 }
    }

    private static func segments(_ path: [Symbol]) -> [[UInt8]] {
        path.dropFirst()
            .split(omittingEmptySubsequences: false) {
                $0.byte == UInt8(ascii: "/") && !$0.isEncoded
            }
            .map { $0.flatMap { $0.byte == UInt8(ascii: "/") ? Array("%2f".utf8) : [$0.byte] } }
    }

    /// Returns the path after decoding the percent signs and digits that can form another triplet.
    private static func decodedPercent(_ path: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < path.count {
            let octet = Self.octet(path, at: index)
            let isPart = octet.map { Array("%0123456789abcdefABCDEF".utf8).contains($0) } ?? false
            decoded.append(isPart ? octet ?? 0 : path[index])
            index += isPart ? 3 : 1
        }
        return decoded
    }

    private static func characters(_ path: [UInt8]) -> [Symbol] {
        var characters: [Symbol] = []
        var index = 0
        while index < path.count {
            let octet = Self.octet(path, at: index)
            characters.append((Self.lowercased(octet ?? path[index]), octet != nil))
            index += octet == nil ? 1 : 3
        }
        return characters
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }

    private static func octet(_ path: [UInt8], at index: Int) -> UInt8? {
        guard path[index] == UInt8(ascii: "%"), index + 2 < path.count else { return nil }
        let digits = path[(index + 1)...(index + 2)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else {
            return nil
        }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// A character of a path with a single interpretation.
    enum Unit: Hashable {
        case plain(UInt8)
        /// An encoded character that is not equivalent to the raw one (RFC 3986 section 2.2).
        case encoded(UInt8)
    }

    /// Returns the segments of a path that all backends interpret in the same way; `nil` for any other path.
    static func exact(_ target: [UInt8]) -> [[Unit]]? {
        guard let path = Self.path(target) else { return nil }
        var segments: [[Unit]] = []
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "/") {
                segments.append([])
                index += 1
                continue
            }
            let octet = Self.octet(path, at: index)
            if byte == UInt8(ascii: "%"), octet == nil { return nil }
            let value = octet ?? byte
            guard value >= 0x20, value != 0x7F, !"\\;#".utf8.contains(value) else { return nil }
            if octet == nil {
                segments[segments.count - 1].append(value < 0x80 ? .plain(value) : .encoded(value))
            } else {
                guard !"/%".utf8.contains(value) else { return nil }
                let isUnreserved = Self.isUnreserved(value)
                segments[segments.count - 1].append(isUnreserved ? .plain(value) : .encoded(value))
            }
            index += octet == nil ? 1 : 3
        }
        return Self.withoutDots(segments)
    }

    private static func withoutDots(_ segments: [[Unit]]) -> [[Unit]]? {
        let dot = Unit.plain(0x2E)
        var kept: [[Unit]] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            guard segment != [dot, dot], !segment.isEmpty || isLast else { return nil }
            if segment != [dot] {
                kept.append(segment)
            } else if isLast {
                kept.append([])
            }
        }
        return kept
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
