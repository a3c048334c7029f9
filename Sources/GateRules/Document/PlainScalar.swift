extension Element.Content {
    private static let truthValues: Set<String> = ["yes", "no", "true", "false", "on", "off"]

    /// Classifies a scalar without quotes.
    ///
    /// YAML 1.1 and 1.2 disagree on `yes`, `0o7` and other scalars. A scalar that either version
    /// resolves to something other than a string must be quoted where a string is expected.
    init(plain text: String) {
        let folded = text.utf8.count <= 5 ? text.lowercased() : ""
        if text.isEmpty || text == "~" || folded == "null" {
            self = .nothing
        } else if Self.truthValues.contains(folded) {
            self = .boolean(text)
        } else if PlainNumber.isNumber(text) {
            self = .number(text)
        } else if PlainNumber.isDate(text) {
            self = .date(text)
        } else {
            self = .text(text)
        }
    }
}

/// Recognizes numbers and dates byte by byte: a file may contain a hundred thousand of them.
private struct PlainNumber {
    private var rest: Substring.UTF8View

    /// Whether the string is a number, such as `-1_000`, `1.10`, `.5`, `1e3`, `0x1F`, `0o17`, `0b1`,
    /// `.inf` or `.nan`.
    static func isNumber(_ text: String) -> Bool {
        var number = PlainNumber(rest: text[...].utf8)
        if number.skip("+-", atMost: 1) == 0, text.lowercased() == ".nan" { return true }
        if Substring(number.rest).lowercased() == ".inf" { return true }
        return number.isBased || number.isDecimal
    }

    /// Whether the string is a date such as `2026-07-01`, alone or followed by a time.
    static func isDate(_ text: String) -> Bool {
        var date = PlainNumber(rest: text[...].utf8)
        guard date.skip("0123456789", atMost: 5) == 4, date.skip("-", atMost: 1) == 1,
            (1...2).contains(date.skip("0123456789", atMost: 3)), date.skip("-", atMost: 1) == 1,
            (1...2).contains(date.skip("0123456789", atMost: 3))
        else { return false }
        return date.rest.isEmpty || date.skip("Tt \t", atMost: 1) == 1
    }

    private var isBased: Bool {
        var number = self
        guard number.skip("0", atMost: 1) == 1, number.skip("xob", atMost: 1) == 1 else {
            return false
        }
        return number.skip("0123456789abcdefABCDEF_") > 0 && number.rest.isEmpty
    }

    private var isDecimal: Bool {
        var number = self
        let whole = number.skip("0123456789_")
        let fraction = number.skip(".", atMost: 1) == 1 ? number.skip("0123456789_") : 0
        guard whole + fraction > 0, self.rest.first != UInt8(ascii: "_") else { return false }
        guard number.skip("eE", atMost: 1) == 1 else { return number.rest.isEmpty }
        _ = number.skip("+-", atMost: 1)
        return number.skip("0123456789") > 0 && number.rest.isEmpty
    }

    /// Skips bytes that are in a set, and returns the number of skipped bytes.
    private mutating func skip(_ bytes: StaticString, atMost limit: Int = .max) -> Int {
        let set = bytes.description.utf8
        var count = 0
        while count < limit, let byte = self.rest.first, set.contains(byte) {
            self.rest.removeFirst()
            count += 1
        }
        return count
    }
}
