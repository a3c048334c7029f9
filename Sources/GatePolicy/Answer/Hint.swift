/// What a passing client is told beside the backend's answer.
struct Hint {
    private static let announcement = "maintenance-announced"

    let fields: [HeaderField]

    init(_ decision: Decision) {
        guard decision.kind < .require else {
            self.fields = []
            return
        }
        self.fields = Self.dates(decision) + Self.recommendation(decision) + Self.notice(decision)
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
        let remedy = decision.remedy
        var item = StructuredItem(token: decision.kind.rawValue)
        item.add("latest", (remedy.latest ?? remedy.minimum)?.description)
        item.add("url", remedy.storeURL.map(PercentEncoding.visible))
        // Keys of structured fields have no capitals (RFC 9651 section 3.1.2).
        item.add("enforce-from", decision.warning?.enforcedFrom)
        item.add("next-brownout", decision.warning?.nextBrownout?.from)
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }

    /// The announced maintenance: a line of its own, which makes the field a list of two.
    private static func notice(_ decision: Decision) -> [HeaderField] {
        guard let window = decision.maintenance else { return [] }
        var item = StructuredItem(token: self.announcement)
        item.add("from", window.from)
        item.add("until", window.until)
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }
}
