/// A character of a path, in lower case, and whether it was percent-encoded.
struct PathUnit: Equatable {
    static let slash = PathUnit(byte: UInt8(ascii: "/"), isEncoded: false)

    let byte: UInt8
    let isEncoded: Bool

    /// Reads a path; what is no triplet stands for itself.
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

/// One way in which a backend could read a path.
struct PathReading {
    /// When a character means something, if ever.
    ///
    /// Before decoding, one that is encoded is a letter; after it, nobody knows how it came.
    enum Moment {
        case never, beforeDecoding, afterDecoding
    }

    /// Which dot segments are directions already before decoding.
    enum EarlyDots {
        case none
        /// Those of dots that are not encoded.
        case plain
        /// As browsers read a URL: `%2e` is a dot.
        case all
    }

    /// When several slashes in a row are taken as one.
    enum Merging: CaseIterable {
        case never, beforeDots, afterDots
    }

    /// The path ends at `#`.
    var fragment = Moment.never
    /// The path ends at NUL.
    var endsAtNUL = false
    /// An encoded slash is a slash.
    var splitsEncodedSlash = false
    /// A backslash is a slash.
    var backslash = Moment.never
    /// `;` and what follows it in a segment is a parameter, and not a part of the path.
    var parameter = Moment.never
    var merging = Merging.never
    var earlyDots = EarlyDots.none
    /// `.` and `..` are directions, and not names, after decoding.
    var resolvesDots = false

    /// The rest of a path, read this way; an encoded slash that is none is `%2f`.
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
        // The place of the current segment's slash in the output.
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

    /// Removes the last segment of the output if it is a direction, or nothing.
    private func endSegment(_ output: inout [PathUnit], from start: Int, _ isDecoded: Bool) {
        let name = output[(start + 1)...]
        if name.isEmpty, self.merging == .beforeDots {
            output.removeSubrange(start...)
        } else if name.count <= 2, self.isDirection(name, isDecoded) {
            let isUp = name.count == 2
            output.removeSubrange(start...)
            // Above the root there is the root (RFC 3986 section 5.2.4).
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
