/// The readings of a request target once more, slow and obvious: every switch both ways, whether
/// there is anything to switch or not.
enum ReferencePath {
    /// The path in front of the query.
    private static func path(_ target: [UInt8]) -> [UInt8]? {
        let path = Array(target.prefix { $0 != UInt8(ascii: "?") })
        return path.first == UInt8(ascii: "/") ? path : nil
    }

    /// Every list of segments that a backend could take the path for, in lower case; an encoded
    /// slash is `%2f`.
    static func readings(of target: [UInt8]) -> Set<[[UInt8]]> {
        guard let path = Self.path(target) else { return [] }
        var readings: Set<[[UInt8]]> = []
        for spelling in [path, Self.decodedPercent(path)] {
            let decoded = Self.folded(spelling)
            for choice in 0..<16 {
                for merges in 0..<3 {
                    readings.insert(Self.segments(decoded, choice, merges))
                }
            }
        }
        return readings
    }

    private static func segments(_ decoded: [UInt8], _ choice: Int, _ merges: Int) -> [[UInt8]] {
        var path = decoded
        if choice & 1 != 0 {
            path = Array(path.prefix { $0 != 0 && $0 != UInt8(ascii: "#") })
        }
        if choice & 2 != 0 { path = Self.splitMore(path) }
        var segments = path.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map(Array.init)
        if choice & 4 != 0 {
            segments = segments.map { Array($0.prefix { $0 != UInt8(ascii: ";") }) }
        }
        if merges == 1 { segments.removeAll(where: \.isEmpty) }
        if choice & 8 != 0 {
            var kept: [[UInt8]] = []
            for segment in segments {
                switch segment {
                case [0x2E]: break
                case [0x2E, 0x2E]: _ = kept.popLast()
                default: kept.append(segment)
                }
            }
            segments = kept
        }
        if merges == 2 { segments.removeAll(where: \.isEmpty) }
        // One slash at the end says nothing.
        if segments.last == [] { segments.removeLast() }
        return segments
    }

    private static func decodedPercent(_ path: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < path.count {
            decoded.append(path[index])
            index += path[index...].starts(with: "%25".utf8) ? 3 : 1
        }
        return decoded
    }

    private static func folded(_ path: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        var index = 0
        while index < path.count {
            guard let octet = Self.octet(path, at: index) else {
                folded.append(Self.lowercased(path[index]))
                index += 1
                continue
            }
            folded += octet == UInt8(ascii: "/") ? Array("%2f".utf8) : [Self.lowercased(octet)]
            index += 3
        }
        return folded
    }

    private static func splitMore(_ path: [UInt8]) -> [UInt8] {
        var split: [UInt8] = []
        var index = 0
        while index < path.count {
            if path[index...].starts(with: "%2f".utf8) {
                split.append(UInt8(ascii: "/"))
                index += 3
            } else {
                split.append(path[index] == UInt8(ascii: "\\") ? UInt8(ascii: "/") : path[index])
                index += 1
            }
        }
        return split
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

    /// One character of a path that has one reading only.
    enum Unit: Hashable {
        case plain(UInt8)
        /// Encoded, and not the same as the character that it encodes (RFC 3986 section 2.2).
        case encoded(UInt8)
    }

    /// The segments of a path that every backend reads alike; `nil` for any other.
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
