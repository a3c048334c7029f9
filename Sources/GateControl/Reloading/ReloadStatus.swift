package import FoundationEssentials
internal import GatePolicy
package import GateRules

/// How the last reload went, for the status page and the metrics.
package struct ReloadStatus: Sendable, Equatable {
    /// False until the first load, and after every reload that found something wrong.
    package private(set) var lastReloadSuccessful: Bool
    /// When the rules were last read and found to be right, changed or not.
    package private(set) var lastSuccess: Date?
    /// The revision that is in force.
    package private(set) var revision: String?
    /// The errors that the last reload found; empty if it succeeded.
    package private(set) var errors: [RulesFileError]
    /// The findings that refused the last reload; empty if nothing did.
    package private(set) var refusals: [Finding]
    /// The findings on the rules in force.
    package private(set) var findings: [Finding]
    /// The undo by which the rules in force are not those of the file.
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

    /// Other rules are in force, without a reload of the file.
    mutating func use(_ rules: LoadedRules) {
        self.revision = rules.definition.revision
        self.findings = rules.findings.all
        self.pin = rules.pin
    }

    /// Keeps the revision that is in force.
    mutating func fail(_ failure: LoadFailure) {
        self.lastReloadSuccessful = false
        self.errors = failure.errors
        self.refusals = failure.refusals
    }
}

/// How often the rules were read, by what became of it.
package struct ReloadCounts: Sendable, Equatable {
    package internal(set) var succeeded: UInt64 = 0
    package internal(set) var failed: UInt64 = 0

    package init() {}
}
