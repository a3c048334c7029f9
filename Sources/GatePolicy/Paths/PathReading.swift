/// A character of a path in lower case, with a flag for percent-encoding.
struct PathUnit: Equatable {
    static let slash = PathUnit(byte: UInt8(ascii: "/"), isEncoded: false)

    let byte: UInt8
    let isEncoded: Bool

    /// Parses a path into characters.
    ///
    /// Bytes that are not part of a valid triplet are kept unchanged.
    static func all(in path: [UInt8]) -> [PathUnit] {
        var units: [PathUnit] = []
        units.reserveCapacity(path.count)
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let octet = PercentEncoding.octet(rest) else {
                units.append(PathUnit(byte: byte.lowercased, isEncoded: false))
                continue
            }
            rest = rest.dropFirst(2)
            units.append(PathUnit(byte: octet.lowercased, isEncoded: true))
        }
        return units
    }
}

/// One of the ways in which a backend could interpret a path.
struct PathReading {
    /// The stage at which a character has a special meaning, if any.
    ///
    /// Before decoding, an encoded character has no special meaning. After decoding, encoded and
    /// literal characters cannot be distinguished.
    enum Moment {
        case never, beforeDecoding, afterDecoding
    }

    /// The dot segments that are resolved before decoding.
    enum EarlyDots {
        case none
        /// Dot segments whose dots are not encoded.
        case plain
        /// All dot segments, including encoded ones, because browsers treat `%2e` as a dot.
        case all
    }

    /// The stage at which consecutive slashes are merged.
    enum Merging: CaseIterable {
        case never, beforeDots, afterDots
    }

    /// The stage at which `#` ends the path.
    var fragment = Moment.never
    /// Whether NUL ends the path.
    var endsAtNUL = false
    /// Whether an encoded slash separates segments.
    var splitsEncodedSlash = false
    /// The stage at which a backslash separates segments.
    var backslash = Moment.never
    /// The stage at which `;` starts a segment parameter, which is not part of the path.
    var parameter = Moment.never
    var merging = Merging.never
    var earlyDots = EarlyDots.none
    /// Whether `.` and `..` are resolved after decoding.
    var resolvesDots = false

    /// Returns the path in this reading.
    ///
    /// An encoded slash that does not separate segments becomes `%2f`.
    func read(_ path: [PathUnit]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        for unit in self.pass(self.pass(path, isDecoded: false), isDecoded: true) {
            if unit == .slash {
                if self.merging == .afterDots, output.last == unit.byte { continue }
                output.append(unit.byte)
            } else if unit.byte == PathUnit.slash.byte {
                output += "%2f".utf8
            } else {
                output.append(unit.byte)
            }
        }
        return output
    }

    private func pass(_ path: [PathUnit], isDecoded: Bool) -> [PathUnit] {
        var output = [PathUnit.slash]
        output.reserveCapacity(path.count)
        // The index in the output of the slash that starts the current segment.
        var start = 0
        var isParameter = false
        for unit in path.dropFirst() {
            if self.ends(at: unit, isDecoded) { break }
            if self.separates(unit, isDecoded) {
                self.endSegment(&output, from: start, isDecoded)
                start = output.count
                output.append(.slash)
                isParameter = false
            } else if unit.byte == UInt8(ascii: ";"),
                self.holds(self.parameter, of: unit, isDecoded)
            {
                isParameter = true
            } else if !isParameter {
                output.append(unit)
            }
        }
        self.endSegment(&output, from: start, isDecoded)
        return output
    }

    /// Removes the last segment of the output if it is a dot segment, or an empty segment to be
    /// merged.
    private func endSegment(_ output: inout [PathUnit], from start: Int, _ isDecoded: Bool) {
        let name = output[(start + 1)...]
        if name.isEmpty, self.merging == .beforeDots {
            output.removeSubrange(start...)
        } else if name.count <= 2, self.isDirection(name, isDecoded) {
            let isUp = name.count == 2
            output.removeSubrange(start...)
            // The parent of the root is the root (RFC 3986 section 5.2.4).
            if isUp { output.removeSubrange((output.lastIndex(of: .slash) ?? 0)...) }
        }
    }

    private func isDirection(_ name: ArraySlice<PathUnit>, _ isDecoded: Bool) -> Bool {
        guard !name.isEmpty, name.allSatisfy({ $0.byte == UInt8(ascii: ".") }) else { return false }
        if isDecoded { return self.resolvesDots }
        switch self.earlyDots {
        case .none: return false
        case .plain: return !name.contains(where: \.isEncoded)
        case .all: return true
        }
    }

    private func separates(_ unit: PathUnit, _ isDecoded: Bool) -> Bool {
        switch unit.byte {
        case PathUnit.slash.byte: !unit.isEncoded || isDecoded && self.splitsEncodedSlash
        case UInt8(ascii: "\\"): self.holds(self.backslash, of: unit, isDecoded)
        default: false
        }
    }

    private func ends(at unit: PathUnit, _ isDecoded: Bool) -> Bool {
        switch unit.byte {
        case 0: isDecoded && self.endsAtNUL
        case UInt8(ascii: "#"): self.holds(self.fragment, of: unit, isDecoded)
        default: false
        }
    }

    private func holds(_ moment: Moment, of unit: PathUnit, _ isDecoded: Bool) -> Bool {
        switch moment {
        case .never: false
        case .beforeDecoding: !isDecoded && !unit.isEncoded
        case .afterDecoding: isDecoded
        }
    }
}
