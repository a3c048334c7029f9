/// The contents of a denial, independent of its form.
struct DenialDocument {
    let denial: Denial
    let decision: Decision
    let identity: ClientIdentity
    let status: Int
    let revision: String
    /// The texts of the notice with the placeholders replaced, and their language.
    let words: FilledNotice?

    private var upgrade: UpgradeTerms { self.decision.upgrade }

    /// The problem details as JSON (RFC 9457).
    ///
    /// Apps depend on the names and the order of the members.
    var problemDetails: [UInt8] {
        var object = JSONObject()
        self.addMembers(to: &object)
        return object.bytes
    }

    /// The error for a unary Connect call, with the members of the problem details.
    ///
    /// Both formats define `message`, with the same value.
    var connectError: [UInt8] {
        var object = JSONObject()
        object.add("code", self.denial.connectCode)
        self.addMembers(to: &object)
        object.add("details", json: self.callStatus.connectDetails)
        return object.bytes
    }

    /// The end-of-stream message of a Connect stream, in its envelope.
    ///
    /// The message contains `error` and the members of the problem details.
    var connectEnd: [UInt8] {
        var error = JSONObject()
        error.add("code", self.denial.connectCode)
        error.add("message", self.words?.message ?? "")
        error.add("details", json: self.callStatus.connectDetails)
        var object = JSONObject()
        object.add("error", json: error.bytes)
        self.addMembers(to: &object)
        let message = object.bytes
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: message.count >> $0) }
        return [Self.endOfStream] + length + message
    }

    /// The envelope flags of an end-of-stream message.
    private static let endOfStream: UInt8 = 2

    /// A GraphQL response with one error and no data.
    ///
    /// `extensions` contains the members of the problem details. They are also top-level members,
    /// so that one parser can handle denials in all JSON forms.
    var graphQLResponse: [UInt8] {
        var extensions = JSONObject()
        extensions.add("code", self.denial.callReason)
        self.addMembers(to: &extensions)
        var error = JSONObject()
        error.add("message", self.words?.message ?? "")
        error.add("extensions", json: extensions.bytes)
        var object = JSONObject()
        object.add("errors", json: [UInt8(ascii: "[")] + error.bytes + [UInt8(ascii: "]")])
        self.addMembers(to: &object)
        return object.bytes
    }

    private func addMembers(to object: inout JSONObject) {
        object.add("type", self.denial.type)
        object.add("title", self.words?.title ?? "")
        object.add("status", self.status)
        object.add("message", self.words?.message ?? "")
        object.add("button", self.words?.button)
        // An upgrade denial always has this member, even if its value is empty. An update does not
        // end a maintenance window, so a maintenance denial has the member only if there is a store
        // URL.
        object.add("storeUrl", self.upgrade.storeURL ?? (self.denial == .upgrade ? "" : nil))
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
    }

    /// The active maintenance window; `nil` if the client has to upgrade, even if a window is
    /// announced.
    private var maintenance: MaintenanceWindow? {
        self.denial == .maintenance ? self.decision.maintenance : nil
    }

    /// The values of the placeholders in a `body` from the rules file.
    var values: [NoticePlaceholder: String] {
        var values = FilledNotice.values(self.upgrade, self.identity)
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

    /// The page for a browser; `nil` if there is no notice.
    var page: NoticePage? {
        self.words.map { NoticePage(words: $0, storeURL: self.upgrade.storeURL) }
    }

    /// The status of a gRPC or Connect call.
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
