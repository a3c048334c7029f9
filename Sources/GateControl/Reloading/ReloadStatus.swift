package import FoundationEssentials
internal import GatePolicy
package import GateRules

/// The result of the last reload, for the page and the metrics.
package struct ReloadStatus: Sendable, Equatable {
    /// Whether the last reload succeeded; false before the first load.
    package private(set) var lastReloadSuccessful: Bool
    /// The last time that the rules were read and found valid, whether or not they had changed.
    package private(set) var lastSuccess: Date?
    /// The active revision.
    package private(set) var revision: String?
    /// The errors of the last reload; empty if it succeeded.
    package private(set) var errors: [RulesFileError]
    /// The findings that rejected the rules of the last reload; empty if none did.
    package private(set) var refusals: [Finding]
    /// The findings on the active rules.
    package private(set) var findings: [Finding]
    /// The undo that makes the active rules differ from the file.
    package private(set) var pin: RulesPin?

    static let notLoaded = ReloadStatus(
        lastReloadSuccessful: false,
        lastSuccess: nil,
        revision: nil,
        errors: [],
        refusals: [],
        findings: []
    )

    static func succeeded(at time: Date, _ rules: LoadedRules) -> ReloadStatus {
        ReloadStatus(
            lastReloadSuccessful: true,
            lastSuccess: time,
            revision: rules.definition.revision,
            errors: [],
            refusals: [],
            findings: rules.findings.all,
            pin: rules.pin
        )
    }

    /// Sets the active rules after a change that did not reload the file.
    mutating func use(_ rules: LoadedRules) {
        self.revision = rules.definition.revision
        self.findings = rules.findings.all
        self.pin = rules.pin
    }

    /// Sets the errors; the active revision stays the same.
    mutating func fail(_ failure: LoadFailure) {
        self.lastReloadSuccessful = false
        self.errors = failure.errors
        self.refusals = failure.refusals
    }
}

/// The numbers of successful and failed reloads.
package struct ReloadCounts: Sendable, Equatable {
    package internal(set) var succeeded: UInt64 = 0
    package internal(set) var failed: UInt64 = 0

    package init() {}
}
