/// Everything that a denial says, before it is put in a form.
struct DenialDocument {
    let denial: Denial
    let decision: Decision
    let identity: ClientIdentity
    let status: Int
    let revision: String
    /// The words of the notice, filled, with their language.
    let words: FilledWords?

    private var upgrade: UpgradeTerms { self.decision.upgrade }

    /// The problem details (RFC 9457), whose names and order apps in the wild depend on.
    var problemDetails: [UInt8] {
        var object = JSONObject()
        object.add("type", self.denial.type)
        object.add("title", self.words?.title ?? "")
        object.add("status", self.status)
        object.add("message", self.words?.message ?? "")
        object.add("button", self.words?.button)
        // No update helps against maintenance: only a denial has always a link.
        object.add("storeUrl", self.denial == .upgrade ? self.link : self.upgrade.storeURL)
        object.add("minimumVersion", self.upgrade.minimum?.description)
        object.add("minimumBuild", self.upgrade.minimumBuild)
        object.add("latestVersion", self.upgrade.latest?.description)
        object.add("latestBuild", self.upgrade.latestBuild)
        object.add("currentVersion", self.identity.version.value?.description)
        object.add("cannotUpdate", ifTrue: self.upgrade.cannotUpdate)
        object.add("brownoutUntil", self.decision.brownout?.until.description)
        object.add("enforceFrom", self.decision.warning?.enforcedFrom?.description)
        object.add("maintenanceFrom", self.maintenance?.from?.description)
        object.add("maintenanceUntil", self.maintenance?.until?.description)
        object.add("rule", self.decision.ruleID)
        object.add("revision", self.revision)
        return object.bytes
    }

    private var link: String { self.upgrade.storeURL ?? "" }

    /// The maintenance that is running; any other denial may have one that is only announced.
    private var maintenance: MaintenanceWindow? {
        self.denial == .maintenance ? self.decision.maintenance : nil
    }

    /// The values of the placeholders in a `body` of the rules file.
    var values: [NoticePlaceholder: String] {
        var values = FilledWords.values(self.upgrade, self.identity)
        values[.title] = self.words?.title
        values[.message] = self.words?.message
        values[.button] = self.words?.button
        values[.storeUrl] = self.upgrade.storeURL
        values[.status] = String(self.status)
        values[.decision] = self.decision.kind.rawValue
        values[.rule] = self.decision.ruleID
        values[.revision] = self.revision
        return values
    }

    /// The page for a browser; `nil` where there are no words.
    var page: NoticePage? {
        self.words.map { words in
            NoticePage(
                language: words.language,
                title: words.title,
                message: words.message,
                button: words.button,
                storeURL: self.upgrade.storeURL
            )
        }
    }

    /// The end of a gRPC call.
    var callStatus: CallStatus {
        let metadata = [
            ("title", self.words?.title),
            ("button", self.words?.button),
            ("storeUrl", self.upgrade.storeURL),
            ("minimumVersion", self.upgrade.minimum?.description),
            ("minimumBuild", self.upgrade.minimumBuild?.description),
            ("latestVersion", self.upgrade.latest?.description),
            ("latestBuild", self.upgrade.latestBuild?.description),
            ("currentVersion", self.identity.version.value?.description),
            ("cannotUpdate", self.upgrade.cannotUpdate ? "true" : nil),
            ("brownoutUntil", self.decision.brownout?.until.description),
            ("enforceFrom", self.decision.warning?.enforcedFrom?.description),
            ("maintenanceFrom", self.maintenance?.from?.description),
            ("maintenanceUntil", self.maintenance?.until?.description),
            ("rule", self.decision.ruleID),
            ("revision", self.revision),
        ]
        return CallStatus(
            code: self.denial.callStatus,
            message: self.words?.message ?? "",
            reason: self.denial.callReason,
            metadata: metadata.compactMap { name, value in value.map { (name, $0) } },
            words: self.words.map { ($0.language.description, $0.message) },
            link: self.upgrade.storeURL.map { (self.words?.button ?? "", $0) }
        )
    }
}
