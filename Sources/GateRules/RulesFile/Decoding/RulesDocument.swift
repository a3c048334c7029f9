internal import GatePolicy

/// The content of one file, with the locations that checks across files need.
struct RulesDocument: Sendable {
    /// A notice with its texts.
    struct Notice: Sendable {
        let name: Located<String>
        /// The languages of the notice; `nil` if the notice could not be decoded.
        let languages: Set<LanguageTag>?
        /// The valid texts for each language.
        let texts: [LanguageTag: NoticeText]
    }

    /// A rule and its locations.
    struct Rule: Sendable {
        var value: RuleDefinition
        let places: RulesPlaces.Rule
    }

    /// The policy for unidentified clients, and the locations of its `paths`.
    struct Unidentified: Sendable {
        let policy: UnidentifiedPolicy
        let paths: [Place]
    }

    /// A test before its identity is mapped to header fields, which another file may configure.
    struct Test: Sendable {
        let name: Located<String>
        let at: Timestamp?
        let request: TestRequest
        let expectation: Expectation
    }

    /// The expectation of a test, with the rules that it refers to.
    struct Expectation: Sendable {
        let value: RuleExpectation
        let references: [RuleReference]
    }

    /// A rule that a test refers to.
    struct RuleReference: Sendable {
        let id: Located<String>
        /// The value that is allowed instead of the ID of a rule.
        let alternative: String
    }

    /// The locations of the rule set's settings in this file, by key.
    var settings: [String: Place] = [:]
    var mode: RuleMode?
    /// The maximum share of clients that a change may newly deny.
    var guardLimit: GuardLimit?
    var breaker: BreakerSettings?
    var defaultLanguage: LanguageTag?
    var identity: IdentitySources?
    var unidentified: Unidentified?
    /// The format of denials, as set in this file.
    var answer = AnswerStyle.standard
    var exemptions: [RequestPattern] = []
    /// The rules; `nil` if the file has no list of rules.
    var rules: [Rule]?
    /// The IDs of all rules, including invalid ones, so that references from tests to them are
    /// valid.
    var ruleNames: [String] = []
    /// All notices, including invalid ones, so that references to them are valid.
    var notices: [Notice] = []
    var releases: [Located<Release>] = []
    /// The build metadata in the versions of releases.
    var metadataOfReleases: [Located<StatedMetadata>] = []
    var testFlight: [TestFlightApp] = []
    var revokedPasses: [Pass.ID] = []
    var tests: [Test] = []
    /// The names of notices that the file refers to.
    var references: [Located<String>] = []
    var feeds: [FeedDefinition] = []
    /// The location of the key `feeds`.
    var feedsPlace: Place?

    /// The document with all rules in observe mode.
    var observed: RulesDocument {
        var document = self
        for index in document.rules?.indices ?? 0..<0 {
            document.rules?[index].value.observe()
        }
        return document
    }
}

/// The maximum share of clients that a change may newly deny without explicit acceptance.
enum GuardLimit: Sendable, Equatable {
    case off
    /// A share from 0 to 1.
    case share(Double)

    static let standard = GuardLimit.share(0.2)
}

extension Element {
    /// Decodes a share of clients; `example` is shown in the error.
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
        let expected = "a percentage above 0 and up to 100, such as '\(example)', or 'off'"
        return self.reject(expected: expected, problems)
    }
}

extension [RulesDocument.Test] {
    /// Reports tests that refer to a rule that does not exist.
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
