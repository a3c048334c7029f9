/// An item of `Accept-Language` (RFC 9110 section 12.5.4): a language and its weight.
package struct LanguageRange: Sendable, Hashable {
    /// The maximum number of items that are parsed; browsers send only a few.
    static let maximumCount = 32

    /// The language; `nil` for `*`, any language.
    package let tag: LanguageTag?
    /// The weight in thousandths, 0 to 1000; 0 excludes the language.
    package let weight: Int

    /// Parses an item; `nil` if it is malformed.
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
    /// The most preferred item is first; items of equal weight keep the client's order. Malformed
    /// items are ignored, so that the other languages still apply.
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
                    // Nearly every list is sorted already.
                    let place = items.lastIndex { $0.weight >= item.weight }.map { $0 + 1 } ?? 0
                    items.insert(item, at: place)
                }
                start = end + 1
            }
        }
        return items
    }

    /// Parses `q=0.8` (RFC 9110 section 12.4.2): up to three decimals, at most 1.
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
