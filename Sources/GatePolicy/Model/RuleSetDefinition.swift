/// The contents of a rules file as typed values, before compilation.
///
/// A loader creates definitions, and `RuleSet.init(_:)` compiles them. The loader reports all
/// errors in the file, with their locations, before it creates a definition.
package struct RuleSetDefinition: Sendable, Equatable {
    /// The revision of the rules, which all denials contain: a hash of the sources.
    package var revision: String
    /// The mode of all rules.
    ///
    /// `observe` disables all denials, but not hints.
    package var mode: RuleMode
    /// The language for clients that accept none of the available languages.
    package var defaultLanguage: LanguageTag
    /// The header fields, query parameters and patterns from which the client identity is read.
    package var identity: IdentitySources
    /// The policy for unidentified clients.
    package var unidentified: UnidentifiedPolicy
    /// The requests that are exempt from evaluation.
    package var exemptions: [RequestPattern]
    /// The rules, in the order of the file.
    package var rules: [RuleDefinition]
    /// The notices, by name.
    package var notices: [String: NoticeDefinition]
    /// The releases that stores have or will have.
    package var releases: [Release]
    /// The apps that have builds for testers.
    package var testFlight: [TestFlightApp]
    /// The passes that are no longer valid.
    package var revokedPasses: Set<Pass.ID>
    /// The default format of denials, for rules that do not define their own format.
    package var answer: AnswerStyle
    /// The tests that must pass before the rules are applied.
    package var tests: [RuleTest]

    package init(
        revision: String,
        mode: RuleMode = .enforce,
        defaultLanguage: LanguageTag = .english,
        identity: IdentitySources = .defaults,
        unidentified: UnidentifiedPolicy = .defaults,
        exemptions: [RequestPattern] = [],
        rules: [RuleDefinition] = [],
        notices: [String: NoticeDefinition] = [:],
        releases: [Release] = [],
        testFlight: [TestFlightApp] = [],
        revokedPasses: Set<Pass.ID> = [],
        answer: AnswerStyle = .standard,
        tests: [RuleTest] = []
    ) {
        self.revision = revision
        self.mode = mode
        self.defaultLanguage = defaultLanguage
        self.identity = identity
        self.unidentified = unidentified
        self.exemptions = exemptions
        self.rules = rules
        self.notices = notices
        self.releases = releases
        self.testFlight = testFlight
        self.revokedPasses = revokedPasses
        self.answer = answer
        self.tests = tests
    }

    /// All rules, each followed by the entries of its `next`.
    package var rulesWithNext: [RuleDefinition] {
        self.rules.contains { !$0.next.isEmpty } ? self.rules.flatMap(\.withNext) : self.rules
    }

    /// The store URLs of all rules and of the policy for unidentified clients.
    var storeURLs: [StoreURL] {
        (self.rulesWithNext.map(\.storeURL) + [self.unidentified.storeURL]).compactMap(\.self)
    }
}
