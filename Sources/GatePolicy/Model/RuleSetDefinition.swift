/// Everything that a rules file says, as typed values and before compilation.
///
/// A definition is what a loader produces and what `RuleSet.init(_:)` compiles. Whatever can be
/// wrong in a file has been refused by the loader, with its place, before a definition exists.
package struct RuleSetDefinition: Sendable, Equatable {
    /// Names one revision of the rules, shown in every denial; a hash of the sources.
    package var revision: String
    /// Whether anything is enforced at all; `observe` stops every denial at once, and hints go on.
    package var mode: RuleMode
    /// The language that is used when none of the client's languages is there.
    package var defaultLanguage: LanguageTag
    /// The headers and patterns that a client's identity is read from.
    package var identity: IdentitySources
    /// The treatment of clients that do not say who they are.
    package var unidentified: UnidentifiedPolicy
    /// Requests that are never judged.
    package var exemptions: [RequestPattern]
    /// The rules, in the order of the file.
    package var rules: [RuleDefinition]
    /// The texts that clients show, by their name.
    package var notices: [String: NoticeDefinition]
    /// The releases that the stores have.
    package var releases: [Release]
    /// The apps that testers have.
    package var testFlight: [TestFlightApp]
    /// How denials are dressed where their rule does not say it.
    package var answer: AnswerStyle
    /// The decisions that the rules must make, or they are not loaded.
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
        self.answer = answer
        self.tests = tests
    }

    /// Every rule, each followed by its `next`.
    package var rulesWithNext: [RuleDefinition] {
        self.rules.contains { !$0.next.isEmpty } ? self.rules.flatMap(\.withNext) : self.rules
    }
}
