/// The news for a passing client beside the backend's answer: the facts of a launch status, each
/// under its name there with hyphens in place of capitals, which no key of a structured field has
/// (RFC 9651 section 3.1.2).
struct Hint {
    private static let announcement = "maintenance-announced"
    /// A web app of another origin reads these, too, if the backend lets it read the answer: by
    /// itself this field opens none (the CORS protocol of the Fetch standard).
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

    /// The dates of a warning for whoever watches APIs: when its version became deprecated (RFC
    /// 9745), and when it stops to be served for good (RFC 8594).
    static func dates(_ decision: Decision) -> [HeaderField] {
        guard let warning = decision.warning else { return [] }
        let deprecation = StructuredItem.date(warning.since)
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

    /// The announced maintenance: a line of its own, which makes the field a list of two.
    private static func notice(_ decision: Decision) -> [HeaderField] {
        guard let window = decision.maintenance else { return [] }
        var item = StructuredItem(token: self.announcement)
        item.add("maintenance-from", window.from?.description)
        item.add("maintenance-until", window.until?.description)
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }
}

extension Decision {
    /// After how long an app may remind its user of a recommendation again, in seconds, where the
    /// rules do not say it.
    private static let defaultSnooze: Int64 = 24 * 60 * 60

    /// The version that a client is to have; for one that is warned of a floor, the floor if nothing
    /// newer is recommended.
    var goal: AppVersion? {
        self.upgrade.latest ?? (self.kind == .recommend ? self.upgrade.minimum : nil)
    }

    /// The same for a build.
    var goalBuild: BuildNumber? {
        self.upgrade.latestBuild ?? (self.kind == .recommend ? self.upgrade.minimumBuild : nil)
    }

    /// After how many seconds an app may remind its user again; `nil` for all but recommendations.
    var snooze: Int64? {
        self.kind == .recommend ? self.upgrade.snooze ?? Self.defaultSnooze : nil
    }
}

/// A token with parameters, as a structured field (RFC 9651 section 3.3): `recommend; latest="2"`.
struct StructuredItem {
    private(set) var text: String

    init(token: String) {
        self.text = token
    }

    /// Adds a string, if there is one and it can be written: strings of structured fields are
    /// printable ASCII.
    mutating func add(_ key: String, _ value: String?) {
        guard let value, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
        self.text += "; \(key)=\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { self.text += "\\" }
            self.text.unicodeScalars.append(scalar)
        }
        self.text += "\""
    }

    /// Adds an integer (section 3.3.1), if there is one.
    mutating func add(_ key: String, _ value: Int64?) {
        guard let value else { return }
        self.text += "; \(key)=\(value)"
    }

    /// A date by itself (section 3.3.7): the seconds of Unix time after an `@`.
    static func date(_ value: Timestamp) -> String {
        "@\(value.secondsSinceEpoch)"
    }
}
