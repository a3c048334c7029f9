internal import GatePolicy

/// Decodes the top level of a file.
struct DocumentDecoder {
    /// The settings that may occur in only one file in a folder.
    static let settings =
        ["mode", "guard", "breaker", "defaultLanguage", "identity", "unidentified"]
        + AnswerDecoder.keys
    static let keys =
        settings + ["exempt", "rules", "notices", "releases", "testFlight", "revokedPasses"]
        + ["tests", "feeds", RulesSerial.key, "$schema"]

    let feedKinds: FeedKinds
    let problems: Problems

    /// Decodes all valid parts; returns `nil` if the file is not a mapping.
    func decode(_ element: Element) -> RulesDocument? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        var document = RulesDocument()
        for key in Self.settings { document.settings[key] = fields.place(of: key) }
        document.mode = fields.choice("mode", of: RuleMode.self)
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
        document.exemptions = fields.items("exempt").flatMap { self.exemption($0) }
        document.rules = fields["rules"].map { self.rules($0) }
        document.ruleNames = (fields["rules"]?.items ?? []).compactMap { $0.text(of: "id")?.value }
        document.notices = (fields["notices"]?.entries(self.problems) ?? [])
            .map { NoticeDecoder(problems: self.problems).decode($0) }
        document.releases = fields.items("releases").compactMap { item in
            ReleaseDecoder(problems: self.problems).decode(item)
                .map { Located(value: $0, place: item.place) }
        }
        document.metadataOfReleases = (fields["releases"]?.items ?? []).flatMap(\.metadataOfVersion)
        document.testFlight = fields.items("testFlight")
            .compactMap { TestFlightDecoder(problems: self.problems).decode($0) }
        document.revokedPasses = fields.items("revokedPasses").compactMap { self.pass($0) }
        document.tests = fields.items("tests")
            .compactMap { RuleTestDecoder(problems: self.problems).decode($0) }
        document.references = self.references(fields)
        document.feeds = fields["feeds"].map { self.feeds($0) } ?? []
        document.feedsPlace = fields.place(of: "feeds")
        _ = fields[RulesSerial.key]?.wholeNumber("a serial", self.problems)
        return document
    }

    /// Decodes only the feeds.
    func feeds(of element: Element) -> [FeedDefinition] {
        element["feeds"].map { self.feeds($0) } ?? []
    }

    private func rules(_ element: Element) -> [RulesDocument.Rule] {
        let decoder = RuleDecoder(problems: self.problems)
        let list = element.list(self.problems, hint: Self.hint(for: element)) ?? []
        return list.compactMap { item in
            guard let rule = decoder.decode(item) else { return nil }
            let places = RulesPlaces.Rule(
                id: (item["id"] ?? item).place,
                keys: item.keyPlaces,
                nextKeys: item["next"]?.listed.map(\.keyPlaces) ?? [],
                accepted: item["accept"]?.findings(self.problems) ?? [],
                metadata: item.metadataOfRule
            )
            return RulesDocument.Rule(value: rule, places: places)
        }
    }

    /// Returns a suffix for the error about a `rules` value that is not a list.
    private static func hint(for rules: Element) -> String {
        switch rules.content {
        case .mapping(let entries):
            guard let first = entries.first else { return "; write 'rules: []'" }
            // The mapping is either a single rule or a set of rules by name.
            return entries.contains { $0.key == "id" }
                ? "; begin the rule with a hyphen: '- id: …'"
                : "; begin each rule with a hyphen and its name: '- id: \(first.key)'"
        case .text(let text):
            return "; a file with 'rules: \(text)' is a test suite, for 'versiongate test'"
        case .nothing: return "; write 'rules: []' if this is intended"
        case .list, .number, .boolean, .date: return ""
        }
    }

    /// Decodes the ID of a pass.
    private func pass(_ element: Element) -> Pass.ID? {
        guard let text = element.text("a pass ID", self.problems) else { return nil }
        if let id = Pass.ID(parsing: text) { return id }
        // A pass, as sent in its header field, starts with the ID.
        let start = text.lowercased().prefix { $0 != "." }
        let hint = Pass.ID(parsing: start).map { "; write '\($0)'" } ?? ""
        let message =
            "'\(text)' is not a pass ID: expected 16 lowercase hexadecimal digits, "
            + "as printed by 'versiongate pass'\(hint)"
        return self.problems.reject(message, at: element.place)
    }

    /// Decodes an entry of `exempt`: requests that are forwarded without evaluating the rules.
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

    private func feeds(_ element: Element) -> [FeedDefinition] {
        if self.feedKinds.areSkipped { return [] }
        let decoder = FeedDecoder(kinds: self.feedKinds, problems: self.problems)
        return (element.list(self.problems) ?? []).compactMap { decoder.decode($0) }
    }

    /// Returns every `notice` and `recommendedNotice` of a rule, of a `next` and of a feed's
    /// `rule`, and the `notice` of `unidentified`.
    private func references(_ fields: Fields) -> [Located<String>] {
        let rules = fields["rules"]?.items ?? []
        let next = rules.flatMap { $0["next"]?.listed ?? [] }
        let feedRules = (fields["feeds"]?.items ?? []).compactMap { $0["rule"] }
        let entries = rules + next + feedRules
        return entries.compactMap { $0.text(of: "notice") }
            + entries.compactMap { $0.text(of: "recommendedNotice") }
            + [fields["unidentified"]?.text(of: "notice")].compactMap(\.self)
    }
}

extension Element {
    /// Returns the value of a key if it is a string; other keys are ignored.
    fileprivate func text(of key: String) -> Located<String>? {
        guard let element = self[key], case .text(let text) = element.content else { return nil }
        return Located(value: text, place: element.place)
    }

    /// The locations of the keys of a mapping.
    fileprivate var keyPlaces: [String: Place] {
        Dictionary(firstOf: self.entries.map { ($0.key, $0.place) })
    }
}
