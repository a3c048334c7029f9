/// Writes what clients are told, in their language.
struct Responder: Sendable {
    /// RFC 9110 section 15.5.22.
    private static let upgradeRequired = 426

    private let revision: String
    private let notices: [String: Notice]
    private let upgrade: Notice
    private let unidentified: Notice
    /// The fields that an answer can depend on.
    private let vary: String

    init(_ definition: RuleSetDefinition, headerNames: [String]) {
        func notice(_ notice: NoticeDefinition) -> Notice {
            Notice(notice, fallback: definition.defaultLanguage)
        }
        self.revision = definition.revision
        self.notices = definition.notices.mapValues(notice)
        self.upgrade = notice(.upgrade)
        self.unidentified = notice(.unidentified)
        self.vary = (headerNames + ["Origin"]).joined(separator: ", ")
    }

    func answer(to decision: Decision, for identity: ClientIdentity) -> Answer? {
        guard decision.kind == .require else { return nil }
        let named = decision.remedy.notice.flatMap { self.notices[$0] }
        let builtIn = decision.ruleID == nil ? self.unidentified : self.upgrade
        let words =
            named?.words(for: identity.languages)
            ?? builtIn.words(for: identity.languages)
        var fields = [
            HeaderField(name: "Content-Type", value: "application/problem+json"),
            HeaderField(name: "Cache-Control", value: "no-store"),
        ]
        if let words {
            fields.append(HeaderField(name: "Content-Language", value: words.language.description))
        }
        fields.append(HeaderField(name: "Vary", value: self.vary))
        fields.append(HeaderField(name: Answer.markerName, value: decision.kind.rawValue))
        let body = self.body(decision, identity, words?.text)
        return Answer(status: Self.upgradeRequired, fields: fields, body: body)
    }

    /// The problem details (RFC 9457), whose names and order apps in the wild depend on.
    private func body(
        _ decision: Decision,
        _ identity: ClientIdentity,
        _ words: NoticeText?
    ) -> [UInt8] {
        let values = Self.values(decision.remedy, identity)
        var object = JSONObject()
        object.add("type", "urn:versiongate:upgrade-required")
        object.add("title", words?.title.filled(with: values) ?? "")
        object.add("status", Self.upgradeRequired)
        object.add("message", words?.message.filled(with: values) ?? "")
        object.add("button", words?.button?.filled(with: values))
        object.add("storeUrl", decision.remedy.storeURL ?? "")
        object.add("minimumVersion", decision.remedy.minimum?.description)
        object.add("minimumBuild", decision.remedy.minimumBuild)
        object.add("latestVersion", decision.remedy.latest?.description)
        object.add("currentVersion", identity.version.value?.description)
        object.add("rule", decision.ruleID)
        object.add("revision", self.revision)
        return object.bytes
    }

    private static func values(
        _ remedy: Remedy,
        _ identity: ClientIdentity
    ) -> [NoticePlaceholder: String] {
        var values: [NoticePlaceholder: String] = [:]
        values[.currentVersion] = identity.version.value?.description
        values[.minimumVersion] = (remedy.minimum ?? remedy.latest)?.description
        values[.latestVersion] = (remedy.latest ?? remedy.minimum)?.description
        values[.minimumBuild] = remedy.minimumBuild.map { String($0) }
        values[.platform] = identity.platform.value?.name
        values[.app] = identity.app.value
        return values
    }

    /// The fields that a passing client gets beside the backend's answer.
    func hint(for decision: Decision) -> [HeaderField] {
        guard decision.kind == .recommend else { return [] }
        var item = StructuredItem(token: decision.kind.rawValue)
        item.add("latest", decision.remedy.latest?.description)
        item.add("url", decision.remedy.storeURL.map(PercentEncoding.visible))
        return [HeaderField(name: Answer.markerName, value: item.text)]
    }
}
