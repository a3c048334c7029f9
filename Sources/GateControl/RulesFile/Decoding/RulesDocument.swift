internal import GatePolicy

/// What one file says, with the places that checks across files need.
struct RulesDocument {
    /// The words under one name.
    struct Notice {
        let name: Located<String>
        /// The languages that the notice names; `nil` if that could not be read.
        let languages: Set<LanguageTag>?
        /// What could be read in these languages.
        let texts: [LanguageTag: NoticeText]
    }

    /// The settings of the whole rule set that the file makes, by their key.
    var settings: [String: Place] = [:]
    var defaultLanguage: LanguageTag?
    var identity: IdentitySources?
    var unidentified: UnidentifiedPolicy?
    var exemptions: [RequestPattern] = []
    /// `nil` if the file has no list of rules.
    var rules: [Located<RuleDefinition>]?
    /// Every notice, those that could not be read included: a reference to one of them is right.
    var notices: [Notice] = []
    /// The names of notices that the file mentions.
    var references: [Located<String>] = []
}
