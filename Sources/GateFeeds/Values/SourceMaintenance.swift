internal import GatePolicy
internal import GateRules

/// The maintenance settings of a source: a switch, a window, or both.
struct SourceMaintenance: Equatable {
    /// The fields with maintenance settings; each is only read if `fields` maps it.
    static let switchField = "maintenance"
    static let fromField = "maintenanceFrom"
    static let untilField = "maintenanceUntil"
    static let titleField = "maintenanceTitle"
    static let messageField = "maintenanceMessage"
    static let fields = [switchField, fromField, untilField, titleField, messageField]

    /// Whether the switch is on; `nil` if the source has none.
    var isOn: Bool?
    var from: Timestamp?
    var until: Timestamp?
    var words = FeedTexts()

    /// Returns the maintenance window; `nil` if there is none.
    ///
    /// - Throws: `SourceValue.Fault` if only one bound is set, or if the end is not after the
    ///   start.
    func window() throws(SourceValue.Fault) -> MaintenanceWindow? {
        guard self.isOn ?? true else { return nil }
        switch (self.from, self.until) {
        case (nil, nil):
            return self.isOn == true ? .open : nil
        case (let from?, let until?):
            guard from < until else {
                throw .unfit("ends at \(until), which is not after \(from)")
            }
            return MaintenanceWindow(from: from, until: until)
        case (nil, let until?):
            // An end without a start is invalid, even if the switch is on.
            throw .unfit("ends at \(until), and has no start")
        case (let from?, nil):
            throw .unfit("starts at \(from), and has no end")
        }
    }

    /// Decodes the value of the switch: a Boolean, or an object with all maintenance settings.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - language: The language of its texts.
    /// - Returns: The maintenance settings.
    /// - Throws: `SourceValue.Fault` for other values.
    static func reading(
        _ value: JSONValue,
        in language: LanguageTag
    ) throws(SourceValue.Fault) -> SourceMaintenance {
        var maintenance = SourceMaintenance()
        guard case .object(let members) = value else {
            maintenance.isOn = try SourceValue.isOn(value)
            return maintenance
        }
        let known = ["enabled", "from", "until", "title", "message", "button"]
        for member in members where !known.contains(member.name) {
            guard let meant = Spelling.nearest(to: member.name, among: known) else { continue }
            throw .unfit("has the unknown key '\(member.name)'; did you mean '\(meant)'?")
        }
        maintenance.isOn = try value["enabled"].map { (value) throws(SourceValue.Fault) in
            try SourceValue.isOn(value)
        }
        maintenance.from = try value["from"].flatMap { (value) throws(SourceValue.Fault) in
            try SourceValue.time(value)
        }
        maintenance.until = try value["until"].flatMap { (value) throws(SourceValue.Fault) in
            try SourceValue.time(value)
        }
        let isStated = ["enabled", "from", "until"].contains { value[$0] != nil }
        guard isStated else {
            throw .unfit(
                "must be true, false, or an object with 'enabled' or with both 'from' and 'until'"
            )
        }
        func words(_ name: String) throws(SourceValue.Fault) -> [LanguageTag: String] {
            guard let value = value[name] else { return [:] }
            return try SourceValue.words(value, in: language)
        }
        maintenance.words = FeedTexts(
            title: try words("title"),
            message: try words("message"),
            button: try words("button")
        )
        return maintenance
    }
}

extension FeedDocument {
    /// Adds the maintenance rule, in addition to rules with floors.
    ///
    /// - Parameters:
    ///   - maintenance: The maintenance settings.
    ///   - id: The ID of the rule with the floor.
    ///   - template: The template for the rules of the feed.
    ///   - language: The required language of texts.
    /// - Throws: `SourceValue.Fault` if the window is invalid.
    mutating func add(
        _ maintenance: SourceMaintenance,
        id: String,
        like template: FeedRuleTemplate,
        in language: LanguageTag
    ) throws(SourceValue.Fault) {
        guard let window = try maintenance.window() else { return }
        let name = "\(id)-maintenance"
        var members = [JSONValue.Member("maintenance", JSONValue(window))]
        self.add(maintenance.words, as: name, to: &members, in: language)
        self.rules.append(template.maintenance(name, members))
    }

    /// Adds texts as a notice, and a reference to the notice to a rule's members.
    mutating func add(
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
