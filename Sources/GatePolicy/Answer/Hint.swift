/// The header fields that the gate adds to responses from the backend, for clients with a
/// recommendation, a warning or an announced maintenance window.
///
/// The parameters are those of the launch status. Their names have hyphens instead of capitals,
/// because keys in structured fields cannot contain capitals (RFC 9651 section 3.1.2).
struct Hint {
    private static let announcement = "maintenance-announced"
    /// The field that lets web apps from another origin read the hint if the backend allows them to
    /// read the response.
    ///
    /// The field alone grants no access (Fetch standard, "CORS protocol").
    private static let exposure = HeaderField(
        name: "Access-Control-Expose-Headers",
        value: "\(Answer.markerName), Deprecation, Sunset"
    )

    let fields: [HeaderField]

    init(_ decision: Decision) {
        guard decision.kind < .require else {
            self.fields = []
            return
        }
        let facts = Self.dates(decision) + Self.recommendation(decision) + Self.notice(decision)
        self.fields = facts.isEmpty ? [] : facts + [Self.exposure]
    }

    /// Returns the dates of a warning in standard fields.
    ///
    /// `Deprecation` contains the time at which the version was deprecated (RFC 9745), and `Sunset`
    /// contains the time from which the gate permanently denies it (RFC 8594).
    static func dates(_ decision: Decision) -> [HeaderField] {
        guard let warning = decision.warning else { return [] }
        // A date in a structured field (RFC 9651 section 3.3.7) is a Unix time in seconds.
        let deprecation = "@\(warning.since.secondsSinceEpoch)"
        let sunset = warning.enforcedFrom.map { HeaderField(name: "Sunset", value: $0.httpDate) }
        return [HeaderField(name: "Deprecation", value: deprecation)] + [sunset].compactMap { $0 }
    }

    private static func recommendation(_ decision: Decision) -> [HeaderField] {
        guard decision.kind == .recommend else { return [] }
        let (upgrade, warning) = (decision.upgrade, decision.warning)
        var item = StructuredItem(token: decision.kind.rawValue)
        item.add("latest", decision.goal?.description)
        item.add("latest-build", decision.goalBuild?.description)
        item.add("url", upgrade.storeURL.map(PercentEncoding.visible))
        item.add("enforce-from", warning?.enforcedFrom?.description)
        item.add("brownout-from", warning?.nextBrownout?.from.description)
        item.add("brownout-until", warning?.nextBrownout?.until.description)
        item.add("snooze-seconds", decision.snooze)
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }

    /// Returns the announced maintenance window in a separate field line.
    ///
    /// If a line for a recommendation precedes it, the two lines form one list.
    private static func notice(_ decision: Decision) -> [HeaderField] {
        guard let window = decision.maintenance else { return [] }
        var item = StructuredItem(token: self.announcement)
        item.add("maintenance-from", window.from?.description)
        item.add("maintenance-until", window.until?.description)
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }
}

extension Decision {
    /// The default number of seconds before an app may repeat a recommendation: one day.
    private static let defaultSnooze: Int64 = 24 * 60 * 60

    /// The version that the client should update to.
    ///
    /// Without a recommended version, this is the version of the floor that the client is warned
    /// about.
    var goal: AppVersion? {
        self.upgrade.latest ?? (self.kind == .recommend ? self.upgrade.minimum : nil)
    }

    /// The build that the client should update to, determined like `goal`.
    var goalBuild: BuildNumber? {
        self.upgrade.latestBuild ?? (self.kind == .recommend ? self.upgrade.minimumBuild : nil)
    }

    /// The number of seconds before an app may repeat a recommendation; `nil` if the decision is
    /// not a recommendation.
    var snooze: Int64? {
        self.kind == .recommend ? self.upgrade.snooze ?? Self.defaultSnooze : nil
    }
}

/// A token with parameters as a structured field (RFC 9651 section 3.3): `recommend; latest="2"`.
struct StructuredItem {
    private(set) var text: String

    init(token: String) {
        self.text = token
    }

    /// Adds a string parameter, unless the value is `nil` or cannot be encoded.
    ///
    /// Strings in structured fields are limited to printable ASCII.
    mutating func add(_ key: String, _ value: String?) {
        guard let value, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
        self.text += "; \(key)=\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { self.text += "\\" }
            self.text.unicodeScalars.append(scalar)
        }
        self.text += "\""
    }

    /// Adds an integer parameter (RFC 9651 section 3.3.1), unless the value is `nil`.
    mutating func add(_ key: String, _ value: Int64?) {
        guard let value else { return }
        self.text += "; \(key)=\(value)"
    }
}
