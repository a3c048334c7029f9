/// Writes what clients are told, in their language.
struct Responder: Sendable {
    private let revision: String
    private let notices: [String: Notice]
    private let upgrade: Notice
    private let unidentified: Notice
    private let maintenance: Notice
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
        self.maintenance = notice(.maintenance)
        self.vary = (headerNames + ["Origin"]).joined(separator: ", ")
    }

    /// The answer to a decision, without the seconds that it counts.
    func answer(to decision: Decision, for identity: ClientIdentity) -> Answer? {
        guard let denial = Denial(decision) else { return nil }
        let named = decision.remedy.notice.flatMap { self.notices[$0] }
        let words =
            named?.words(for: identity.languages)
            ?? self.builtIn(for: denial, decision).words(for: identity.languages)
        var fields = [
            HeaderField(name: "Content-Type", value: "application/problem+json"),
            HeaderField(name: "Cache-Control", value: "no-store"),
        ]
        if let words {
            fields.append(HeaderField(name: "Content-Language", value: words.language.description))
        }
        fields.append(HeaderField(name: "Vary", value: self.vary))
        fields.append(HeaderField(name: Answer.markerName, value: decision.kind.rawValue))
        return Answer(
            status: denial.status,
            fields: fields,
            body: self.body(denial, decision, identity, words?.text),
            retryAt: denial == .maintenance ? decision.maintenance?.until : nil
        )
    }

    private func builtIn(for denial: Denial, _ decision: Decision) -> Notice {
        switch denial {
        case .upgrade: decision.ruleID == nil ? self.unidentified : self.upgrade
        case .maintenance: self.maintenance
        }
    }

    /// The problem details (RFC 9457), whose names and order apps in the wild depend on.
    private func body(
        _ denial: Denial,
        _ decision: Decision,
        _ identity: ClientIdentity,
        _ words: NoticeText?
    ) -> [UInt8] {
        let values = Self.values(decision.remedy, identity)
        var object = JSONObject()
        object.add("type", denial.type)
        object.add("title", words?.title.filled(with: values) ?? "")
        object.add("status", denial.status)
        object.add("message", words?.message.filled(with: values) ?? "")
        object.add("button", words?.button?.filled(with: values))
        // No update helps against maintenance: only a denial has always a link.
        let link = denial == .upgrade ? decision.remedy.storeURL ?? "" : decision.remedy.storeURL
        object.add("storeUrl", link)
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
}
