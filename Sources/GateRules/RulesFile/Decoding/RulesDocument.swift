internal import GatePolicy

/// The content of one file, with the places that checks across files need.
struct RulesDocument: Sendable {
    /// The words under one name.
    struct Notice: Sendable {
        let name: Located<String>
        /// The languages that the notice names; `nil` if that could not be read.
        let languages: Set<LanguageTag>?
        /// The words that could be read in these languages.
        let texts: [LanguageTag: NoticeText]
    }

    /// A rule, and where it and its keys stand.
    struct Rule: Sendable {
        var value: RuleDefinition
        let place: Place
        let keys: [String: Place]
        /// The places of the keys of each `next`.
        var next: [[String: Place]] = []
        /// The findings that the rule accepts.
        var accepted: [Located<FindingName>] = []
        /// The build metadata in its versions.
        var metadata: [Located<StatedMetadata>] = []
    }

    /// The treatment of unidentified clients, and the places of its `paths`, one by one.
    struct Unidentified: Sendable {
        let policy: UnidentifiedPolicy
        let paths: [Place]
    }

    /// A test whose request does not know its headers yet: another file may name them.
    struct Test: Sendable {
        let name: Located<String>
        let at: Timestamp?
        let request: TestRequest
        let expectation: Expectation
    }

    /// The expectation of a test, with the rules that it names.
    struct Expectation: Sendable {
        let value: RuleExpectation
        let references: [RuleReference]
    }

    /// A rule that a test names.
    struct RuleReference: Sendable {
        let id: Located<String>
        /// The word that may stand in place of a rule.
        let alternative: String
    }

    /// The settings of the whole rule set that the file makes, by their key.
    var settings: [String: Place] = [:]
    var mode: RuleMode?
    /// The share of clients that a change may newly refuse.
    var guardLimit: GuardLimit?
    var breaker: BreakerSettings?
    var defaultLanguage: LanguageTag?
    var identity: IdentitySources?
    var unidentified: Unidentified?
    /// How denials are dressed, as far as this file says it.
    var answer = AnswerStyle.standard
    var exemptions: [RequestPattern] = []
    /// `nil` if the file has no list of rules.
    var rules: [Rule]?
    /// The id of every rule, those that could not be read included: a test that names one is right.
    var ruleNames: [String] = []
    /// Every notice, those that could not be read included: a reference to one of them is right.
    var notices: [Notice] = []
    var releases: [Located<Release>] = []
    /// The build metadata in the versions of releases.
    var metadataOfReleases: [Located<StatedMetadata>] = []
    var testFlight: [TestFlightApp] = []
    var tests: [Test] = []
    /// The names of notices that the file mentions.
    var references: [Located<String>] = []
    var feeds: [FeedDefinition] = []
    /// The place of the key `feeds`.
    var feedsPlace: Place?

    /// The same, with rules that are only counted and logged.
    var observed: RulesDocument {
        var document = self
        for index in document.rules?.indices ?? 0..<0 {
            document.rules?[index].value.observe()
        }
        return document
    }
}

/// The share of clients that a change may newly refuse without being accepted.
enum GuardLimit: Sendable, Equatable {
    case off
    /// From 0 to 1.
    case share(Double)

    static let standard = GuardLimit.share(0.2)
}

extension Element {
    /// Reads a share of clients; `example`: how it may be written.
    func shareLimit(_ example: String, _ problems: Problems) -> GuardLimit? {
        switch self.content {
        case .number(let text):
            if let percent = Double(text), percent > 0, percent <= 100 {
                return .share(percent / 100)
            }
        case .boolean(let text), .text(let text):
            if text.lowercased() == "off" { return .off }
        case .date, .nothing, .list, .mapping: break
        }
        problems.report(
            "expected a percentage above 0 and up to 100, such as '\(example)', or 'off', "
                + "found \(self.found)",
            at: self.place
        )
        return nil
    }
}

extension [RulesDocument.Test] {
    /// Reports the tests that expect a rule which is not there.
    func checkReferences(to rules: [String], _ problems: Problems) {
        let known = Set(rules)
        for reference in self.flatMap(\.expectation.references) {
            let name = reference.id.value
            guard !known.contains(name), name != reference.alternative else { continue }
            let hint = Spelling.hint(for: name, among: rules + [reference.alternative])
            let message = "there is no rule '\(name)'\(hint)"
            problems.report(message, at: reference.id.place)
        }
    }
}
