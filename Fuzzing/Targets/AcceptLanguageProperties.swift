import GatePolicy

/// Properties of any bytes as `Accept-Language` lines.
enum AcceptLanguageProperties {
    private static let available = ["en", "ja", "zh-Hant", "pt-BR", "de"]

    static func check(_ input: [UInt8]) throws(Finding) {
        let fields = input.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let ranges = LanguageRange.list(parsing: fields)
        try expect(ranges.count <= 32, "\(ranges.count) items")
        let weights = ranges.map(\.weight)
        try expect(weights.allSatisfy((0...1000).contains), "weights \(weights)")
        try expect(zip(weights, weights.dropFirst()).allSatisfy(>=), "the order of \(weights)")
        for range in ranges { try self.checkTag(range) }
        let printed = ranges.map(self.text).joined(separator: ", ")
        try expect(LanguageRange.list(parsing: [printed]), is: ranges, "\(printed)")
        try self.checkAnswer(to: fields, ranges)
    }

    private static func checkTag(_ range: LanguageRange) throws(Finding) {
        guard let tag = range.tag else { return }
        for text in [tag.description, tag.description.uppercased()] {
            try expect(LanguageTag(text), is: tag, "\(text)")
        }
    }

    private static func text(_ range: LanguageRange) -> String {
        let decimals = String(range.weight % 1000)
        let padded = String(repeating: "0", count: 3 - decimals.utf8.count) + decimals
        return "\(range.tag?.description ?? "*");q=\(range.weight / 1000).\(padded)"
    }

    /// Checks that a denial is in an available language, and in the one with the highest weight.
    private static func checkAnswer(
        to fields: [String],
        _ ranges: [LanguageRange]
    ) throws(Finding) {
        let identity = ClientIdentity(
            version: (try? AppVersion(parsing: "1")).map { .stated($0) } ?? .missing,
            languages: fields
        )
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let decision = Self.rules.decide(identity, in: .unrestricted, at: now, address: nil)
        guard let answer = Self.rules.answer(to: decision, for: identity, at: now) else {
            throw Finding("no answer")
        }
        let language = answer.fields.first { $0.name.lowercased() == "content-language" }?.value
        try expect(language.map(Self.available.contains) ?? false, "in \(language ?? "nothing")")
        guard let first = ranges.first, first.weight > 0, let tag = first.tag?.description,
            Self.available.contains(tag)
        else { return }
        try expect(language ?? "", is: tag, "the language with the highest weight")
    }

    private static let rules: RuleSet = {
        var texts: [LanguageTag: NoticeText] = [:]
        for name in Self.available {
            guard let tag = LanguageTag(name), let words = try? NoticeTemplate(parsing: name) else {
                preconditionFailure("\(name) is no language")
            }
            texts[tag] = NoticeText(title: words, message: words)
        }
        let rule = RuleDefinition(
            id: "a",
            minimum: try? AppVersion(parsing: "2"),
            notice: "upgrade",
            storeURL: StoreURL("https://a.example")
        )
        return RuleSet(
            RuleSetDefinition(
                revision: "1",
                rules: [rule],
                notices: ["upgrade": NoticeDefinition(texts: texts)]
            )
        )
    }()
}
