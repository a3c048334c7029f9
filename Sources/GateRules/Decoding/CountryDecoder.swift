/// Decodes country codes, from a list or from the keys of a mapping; duplicates are reported.
package struct CountryDecoder {
    let problems: Problems

    package init(problems: Problems) {
        self.problems = problems
    }

    /// Decodes one code, or a list of codes.
    package func codes(_ element: Element) -> [String] {
        self.distinct(element.oneOrMore(self.problems)).map(\.code)
    }

    /// Decodes a mapping from country to value.
    func values(_ element: Element) -> [(code: String, value: Element)] {
        let entries = element.entries(self.problems) ?? []
        if entries.isEmpty, case .mapping = element.content {
            let message = "an empty mapping has no effect; leave out the key"
            self.problems.report(message, at: element.place)
        }
        let keys = entries.map { Element(content: .text($0.key), place: $0.place) }
        return self.distinct(keys).map { ($0.code, entries[$0.index].value) }
    }

    private func distinct(_ elements: [Element]) -> [(code: String, index: Int)] {
        var places: [String: Place] = [:]
        var codes: [(code: String, index: Int)] = []
        for (index, element) in elements.enumerated() {
            guard
                let code = element.parsed(
                    as: "a country code",
                    self.problems,
                    by: CountryCode.init(parsing:)
                )?.text
            else { continue }
            if let first = places[code] {
                let message = "the country '\(code)' is already listed on line \(first.line)"
                self.problems.report(message, at: element.place)
            } else {
                places[code] = element.place
                codes.append((code, index))
            }
        }
        return codes
    }
}

/// The code of a country (ISO 3166-1 alpha-2), in lowercase.
struct CountryCode: Sendable, Hashable {
    /// Codes that are often mistaken for country codes, and that no store uses.
    private static let slips = ["uk": "gb"]

    let text: String

    init(parsing text: String) throws(InvalidText) {
        guard text.wholeMatch(of: /[A-Za-z]{2}/) != nil else {
            throw InvalidText("use a two-letter code, such as 'jp'")
        }
        self.text = text.lowercased()
        if let meant = Self.slips[self.text] { throw InvalidText("did you mean '\(meant)'?") }
    }
}
