internal import GatePolicy

/// Reads the top level of one file.
struct DocumentDecoder {
    /// Settings that only one file of a folder may make.
    static let settings = ["defaultLanguage", "identity", "unidentified"]
    static let keys = settings + ["exempt", "rules", "notices", "$schema"]
    static let later = ["tests", "feeds", "body", "status", "upgradeHeader"]

    let problems: Problems

    /// Reads what there is; `nil` if the file is not a mapping.
    func decode(_ element: Element) -> RulesDocument? {
        let fields = Fields(element, keys: Self.keys, later: Self.later, problems: self.problems)
        guard let fields else { return nil }
        var document = RulesDocument()
        for key in Self.settings { document.settings[key] = fields.place(of: key) }
        document.defaultLanguage = fields["defaultLanguage"].flatMap { self.language($0) }
        document.identity = fields["identity"]
            .flatMap { IdentityDecoder(problems: self.problems).decode($0) }
        document.unidentified = fields["unidentified"]
            .flatMap { UnidentifiedDecoder(problems: self.problems).decode($0) }
        document.exemptions =
            fields["exempt"]
            .map { ExemptionDecoder(problems: self.problems).decode($0) } ?? []
        document.rules = fields["rules"].map { self.rules($0) }
        document.notices = fields["notices"].map { self.notices($0) } ?? []
        document.references = self.references(fields)
        return document
    }

    private func language(_ element: Element) -> LanguageTag? {
        guard let text = element.text("a language tag", self.problems) else { return nil }
        if let language = LanguageTag(text) { return language }
        let message = "'\(text)' is not a language tag such as 'en' or 'zh-Hant'"
        self.problems.report(message, at: element.place)
        return nil
    }

    private func rules(_ element: Element) -> [Located<RuleDefinition>] {
        let decoder = RuleDecoder(problems: self.problems)
        return (element.list(self.problems) ?? []).compactMap { item in
            decoder.decode(item).map { Located(value: $0, place: item.scalarPlace(of: "id")) }
        }
    }

    private func notices(_ element: Element) -> [RulesDocument.Notice] {
        let decoder = NoticeDecoder(problems: self.problems)
        return (element.entries(self.problems) ?? []).map { decoder.decode($0) }
    }

    /// Every `notice` of a rule and of `unidentified`.
    private func references(_ fields: Fields) -> [Located<String>] {
        var users: [Element] = [fields["unidentified"]].compactMap(\.self)
        if case .list(let rules) = fields["rules"]?.content { users += rules }
        return users.compactMap { user in
            guard let element = user.value(of: "notice"), case .text(let name) = element.content
            else { return nil }
            return Located(value: name, place: element.place)
        }
    }
}

extension Element {
    /// The value of a key, without a check of what else is there.
    fileprivate func value(of key: String) -> Element? {
        guard case .mapping(let entries) = self.content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// The place of a key's value, or else of the whole.
    fileprivate func scalarPlace(of key: String) -> Place {
        self.value(of: key)?.place ?? self.place
    }
}
