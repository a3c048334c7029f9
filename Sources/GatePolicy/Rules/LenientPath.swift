/// All the ways in which a backend could read a path.
///
/// A rule speaks if any of them is its path: a client must not get around a floor by a spelling
/// that only the backend understands. Letters are lower case in all of them.
struct LenientPath {
    /// The most bytes that all readings of a path may have together, which bounds the time that a
    /// client can make the gate spend on one.
    static let maximumWork = 32 * 1024

    private static let slash = UInt8(ascii: "/")

    /// When a reading takes several slashes in a row as one.
    private enum Merging: CaseIterable {
        case never, beforeDots, afterDots
    }

    /// One way of reading.
    private struct Reading {
        /// The path ends at `#` or NUL.
        var isCut = false
        /// Encoded slashes and backslashes are slashes.
        var splitsMore = false
        /// `;` and what follows it in a segment is a parameter, and not a part of the path.
        var dropsParameters = false
        var merging = Merging.never
        /// `.` and `..` are directions, and not names.
        var resolvesDots = false
    }

    /// The path with every triplet decoded, except for slashes.
    private let decoded: [UInt8]
    private let readings: [Reading]

    /// Collects the readings of a path that begins with a slash; `nil` if they are too much work.
    ///
    /// Only what occurs in the path multiplies them: an ordinary path has one.
    init?(_ path: [UInt8]) {
        self.decoded = Self.folded(path)
        var readings = [Reading()]
        func also(_ change: (inout Reading) -> Void) {
            readings += readings.map { reading in
                var changed = reading
                change(&changed)
                return changed
            }
        }
        var loosest = Reading(splitsMore: true, dropsParameters: true)
        let whole = Self.read(self.decoded, loosest)
        loosest.isCut = true
        // The cut may go through a segment that is a direction only without what follows.
        let cut = Self.read(self.decoded, loosest)
        if self.decoded.contains(where: Self.isCut) { also { $0.isCut = true } }
        if Self.splitsMore(self.decoded) { also { $0.splitsMore = true } }
        if self.decoded.contains(UInt8(ascii: ";")) { also { $0.dropsParameters = true } }
        if Self.hasEmptySegment(whole) {
            let unmerged = readings
            for merging in [Merging.beforeDots, .afterDots] {
                readings += unmerged.map { reading in
                    var merged = reading
                    merged.merging = merging
                    return merged
                }
            }
        }
        if Self.hasDotSegment(whole) || Self.hasDotSegment(cut) { also { $0.resolvesDots = true } }
        guard readings.count == 1 || readings.count * path.count <= Self.maximumWork else {
            return nil
        }
        self.readings = readings
    }

    /// The path as it came, and as it is to a backend that decodes twice, if that differs.
    static func spellings(of path: [UInt8]) -> [[UInt8]] {
        var decoded: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            decoded.append(byte)
            if byte == UInt8(ascii: "%"), rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        }
        return decoded.count == path.count ? [path] : [path, decoded]
    }

    /// The spelling in which rules and requests are compared.
    static func folded(_ path: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(path.count)
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let octet = PercentEncoding.octet(rest) else {
                folded.append(byte.lowercased)
                continue
            }
            rest = rest.dropFirst(2)
            if octet == Self.slash {
                folded += "%2f".utf8
            } else {
                folded.append(octet.lowercased)
            }
        }
        return folded
    }

    /// Calls back with every reading.
    func forEachReading(_ body: ([UInt8]) -> Void) {
        for reading in self.readings { body(Self.read(self.decoded, reading)) }
    }

    private static func isCut(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "#")
    }

    private static func splitsMore(_ path: [UInt8]) -> Bool {
        path.indices.contains {
            Self.widthOfSlash(in: path, at: $0, splitsMore: true) != 0
                && path[$0] != Self.slash
        }
    }

    private static func hasEmptySegment(_ path: [UInt8]) -> Bool {
        zip(path, path.dropFirst()).contains { $0 == Self.slash && $1 == Self.slash }
    }

    private static func hasDotSegment(_ path: [UInt8]) -> Bool {
        path.split(separator: Self.slash).contains { $0 == [0x2E] || $0 == [0x2E, 0x2E] }
    }

    /// The number of bytes of the slash at an index; 0 if there is none.
    private static func widthOfSlash(in path: [UInt8], at index: Int, splitsMore: Bool) -> Int {
        switch path[index] {
        case Self.slash:
            return 1
        case UInt8(ascii: "\\"):
            return splitsMore ? 1 : 0
        case UInt8(ascii: "%"):
            let isEncoded =
                splitsMore && index + 2 < path.count && path[index + 1] == UInt8(ascii: "2")
                && path[index + 2] == UInt8(ascii: "f")
            return isEncoded ? 3 : 0
        default:
            return 0
        }
    }

    /// Reads a path in one way.
    private static func read(_ path: [UInt8], _ reading: Reading) -> [UInt8] {
        var output = [Self.slash]
        output.reserveCapacity(path.count)
        // Where the slash of the current segment is in the output.
        var start = 0
        var isParameter = false
        var index = 1
        while index < path.count {
            let byte = path[index]
            if reading.isCut, Self.isCut(byte) { break }
            let width = Self.widthOfSlash(in: path, at: index, splitsMore: reading.splitsMore)
            if width > 0 {
                Self.endSegment(&output, from: start, reading)
                start = output.count
                output.append(Self.slash)
                isParameter = false
            } else if byte == UInt8(ascii: ";"), reading.dropsParameters {
                isParameter = true
            } else if !isParameter {
                output.append(byte)
            }
            index += max(width, 1)
        }
        Self.endSegment(&output, from: start, reading)
        guard reading.merging == .afterDots else { return output }
        var merged: [UInt8] = []
        for byte in output where byte != Self.slash || merged.last != Self.slash {
            merged.append(byte)
        }
        return merged
    }

    /// Removes the last segment of the output if it is a direction, or nothing.
    private static func endSegment(_ output: inout [UInt8], from start: Int, _ reading: Reading) {
        let name = output[(start + 1)...]
        if name.isEmpty, reading.merging == .beforeDots {
            output.removeSubrange(start...)
        } else if reading.resolvesDots, name == [0x2E] {
            output.removeSubrange(start...)
        } else if reading.resolvesDots, name == [0x2E, 0x2E] {
            output.removeSubrange(start...)
            // Above the root there is the root (RFC 3986 section 5.2.4).
            output.removeSubrange((output.lastIndex(of: Self.slash) ?? 0)...)
        }
    }
}
