/// The response to a launch check: an app's request for its status, at startup or later.
package struct LaunchStatus: Sendable, Equatable {
    package let decision: Decision
    /// The JSON object (RFC 8259), without line breaks.
    package let body: [UInt8]
    /// The language of the notice; `nil` if there is no notice.
    package let language: LanguageTag?
    /// An opaque tag for the body, without quotation marks (RFC 9110 section 8.8.3).
    ///
    /// Equal bodies have equal tags in every process.
    package let tag: String
    /// A tag for the content that clients are notified about: the decision and its notice.
    ///
    /// A change to a minimum that the client meets does not change the tag.
    package let eventTag: String

    init(_ status: ClientStatus, _ identity: ClientIdentity, _ words: FilledNotice?) {
        let decision = status.decision
        var object = JSONObject()
        object.add("decision", decision.kind.rawValue)
        object.add("title", words?.title)
        object.add("message", words?.message)
        object.add("button", words?.button)
        object.add("storeUrl", status.reportedStoreURL)
        object.add("minimumVersion", status.reportedMinimum?.description)
        object.add("minimumBuild", status.reportedMinimumBuild)
        object.add("latestVersion", status.reportedLatest?.description)
        object.add("latestBuild", status.reportedLatestBuild)
        object.add("currentVersion", identity.version.value?.description)
        object.add("cannotUpdate", ifTrue: decision.upgrade.cannotUpdate)
        object.add("enforceFrom", decision.warning?.enforcedFrom?.description)
        let brownout = decision.brownout ?? decision.warning?.nextBrownout
        object.add("brownoutFrom", brownout?.from.description)
        object.add("brownoutUntil", brownout?.until.description)
        object.add("snoozeSeconds", decision.snooze)
        object.add("maintenanceFrom", decision.maintenance?.from?.description)
        object.add("maintenanceUntil", decision.maintenance?.until?.description)
        object.add("rule", decision.ruleID)
        self.decision = decision
        self.body = object.bytes
        self.language = words?.language
        self.tag = Self.tag(of: object.bytes)
        self.eventTag = Self.tag(of: Self.news(status, words))
    }

    private static func news(_ status: ClientStatus, _ words: FilledNotice?) -> [UInt8] {
        let decision = status.decision
        var object = JSONObject()
        object.add("decision", decision.kind.rawValue)
        if decision.kind > .allow {
            object.add("title", words?.title)
            object.add("message", words?.message)
            object.add("button", words?.button)
            object.add("storeUrl", status.reportedStoreURL)
            object.add("latestVersion", status.reportedLatest?.description)
            object.add("latestBuild", status.reportedLatestBuild)
        }
        if decision.kind == .require {
            object.add("minimumVersion", status.reportedMinimum?.description)
            object.add("minimumBuild", status.reportedMinimumBuild)
        }
        object.add("cannotUpdate", ifTrue: decision.upgrade.cannotUpdate)
        object.add("enforceFrom", decision.warning?.enforcedFrom?.description)
        let brownout = decision.brownout ?? decision.warning?.nextBrownout
        object.add("brownoutFrom", brownout?.from.description)
        object.add("brownoutUntil", brownout?.until.description)
        object.add("maintenanceFrom", decision.maintenance?.from?.description)
        object.add("maintenanceUntil", decision.maintenance?.until?.description)
        return object.bytes
    }

    /// Returns the 64-bit FNV-1a hash of the bytes, in hexadecimal digits.
    private static func tag(of bytes: [UInt8]) -> String {
        let hash: UInt64 = bytes.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// The status of a client under the rules, for launch checks.
package struct ClientStatus: Sendable, Equatable {
    package var decision: Decision
    /// The highest minimum version that is enforced for the client, even if the client meets it.
    package var minimum: AppVersion?
    package var minimumBuild: BuildNumber?
    /// The highest version that is recommended to the client.
    package var latest: AppVersion?
    /// The highest build that is recommended to the client.
    package var latestBuild: BuildNumber?
    package var storeURL: String?
}

/// The terms of the deciding rule, as in the hint and in the denial.
///
/// A term that the deciding rule does not set has the highest value among all matching rules. For a
/// client that passes, this also applies to the minimum. A maintenance decision omits the terms of
/// other rules, because an update does not end the maintenance window.
extension ClientStatus {
    fileprivate var reportedMinimum: AppVersion? {
        self.told(self.decision.upgrade.minimum, highest: self.minimum)
    }

    fileprivate var reportedMinimumBuild: BuildNumber? {
        self.told(self.decision.upgrade.minimumBuild, highest: self.minimumBuild)
    }

    private func told<Value>(_ ruling: Value?, highest: Value?) -> Value? {
        switch self.decision.kind {
        case .allow, .recommend: highest
        case .require: ruling ?? highest
        case .maintenance: ruling
        }
    }

    fileprivate var reportedLatest: AppVersion? {
        self.decision.goal ?? (self.decision.kind == .maintenance ? nil : self.latest)
    }

    fileprivate var reportedLatestBuild: BuildNumber? {
        self.decision.goalBuild ?? (self.decision.kind == .maintenance ? nil : self.latestBuild)
    }

    fileprivate var reportedStoreURL: String? {
        self.decision.kind == .maintenance ? self.decision.upgrade.storeURL : self.storeURL
    }
}
