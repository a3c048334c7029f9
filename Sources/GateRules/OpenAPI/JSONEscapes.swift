/// JSON escapes that YAML does not support.
enum JSONEscapes {
    private static let backslash = UInt8(ascii: "\\")

    /// Rewrites JSON surrogate pairs (`\ud83d\ude00`) as YAML escapes (`\U0001f600`).
    static func withoutSurrogates(_ bytes: [UInt8]) -> [UInt8] {
        // Only JSON is rewritten: in YAML, a backslash outside quotes is literal.
        guard bytes.first(where: { !$0.isJSONBlank }) == UInt8(ascii: "{") else { return bytes }
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == self.backslash, index + 1 < bytes.count else {
                written.append(bytes[index])
                index += 1
                continue
            }
            if let high = self.unit(bytes, at: index), 0xD800...0xDBFF ~= high,
                let low = self.unit(bytes, at: index + 6), 0xDC00...0xDFFF ~= low
            {
                let scalar = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
                let digits = String(scalar, radix: 16)
                let padding = String(repeating: "0", count: 8 - digits.utf8.count)
                written += Array("\\U\(padding)\(digits)".utf8)
                index += 12
            } else {
                written += bytes[index...(index + 1)]
                index += 2
            }
        }
        return written
    }

    /// Returns the code unit of a `\uXXXX` escape.
    private static func unit(_ bytes: [UInt8], at index: Int) -> Int? {
        guard index + 6 <= bytes.count, bytes[index] == self.backslash,
            bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        return Int(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool {
        switch self {
        case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: true
        default: false
        }
    }
}
