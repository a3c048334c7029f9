/// One item of `Accept-Language` (RFC 9110 section 12.5.4): a language and how much it is wanted.
package struct LanguageRange: Sendable, Hashable {
    /// The largest number of items that are read; browsers send a handful.
    static let maximumCount = 32

    /// The language; `nil` for `*`, any language.
    package let tag: LanguageTag?
    /// The weight in thousandths, 0 to 1000; 0 excludes the language.
    package let weight: Int

    /// Reads one item; `nil` if it is malformed.
    init?(_ item: Substring) {
        let parts = item.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Substring($0).trimmingBlanks }
        guard let name = parts.first, parts.count <= 2 else { return nil }
        if name == "*" {
            self.tag = nil
        } else {
            guard let tag = LanguageTag(name.utf8) else { return nil }
            self.tag = tag
        }
        guard parts.count == 2 else {
            self.weight = 1000
            return
        }
        guard let weight = Self.weight(parts[1]) else { return nil }
        self.weight = weight
    }

    /// Reads whole fields, best item first; among equals the order of the client stays.
    ///
    /// Malformed items are ignored: a client is not denied its language for a slip elsewhere.
    package static func list(parsing fields: [String]) -> [LanguageRange] {
        let count = Self.maximumCount
        let items = fields.prefix(count)
            .flatMap { $0.utf8.split(separator: UInt8(ascii: ","), maxSplits: count).prefix(count) }
            .prefix(count)
            .compactMap { LanguageRange(Substring($0)) }
        // The standard library documents no stable sort: the position decides among equals.
        return items.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element)
    }

    /// Reads `q=0.8` (RFC 9110 section 12.4.2): up to three decimals, at most 1.
    private static func weight(_ parameter: Substring) -> Int? {
        let bytes = Array(parameter.utf8.prefix(8))
        guard bytes.count >= 3, bytes[0].lowercased == UInt8(ascii: "q"),
            bytes[1] == UInt8(ascii: "="), bytes[2] == 0x30 || bytes[2] == 0x31
        else { return nil }
        let decimals = bytes[3...].dropFirst()
        guard bytes.count == 3 || bytes[3] == UInt8(ascii: "."), decimals.count <= 3,
            decimals.allSatisfy(\.isDigit)
        else { return nil }
        let padded = decimals + Array(repeating: 0x30, count: 3 - decimals.count)
        let weight = padded.reduce(Int(bytes[2] - 0x30)) { $0 * 10 + Int($1 - 0x30) }
        return weight <= 1000 ? weight : nil
    }
}
