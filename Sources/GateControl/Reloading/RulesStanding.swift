package import GatePolicy
package import GateRules

/// The rules in force and their history, of one moment.
package struct RulesStanding: Sendable {
    package let rules: LoadedRules
    package let status: ReloadStatus
    /// Whether they are of the file, as it is or was, and not of the state folder.
    package let areOfFile: Bool
    package let inForceSince: Timestamp?
    /// When the file was last read, and why; `nil`: not since the start.
    package let lastReload: (time: Timestamp, origin: RulesChange.Origin)?
}

extension RulesReloader {
    /// The present standing; `nil` as long as there are no rules.
    package var standing: RulesStanding? {
        self.current.map { rules in
            RulesStanding(
                rules: rules,
                status: self.status,
                areOfFile: self.areOfFile,
                inForceSince: self.inForceSince,
                lastReload: self.lastReload
            )
        }
    }
}
