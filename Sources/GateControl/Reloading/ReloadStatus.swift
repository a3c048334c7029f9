package import GatePolicy
package import GateRules

/// The result of the last reload, for the page and the metrics.
package struct ReloadStatus: Sendable, Equatable {
    /// Whether the last reload succeeded; `false` before the first load.
    package private(set) var lastReloadSuccessful = false
    /// The time at which the rules were last read and found valid, whether or not they had changed.
    package private(set) var lastSuccess: Timestamp?
    /// The active revision; `nil` before rules are loaded.
    package private(set) var revision: String?
    /// The errors of the last reload; empty if it succeeded.
    package private(set) var errors: [RulesFileError] = []
    /// The findings that rejected the rules of the last reload; empty if there are none.
    package private(set) var refusals: [Finding] = []
    /// The findings on the active rules.
    package private(set) var findings: [Finding] = []
    /// The undo that makes the active rules differ from the file; `nil` if there is none.
    package private(set) var pin: RulesPin?

    static let notLoaded = ReloadStatus()

    static func succeeded(at time: Timestamp, _ rules: LoadedRules) -> ReloadStatus {
        var status = ReloadStatus(lastReloadSuccessful: true, lastSuccess: time)
        status.use(rules)
        return status
    }

    /// Records the active rules after a change that did not reload the file.
    mutating func use(_ rules: LoadedRules) {
        self.revision = rules.definition.revision
        self.findings = rules.findings.all
        self.pin = rules.pin
    }

    /// Records the errors of a failed reload; the active revision stays the same.
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

/// A snapshot of the active rules and their history.
package struct RulesSnapshot: Sendable {
    package let rules: LoadedRules
    package let status: ReloadStatus
    /// Whether the rules come from the file, in its current or an earlier state, rather than from
    /// the state folder.
    package let areOfFile: Bool
    package let inForceSince: Timestamp?
    /// The time and the origin of the last read of the file; `nil` if it has not been read since
    /// startup.
    package let lastReload: (time: Timestamp, origin: RulesChange.Origin)?
}

extension RulesReloader {
    /// The current snapshot; `nil` before rules are loaded.
    package var standing: RulesSnapshot? {
        self.current.map { rules in
            RulesSnapshot(
                rules: rules,
                status: self.status,
                areOfFile: self.areOfFile,
                inForceSince: self.inForceSince,
                lastReload: self.lastReload
            )
        }
    }
}
