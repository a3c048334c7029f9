package import GatePolicy
package import GateRules

/// A snapshot of the active rules and their history.
package struct RulesSnapshot: Sendable {
    package let rules: LoadedRules
    package let status: ReloadStatus
    /// Whether the rules come from the file, as it is now or as it was earlier, rather than from
    /// the state folder.
    package let areOfFile: Bool
    package let inForceSince: Timestamp?
    /// The time of and the reason for the last read of the file; `nil` if it has not been read
    /// since startup.
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
