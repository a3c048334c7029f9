internal import GatePolicy

/// Joins the files of a rule set, and runs the checks that need all of them.
struct RuleSetAssembly {
    let documents: [RulesDocument]
    let problems: Problems
    /// Whether all files could be parsed; if not, a missing name might be in one of the unparsed
    /// files.
    let isComplete: Bool

    /// Returns the joined definition, which is valid only if no problem has been reported.
    func definition(revision: String) -> RuleSetDefinition {
        self.checkSettings()
        let rules = self.documents.flatMap { $0.rules ?? [] }
        let notices = self.documents.flatMap(\.notices)
        let tests = self.documents.flatMap(\.tests)
        self.checkNames(rules.map { Located(value: $0.value.id, place: $0.places.id) }, of: "rule")
        self.checkNames(notices.map(\.name), of: "notice")
        self.checkNames(tests.map(\.name), of: "test")
        let feeds = self.documents.flatMap(\.feeds)
        self.checkNames(feeds.map { Located(value: $0.id, place: $0.place) }, of: "feed")
        let language = self.first(\.defaultLanguage) ?? .english
        let identity = self.first(\.identity) ?? .defaults
        if self.isComplete {
            tests.checkReferences(to: self.documents.flatMap(\.ruleNames), self.problems)
            self.checkReferences(to: notices.map(\.name.value))
            self.checkLanguage(language, of: notices)
            for test in tests { test.request.check(against: identity, self.problems) }
        }
        return RuleSetDefinition(
            revision: revision,
            mode: self.first(\.mode) ?? .enforce,
            defaultLanguage: language,
            identity: identity,
            unidentified: self.first(\.unidentified)?.policy ?? .defaults,
            exemptions: self.documents.flatMap(\.exemptions),
            rules: rules.map(\.value),
            notices: Dictionary(
                firstOf: notices.map { ($0.name.value, NoticeDefinition(texts: $0.texts)) }
            ),
            releases: self.documents.flatMap(\.releases).map(\.value),
            testFlight: self.documents.flatMap(\.testFlight),
            revokedPasses: Set(self.documents.flatMap(\.revokedPasses)),
            answer: self.answer,
            tests: tests.map { RuleTest($0, identity) }
        )
    }

    /// Runs the tests of a rule set that has no problems.
    ///
    /// - Parameters:
    ///   - rules: The rule set.
    ///   - now: The time for tests without `at`.
    /// - Returns: The failures of tests that expect a denial of a client that passes.
    func runTests(of rules: RuleSet, now: Timestamp) -> [RulesFileError] {
        guard !rules.definition.tests.isEmpty else { return [] }
        let names = self.documents.flatMap(\.tests).map(\.name)
        let places = Dictionary(firstOf: names.map { ($0.value, $0.place) })
        var laxer: [RulesFileError] = []
        for failure in rules.runTests(now: now) {
            guard let place = places[failure.test] else { continue }
            let error = RulesFileError(place, "test '\(failure.test)': \(failure.message)")
            if failure.isLaxer { laxer.append(error) } else { self.problems.report(error) }
        }
        return laxer
    }

    /// The format of denials; each of its settings is in at most one file.
    private var answer: AnswerStyle {
        let styles = self.documents.map(\.answer)
        return AnswerStyle(
            status: styles.lazy.compactMap(\.status).first,
            body: styles.lazy.compactMap(\.body).first,
            contentType: styles.lazy.compactMap(\.contentType).first,
            sendsUpgrade: styles.lazy.compactMap(\.sendsUpgrade).first
        )
    }

    private func first<Value>(_ setting: KeyPath<RulesDocument, Value?>) -> Value? {
        self.documents.lazy.compactMap { $0[keyPath: setting] }.first
    }

    private func checkSettings() {
        for key in DocumentDecoder.settings {
            let places = self.documents.compactMap { $0.settings[key] }
            for place in places.dropFirst() {
                self.problems.report("'\(key)' is already set at \(places[0])", at: place)
            }
        }
    }

    private func checkNames(_ names: [Located<String>], of noun: String) {
        var places: [String: Place] = [:]
        for name in names {
            if let first = places[name.value] {
                let message = "there is already a \(noun) '\(name.value)' at \(first)"
                self.problems.report(message, at: name.place)
            } else {
                places[name.value] = name.place
            }
        }
    }

    private func checkReferences(to names: [String]) {
        let known = Set(names)
        for reference in self.documents.flatMap(\.references)
        where !known.contains(reference.value) {
            let hint = Spelling.hint(for: reference.value, among: names)
            let message = "there is no notice '\(reference.value)'\(hint)"
            self.problems.report(message, at: reference.place)
        }
    }

    private func checkLanguage(_ language: LanguageTag, of notices: [RulesDocument.Notice]) {
        for notice in notices where notice.languages?.contains(language) == false {
            let message =
                "the notice '\(notice.name.value)' has no text "
                + "in the default language '\(language)'"
            self.problems.report(message, at: notice.name.place)
        }
    }
}

extension RuleTest {
    init(_ test: RulesDocument.Test, _ identity: IdentitySources) {
        self.init(
            name: test.name.value,
            headers: test.request.headers(by: identity),
            method: test.request.method,
            path: test.request.path,
            at: test.at,
            address: test.request.address,
            expectation: test.expectation.value
        )
    }
}
