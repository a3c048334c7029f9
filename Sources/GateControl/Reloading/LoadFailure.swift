internal import GatePolicy

/// Why rules are not put in force: they cannot be read, or a finding refuses them.
package enum LoadFailure: Error, Sendable {
    case unreadable(RulesFileErrors)
    case refused([Finding])

    /// What is wrong, as errors with their places.
    package var errors: [RulesFileError] {
        switch self {
        case .unreadable(let errors): errors.errors
        case .refused(let findings): findings.map(\.asNamedError)
        }
    }

    package var refusals: [Finding] {
        switch self {
        case .unreadable: []
        case .refused(let findings): findings
        }
    }
}

extension LoadedRules {
    /// The same rules with their findings, if they may take the place of others.
    ///
    /// - Parameters:
    ///   - old: The rules in force; `nil`: none.
    ///   - now: The second of the change.
    /// - Returns: The rules, none of whose findings refuses them.
    /// - Throws: `LoadFailure` if one does.
    func judged(against old: LoadedRules?, at now: Timestamp) throws(LoadFailure) -> LoadedRules {
        var rules = self
        // What has not changed has been judged, and what became laxer by it is still said.
        if let old, old.definition.revision == self.definition.revision {
            rules.findings = old.findings
            return rules
        }
        rules.findings = RulesFindings(self, against: old, at: now)
        guard rules.findings.refusals.isEmpty else { throw .refused(rules.findings.refusals) }
        return rules
    }
}
