/// All readings of a path: the ways in which a backend could interpret the path.
///
/// A rule matches if it matches any reading, because clients must not bypass a floor with a
/// spelling that only the backend understands. All readings are in lower case.
struct LenientPath {
    /// The maximum total length of all readings of a path, in bytes.
    ///
    /// The limit bounds the processing time that a client can cause.
    static let maximumWork = 32 * 1024
    /// The maximum number of readings of a path.
    ///
    /// The limit bounds the cost of short paths with many readings.
    static let maximumCount = 128

    private let units: [PathUnit]
    private let readings: [PathReading]

    /// Collects the readings of a path that starts with a slash; returns `nil` if they exceed the
    /// limits.
    ///
    /// Ambiguities in the path multiply the readings. An ordinary path has one reading.
    init?(_ path: [UInt8]) {
        self.units = PathUnit.all(in: path)
        let marks = PathMarks(self.units)
        var readings = [PathReading()]
        func also(_ changes: [(inout PathReading) -> Void]) {
            readings += changes.flatMap { change in
                readings.map { reading in
                    var changed = reading
                    change(&changed)
                    return changed
                }
            }
        }
        also(marks.moments(of: UInt8(ascii: "#")).map { moment in { $0.fragment = moment } })
        if marks.contains(0) { also([{ $0.endsAtNUL = true }]) }
        if marks.hasEncodedSlash { also([{ $0.splitsEncodedSlash = true }]) }
        also(marks.moments(of: UInt8(ascii: "\\")).map { moment in { $0.backslash = moment } })
        also(marks.moments(of: UInt8(ascii: ";")).map { moment in { $0.parameter = moment } })
        if marks.hasEmptySegment {
            also([{ $0.merging = .beforeDots }, { $0.merging = .afterDots }])
        }
        if marks.hasDotSegment {
            also(marks.earlyDots.map { dots in { $0.earlyDots = dots } })
            also([{ $0.resolvesDots = true }])
        }
        guard
            readings.count == 1
                || readings.count <= Self.maximumCount
                    && readings.count * path.count <= Self.maximumWork
        else { return nil }
        self.readings = readings
    }

    /// Returns the path as received, and the path as a backend that decodes twice reads it, if
    /// different.
    ///
    /// Only percent signs and hexadecimal digits are decoded, because only these characters can
    /// form a second triplet: `%2570`, `%25%37%30` and `%%370` all become `%70`.
    static func spellings(of path: [UInt8]) -> [[UInt8]] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        var isDecodedTwice = false
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let octet = PercentEncoding.octet(rest)
            if octet == nil || octet == byte { isDecodedTwice = true }
            if let octet, octet == byte || octet.hexValue != nil {
                decoded.append(octet)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return isDecodedTwice && decoded.count < path.count ? [path, decoded] : [path]
    }

    /// Returns the path in the form in which rules and requests are compared.
    static func folded(_ path: [UInt8]) -> [UInt8] {
        PathUnit.all(in: path).flatMap { unit in
            unit.isEncoded && unit.byte == PathUnit.slash.byte ? Array("%2f".utf8) : [unit.byte]
        }
    }

    /// Calls `body` with every reading of the path.
    func forEachReading(_ body: ([UInt8]) -> Void) {
        for reading in self.readings { body(reading.read(self.units)) }
    }
}

/// The characters of a path that backends interpret in different ways.
private struct PathMarks {
    private let units: [PathUnit]
    /// Whether interpreting characters before decoding gives a different result from interpreting
    /// them after decoding.
    private let hasEncodedMark: Bool

    init(_ units: [PathUnit]) {
        self.units = units
        self.hasEncodedMark = units.contains { unit in
            // NUL ends a path only after decoding, even if the NUL was not encoded.
            unit.byte == 0
                || unit.isEncoded && (unit.byte == UInt8(ascii: ".") || Self.isMark(unit.byte))
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        Self.isSlash(byte) || [0, UInt8(ascii: "#"), UInt8(ascii: ";")].contains(byte)
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    func contains(_ byte: UInt8) -> Bool {
        self.units.contains { $0.byte == byte }
    }

    var hasEncodedSlash: Bool {
        self.units.contains { $0.isEncoded && $0.byte == PathUnit.slash.byte }
    }

    /// Returns the stages at which a character can have a special meaning.
    func moments(of byte: UInt8) -> [PathReading.Moment] {
        guard self.contains(byte) else { return [] }
        let isEarly =
            self.hasEncodedMark
            && self.units.contains(PathUnit(byte: byte, isEncoded: false))
        return isEarly ? [.beforeDecoding, .afterDecoding] : [.afterDecoding]
    }

    /// Whether any reading has an empty segment before the last segment.
    var hasEmptySegment: Bool {
        zip(self.units, self.units.dropFirst()).contains { unit, next in
            Self.isSlash(unit.byte) && (Self.isSlash(next.byte) || next.byte == UInt8(ascii: ";"))
        }
    }

    /// Whether any reading has a dot segment.
    var hasDotSegment: Bool {
        self.units.indices.contains { index in
            guard Self.isSlash(self.units[index].byte) else { return false }
            let dots = self.units[(index + 1)...].prefix { $0.byte == UInt8(ascii: ".") }
            guard dots.count == 1 || dots.count == 2 else { return false }
            return dots.endIndex == self.units.endIndex
                || Self.isMark(self.units[dots.endIndex].byte)
        }
    }

    var earlyDots: [PathReading.EarlyDots] {
        guard self.hasEncodedMark else { return [] }
        let dot = PathUnit(byte: UInt8(ascii: "."), isEncoded: true)
        return self.units.contains(dot) ? [.plain, .all] : [.all]
    }
}
