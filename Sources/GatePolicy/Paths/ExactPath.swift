/// A path that all backends interpret in the same way, in normalized form.
///
/// Paths are normalized according to RFC 3986 section 6.2.2: unreserved characters are decoded,
/// other triplets have upper-case digits, and `.` segments are removed.
struct ExactPath {
    let bytes: [UInt8]

    /// Normalizes a path without its query.
    ///
    /// Returns `nil` if backends could interpret the path in different ways.
    init?(_ path: [UInt8]) {
        if Self.isExact(path.span) {
            self.bytes = path
            return
        }
        guard let spelled = Self.spelled(path), spelled.first == UInt8(ascii: "/") else {
            return nil
        }
        let segments = spelled.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            // Some backends resolve `..`; others treat it as a name, or reject the path.
            if Self.isDirection(segment) || (segment.isEmpty && !isLast) { return nil }
            if segment != [0x2E] {
                kept.append(segment)
            } else if isLast {
                kept.append([])
            }
        }
        self.bytes = kept.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    /// Whether a quick check shows that a path is in normalized form, as nearly all paths are.
    ///
    /// The path then contains no triplets, no non-ASCII or ambiguous characters, no `//` and no
    /// `/.`.
    private static func isExact(_ path: Span<UInt8>) -> Bool {
        var last: UInt8 = 0
        for index in path.indices {
            let byte = path[index]
            let isAfterSlash = last == UInt8(ascii: "/")
            switch byte {
            case UInt8(ascii: "%"), 0x80...: return false
            case UInt8(ascii: "/") where isAfterSlash, UInt8(ascii: ".") where isAfterSlash:
                return false
            default: if self.isAmbiguous(byte) { return false }
            }
            last = byte
        }
        return !path.isEmpty && path[0] == UInt8(ascii: "/")
    }

    private static func spelled(_ path: [UInt8]) -> [UInt8]? {
        var spelled: [UInt8] = []
        // The non-ASCII characters, percent-decoded; each ASCII character is replaced by a space.
        var text: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard !Self.isAmbiguous(byte) else { return nil }
                if byte < 0x80 {
                    spelled.append(byte)
                    text.append(UInt8(ascii: " "))
                } else {
                    text.append(byte)
                    PercentEncoding.append(byte, to: &spelled)
                }
                continue
            }
            guard let octet = PercentEncoding.octet(rest), !Self.isAmbiguous(octet),
                // A backend that decodes twice would interpret the result differently.
                octet != UInt8(ascii: "/"), octet != UInt8(ascii: "%")
            else { return nil }
            rest = rest.dropFirst(2)
            text.append(octet >= 0x80 ? octet : UInt8(ascii: " "))
            if PercentEncoding.isUnreserved(octet) {
                spelled.append(octet)
            } else {
                PercentEncoding.append(octet, to: &spelled)
            }
        }
        return LookAlikes.areIn(text) ? nil : spelled
    }

    /// Whether some file systems treat a segment as `..`.
    ///
    /// Windows ignores spaces and dots at the end of a name.
    private static func isDirection(_ segment: ArraySlice<UInt8>) -> Bool {
        guard segment.first == UInt8(ascii: "."), segment != [0x2E] else { return false }
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ".") { continue }
            // Spaces are still percent-encoded at this point.
            guard byte == UInt8(ascii: "%"), rest.starts(with: "20".utf8) else { return false }
            rest = rest.dropFirst(2)
        }
        return true
    }

    /// Whether some backends truncate, split or reject a path at this byte.
    private static func isAmbiguous(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"): true
        default: false
        }
    }
}

/// The non-ASCII characters that some backends convert to a character with a special meaning in
/// paths.
///
/// These are overlong UTF-8 sequences, which old decoders accept, and characters that compatibility
/// normalization (NFKC) turns into a dot, a slash, a backslash, a percent sign, a semicolon, a hash
/// or a question mark.
private enum LookAlikes {
    private static let scalars: [ClosedRange<UInt32>] = [
        0x37E...0x37E, 0x2024...0x2026, 0x2047...0x2049, 0x2100...0x2101, 0x2105...0x2106,
        0x2488...0x249B, 0x33C2...0x33C2, 0x33C7...0x33C7, 0x33D8...0x33D8, 0xFE14...0xFE14,
        0xFE16...0xFE16, 0xFE19...0xFE19, 0xFE30...0xFE30, 0xFE52...0xFE52, 0xFE54...0xFE54,
        0xFE56...0xFE56, 0xFE5F...0xFE5F, 0xFE68...0xFE68, 0xFE6A...0xFE6A, 0xFF03...0xFF03,
        0xFF05...0xFF05, 0xFF0E...0xFF0F, 0xFF1B...0xFF1B, 0xFF1F...0xFF1F, 0xFF3C...0xFF3C,
        0x1F100...0x1F100,
    ]

    /// Whether non-ASCII bytes are invalid UTF-8 or contain one of these characters.
    static func areIn(_ bytes: [UInt8]) -> Bool {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return false }
        guard let text = String(validating: bytes, as: UTF8.self) else { return true }
        return text.unicodeScalars.contains { scalar in
            Self.scalars.contains { $0.contains(scalar.value) }
        }
    }
}
