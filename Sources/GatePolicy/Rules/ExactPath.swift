/// A path that every backend reads alike, in one spelling.
///
/// Normalised as in RFC 3986 section 6.2.2: unreserved characters are decoded, other triplets have
/// upper-case digits, `.` segments are gone.
struct ExactPath {
    let bytes: [UInt8]

    /// Normalises a path without its query; `nil` if backends could disagree about it.
    init?(_ path: [UInt8]) {
        guard let spelled = Self.spelled(path), spelled.first == UInt8(ascii: "/") else {
            return nil
        }
        let segments = spelled.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            // Some backends resolve `..`, some take it as a name, some refuse it.
            if segment == [0x2E, 0x2E] || (segment.isEmpty && !isLast) { return nil }
            if segment != [0x2E] {
                kept.append(segment)
            } else if isLast {
                kept.append([])
            }
        }
        self.bytes = kept.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    private static func spelled(_ path: [UInt8]) -> [UInt8]? {
        var spelled: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard !Self.isAmbiguous(byte) else { return nil }
                if byte < 0x80 {
                    spelled.append(byte)
                } else {
                    PercentEncoding.append(byte, to: &spelled)
                }
                continue
            }
            guard let octet = PercentEncoding.octet(rest), !Self.isAmbiguous(octet),
                // A backend that decodes twice would go on from here.
                octet != UInt8(ascii: "/"), octet != UInt8(ascii: "%")
            else { return nil }
            rest = rest.dropFirst(2)
            if PercentEncoding.isUnreserved(octet) {
                spelled.append(octet)
            } else {
                PercentEncoding.append(octet, to: &spelled)
            }
        }
        return spelled
    }

    /// Whether some backends cut, split or refuse a path at this byte.
    private static func isAmbiguous(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"): true
        default: false
        }
    }
}
