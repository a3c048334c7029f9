internal import GatePolicy
internal import GateRules

/// A rules file that is generated from the data of a source.
struct FeedDocument {
    var rules: [JSONValue] = []
    var notices: [JSONValue.Member] = []
    var releases: [JSONValue] = []
    var testFlight: [JSONValue] = []
    /// Remarks for operators about the interpretation of the data.
    var notes: [String] = []

    /// The rules file as JSON, which is valid YAML.
    var text: String {
        var members = [JSONValue.Member("rules", .list(self.rules))]
        if !self.notices.isEmpty { members.append(.init("notices", .object(self.notices))) }
        if !self.releases.isEmpty { members.append(.init("releases", .list(self.releases))) }
        if !self.testFlight.isEmpty { members.append(.init("testFlight", .list(self.testFlight))) }
        return JSONValue.object(members).rendered + "\n"
    }

    /// Adds a rule with a source's requirements (`members`), store URL and texts.
    mutating func add(
        _ id: String,
        _ members: [JSONValue.Member],
        link: String?,
        _ words: FeedTexts,
        like template: FeedRuleTemplate,
        in language: LanguageTag
    ) {
        var members = members
        if let link { members.append(.init("storeUrl", .text(link))) }
        self.add(words, as: id, to: &members, in: language)
        self.rules.append(template.rule(id, members))
    }

    /// Adds a maintenance rule, whose ID is derived from `id`, the ID of the rule with floors.
    ///
    /// - Throws: `FeedFailure` if the window is invalid.
    mutating func add(
        _ maintenance: SourceMaintenance,
        id: String,
        like template: FeedRuleTemplate,
        in language: LanguageTag
    ) throws(FeedFailure) {
        let window: MaintenanceWindow?
        do throws(SourceValue.Fault) {
            window = try maintenance.window()
        } catch {
            throw .fault(error, at: SourceMaintenance.switchField)
        }
        guard let window else { return }
        let name = "\(id)-maintenance"
        var members = [JSONValue.Member("maintenance", JSONValue(window))]
        self.add(maintenance.words, as: name, to: &members, in: language)
        self.rules.append(template.maintenance(name, members))
    }

    /// Adds a notice with the texts, and a member that refers to the notice.
    private mutating func add(
        _ words: FeedTexts,
        as name: String,
        to members: inout [JSONValue.Member],
        in language: LanguageTag
    ) {
        if words.lacks(language) {
            self.notes.append(
                "the texts of '\(name)' are not used: none is in '\(language)', the feed's 'language'"
            )
        }
        guard let notice = words.notice(in: language) else { return }
        self.notices.append(.init(name, notice))
        members.append(.init("notice", .text(name)))
    }
}

extension JSONValue {
    fileprivate init(_ window: MaintenanceWindow) {
        guard let from = window.from, let until = window.until else {
            self = .boolean(true)
            return
        }
        self = .object([
            Member("from", .text("\(from)")), Member("until", .text("\(until)")),
        ])
    }
}
