internal import GatePolicy

/// Decodes the top level of a file.
struct DocumentDecoder {
    /// The settings that may occur in only one file of a folder.
    static let settings =
        ["mode", "guard", "breaker", "defaultLanguage", "identity", "unidentified"]
        + AnswerDecoder.keys
    static let keys =
        settings + ["exempt", "rules", "notices", "releases", "testFlight", "revokedPasses"]
        + ["tests", "feeds", RulesSerial.key, "$schema"]

    let feedKinds: FeedKinds
    let problems: Problems

    /// Decodes all valid parts; `nil` if the file is not a mapping.
    func decode(_ element: Element) -> RulesDocument? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        var document = RulesDocument()
        for key in Self.settings { document.settings[key] = fields.place(of: key) }
        document.mode = fields["mode"].flatMap { $0.choice(of: RuleMode.self, self.problems) }
        document.guardLimit = fields["guard"].flatMap { $0.shareLimit("guard: 20", self.problems) }
        document.breaker = fields["breaker"].map {
            BreakerSettings($0, self.feedKinds, self.problems)
        }
        document.defaultLanguage = fields["defaultLanguage"].flatMap { $0.language(self.problems) }
        document.identity = fields["identity"]
            .flatMap { IdentityDecoder(problems: self.problems).decode($0) }
        document.unidentified = fields["unidentified"]
            .flatMap { UnidentifiedDecoder(problems: self.problems).decode($0) }
        document.answer = AnswerDecoder(problems: self.problems).decode(fields)
        document.exemptions =
            fields["exempt"]
            .map { ExemptionDecoder(problems: self.problems).decode($0) } ?? []
        document.rules = fields["rules"].map { self.rules($0) }
        document.ruleNames = Self.items(of: fields["rules"])
            .compactMap { $0.text(of: "id")?.value }
        document.notices = fields["notices"].map { self.notices($0) } ?? []
        document.releases = fields["releases"].map { self.releases($0) } ?? []
        document.metadataOfReleases = Self.items(of: fields["releases"])
            .flatMap(\.metadataOfVersion)
        document.testFlight =
            fields["testFlight"]
            .map { TestFlightDecoder(problems: self.problems).decode($0) } ?? []
        document.revokedPasses = fields["revokedPasses"].map { self.passes($0) } ?? []
        document.tests = fields["tests"].map { self.tests($0) } ?? []
        document.references = self.references(fields)
        document.feeds = fields["feeds"].map { self.feeds($0) } ?? []
        document.feedsPlace = fields.place(of: "feeds")
        _ = fields[RulesSerial.key]?.wholeNumber("a serial", self.problems)
        return document
    }

    /// Decodes the feeds only.
    func feeds(of element: Element) -> [FeedDefinition] {
        element.value(of: "feeds").map { self.feeds($0) } ?? []
    }

    private func rules(_ element: Element) -> [RulesDocument.Rule] {
        let decoder = RuleDecoder(problems: self.problems)
        let list = element.list(self.problems, hint: Self.hint(for: element)) ?? []
        return list.compactMap { item in
            decoder.decode(item).map { rule in
                RulesDocument.Rule(
                    value: rule,
                    place: item.scalarPlace(of: "id"),
                    keys: item.keyPlaces,
                    next: item.value(of: "next")?.oneOrMore(Problems()).map(\.keyPlaces) ?? [],
                    accepted: item.value(of: "accept")?.findings(self.problems) ?? [],
                    metadata: item.metadataOfRule
                )
            }
        }
    }

    /// Returns a suffix for the error about `rules` that are not a list.
    private static func hint(for rules: Element) -> String {
        switch rules.content {
        case .mapping(let entries):
            guard let first = entries.first else { return "; write 'rules: []'" }
            // The mapping is either a single rule, or it contains rules by name.
            return entries.contains { $0.key == "id" }
                ? "; begin the rule with a hyphen: '- id: …'"
                : "; begin each rule with a hyphen and its name: '- id: \(first.key)'"
        case .text(let text):
            return "; a file with 'rules: \(text)' is a test suite, for 'versiongate test'"
        case .list, .number, .boolean, .date, .nothing: return ""
        }
    }

    private func notices(_ element: Element) -> [RulesDocument.Notice] {
        let decoder = NoticeDecoder(problems: self.problems)
        return (element.entries(self.problems) ?? []).map { decoder.decode($0) }
    }

    private func releases(_ element: Element) -> [Located<Release>] {
        let decoder = ReleaseDecoder(problems: self.problems)
        return (element.list(self.problems) ?? []).compactMap { item in
            decoder.decode(item).map { Located(value: $0, place: item.place) }
        }
    }

    /// Decodes the IDs of passes.
    private func passes(_ element: Element) -> [Pass.ID] {
        (element.list(self.problems) ?? []).compactMap { item in
            guard let text = item.text("the ID of a pass", self.problems) else { return nil }
            if let id = Pass.ID(parsing: text) { return id }
            // A pass, as sent in its header field, starts with the ID.
            let start = text.lowercased().prefix { $0 != "." }
            let hint = Pass.ID(parsing: start).map { "; write '\($0)'" } ?? ""
            let message =
                "'\(text)' is not the ID of a pass: expected 16 hexadecimal digits in lower case, "
                + "as 'versiongate pass' prints them\(hint)"
            return self.problems.reject(message, at: item.place)
        }
    }

    private func feeds(_ element: Element) -> [FeedDefinition] {
        if self.feedKinds.areSkipped { return [] }
        let decoder = FeedDecoder(kinds: self.feedKinds, problems: self.problems)
        return (element.list(self.problems) ?? []).compactMap { decoder.decode($0) }
    }

    private func tests(_ element: Element) -> [RulesDocument.Test] {
        let decoder = RuleTestDecoder(problems: self.problems)
        return (element.list(self.problems) ?? []).compactMap { decoder.decode($0) }
    }

    /// Returns every `notice` and `recommendedNotice` of a rule, of a `next` and of a feed's
    /// `rule`, and the `notice` of `unidentified`.
    private func references(_ fields: Fields) -> [Located<String>] {
        let unidentified = fields["unidentified"].map { [$0] } ?? []
        let rules =
            Self.items(of: fields["rules"])
            + Self.items(of: fields["rules"])
            .flatMap { $0.value(of: "next")?.oneOrMore(Problems()) ?? [] }
            + Self.items(of: fields["feeds"]).compactMap { $0.value(of: "rule") }
        return rules.compactMap { $0.text(of: "notice") }
            + rules.compactMap { $0.text(of: "recommendedNotice") }
            + unidentified.compactMap { $0.text(of: "notice") }
    }

    private static func items(of list: Element?) -> [Element] {
        guard case .list(let items) = list?.content else { return [] }
        return items
    }
}

extension Element {
    /// Returns the value of a key; other keys are ignored.
    fileprivate func value(of key: String) -> Element? {
        guard case .mapping(let entries) = self.content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// Returns the value of a key if it is a string; other keys are ignored.
    fileprivate func text(of key: String) -> Located<String>? {
        guard let element = self.value(of: key), case .text(let text) = element.content else {
            return nil
        }
        return Located(value: text, place: element.place)
    }

    /// The locations of the keys of a mapping.
    fileprivate var keyPlaces: [String: Place] {
        guard case .mapping(let entries) = self.content else { return [:] }
        return Dictionary(
            entries.map { ($0.key, $0.place) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the location of a key's value, or of the mapping if the key is missing.
    fileprivate func scalarPlace(of key: String) -> Place {
        self.value(of: key)?.place ?? self.place
    }
}

/// Decodes `exempt`: requests that are forwarded without evaluating the rules.
struct ExemptionDecoder {
    let problems: Problems

    func decode(_ element: Element) -> [RequestPattern] {
        (element.list(self.problems) ?? []).flatMap { self.exemption($0) }
    }

    private func exemption(_ element: Element) -> [RequestPattern] {
        let requests = RequestDecoder(problems: self.problems)
        guard case .mapping = element.content else {
            return [requests.pattern(element)].compactMap(\.self)
        }
        guard let fields = Fields(element, ["path", "method"], self.problems) else { return [] }
        if let patterns = requests.decode(fields) { return patterns }
        self.problems.report("an exemption needs 'path' or 'method'", at: element.place)
        return []
    }
}
