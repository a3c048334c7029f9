internal import GatePolicy
internal import GateRules

/// The maintenance settings of a source: a switch, a window, or both.
struct SourceMaintenance: Equatable {
    typealias TextPath = WritableKeyPath<FeedTexts, [LanguageTag: String]> & Sendable

    static let switchField = "maintenance"
    static let fromField = "maintenanceFrom"
    static let untilField = "maintenanceUntil"
    static let titleField = "maintenanceTitle"
    static let messageField = "maintenanceMessage"
    /// The fields with maintenance settings, which are read only if `fields` maps them.
    static let fields: [SourceFields.Named] = [
        (switchField, .toggle), (fromField, .time), (untilField, .time), (titleField, .words),
        (messageField, .words),
    ]
    /// The fields with texts, each of which `fields` can map to one field for each language.
    static let texts: [(field: String, part: any TextPath)] = [
        (titleField, \.title), (messageField, \.message),
    ]
    static let localized = texts.map(\.field)

    /// Whether the switch is on; `nil` if the source has no switch.
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
            throw .unfit("ends at \(until) but has no start")
        case (let from?, nil):
            throw .unfit("starts at \(from) but has no end")
        }
    }

    /// Decodes the value of the switch: a Boolean, or an object with all maintenance settings.
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
        maintenance.isOn = try value["enabled"].map(SourceValue.isOn)
        maintenance.from = try value["from"].flatMap(SourceValue.time)
        maintenance.until = try value["until"].flatMap(SourceValue.time)
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
