/// An item of `Accept-Language` (RFC 9110 section 12.5.4): a language and its weight.
package struct LanguageRange: Sendable, Hashable {
    /// The maximum number of items that are parsed.
    ///
    /// Browsers send only a few items.
    static let maximumCount = 32

    /// The language; `nil` if the item is `*`, which matches any language.
    package let tag: LanguageTag?
    /// The weight in thousandths, from 0 to 1000; 0 excludes the language.
    package let weight: Int

    /// Parses an item; returns `nil` if the item is malformed.
    init?(_ item: Span<UInt8>) {
        let semicolon = item.firstIndex(of: UInt8(ascii: ";"))
        let name = item.withoutBlanks(0..<(semicolon ?? item.count))
        if name.count == 1, item[name.lowerBound] == UInt8(ascii: "*") {
            self.tag = nil
        } else {
            guard let tag = LanguageTag(item.extracting(name)) else { return nil }
            self.tag = tag
        }
        guard let semicolon else {
            self.weight = 1000
            return
        }
        let parameter = item.withoutBlanks(semicolon + 1..<item.count)
        guard let weight = Self.weight(item.extracting(parameter)) else { return nil }
        self.weight = weight
    }

    /// Parses all values of the field.
    ///
    /// The items are sorted by preference, most preferred first. Items of equal weight keep the
    /// client's order. Malformed items are ignored, so that the other languages still apply.
    package static func list(parsing fields: [String]) -> [LanguageRange] {
        var items: [LanguageRange] = []
        var count = 0
        for field in fields {
            let text = field.utf8Span.span
            var start = 0
            while start < text.count {
                var end = start
                while end < text.count, text[end] != UInt8(ascii: ",") { end += 1 }
                if end > start { count += 1 }
                guard count <= Self.maximumCount else { return items }
                if let item = LanguageRange(text.extracting(start..<end)) {
                    // The search starts at the end, because nearly every list is already sorted.
                    let place = items.lastIndex { $0.weight >= item.weight }.map { $0 + 1 } ?? 0
                    items.insert(item, at: place)
                }
                start = end + 1
            }
        }
        return items
    }

    /// Returns the weight that a parameter such as `q=0.8` sets, in thousandths (RFC 9110 section
    /// 12.4.2).
    ///
    /// Returns `nil` for a malformed parameter, for more than three decimal places, or for a weight
    /// above 1.
    private static func weight(_ text: Span<UInt8>) -> Int? {
        guard 3...7 ~= text.count, text[0].lowercased == UInt8(ascii: "q"),
            text[1] == UInt8(ascii: "="), text[2] == 0x30 || text[2] == 0x31,
            text.count == 3 || text[3] == UInt8(ascii: ".")
        else { return nil }
        var weight = Int(text[2] - 0x30)
        for place in 4..<7 {
            let digit = place < text.count ? text[place] : 0x30
            guard digit.isDigit else { return nil }
            weight = weight * 10 + Int(digit - 0x30)
        }
        return weight <= 1000 ? weight : nil
    }
}
