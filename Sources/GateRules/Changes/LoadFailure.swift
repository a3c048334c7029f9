package import GateCensus
package import GatePolicy

/// Why rules are not put in force: they cannot be read, or a finding refuses them.
package enum LoadFailure: Error, Sendable, Equatable {
    case unreadable(RulesFileErrors)
    /// - Parameters:
    ///   - revision: Names the rules that are refused.
    ///   - files: Names their files alone.
    case refused([Finding], revision: String, files: String)

    /// The faults, as errors with their places.
    package var errors: [RulesFileError] {
        switch self {
        case .unreadable(let errors): errors.errors
        case .refused(let findings, _, _): findings.map(\.asNamedError)
        }
    }

    /// Names the files that are wrong; `nil` if they could not even be read.
    package var files: String? {
        switch self {
        case .unreadable(let errors): errors.revision?.files
        case .refused(_, _, let files): files
        }
    }

    package var refusals: [Finding] {
        switch self {
        case .unreadable: []
        case .refused(let findings, _, _): findings
        }
    }
}

extension LoadedRules {
    /// The same rules with their findings, if they may take the place of others.
    ///
    /// - Parameters:
    ///   - old: The rules in force; `nil`: none.
    ///   - isReturn: Whether these rules were in force before those.
    ///   - census: The clients since a second; `nil`: nobody counts them.
    ///   - now: The second of the change.
    /// - Returns: The rules, none of whose findings refuses them.
    /// - Throws: `LoadFailure` if one does.
    package func judged(
        against old: LoadedRules?,
        isReturn: Bool = false,
        census: ((Timestamp) -> [CensusRow])? = nil,
        at now: Timestamp
    ) throws(LoadFailure) -> LoadedRules {
        var rules = self
        // Rules that have not changed have been judged, and what they made laxer is still said.
        if let old, old.definition.revision == self.definition.revision {
            rules.findings = old.findings
            return rules
        }
        let clients = old.flatMap { _ in census?(now.advanced(by: -GuardCheck.window)) }
        rules.findings = RulesFindings(
            self,
            against: old,
            isReturn: isReturn,
            census: clients,
            at: now
        )
        let refusals = rules.findings.refusals
        guard refusals.isEmpty else {
            throw .refused(
                refusals,
                revision: rules.definition.revision,
                files: rules.filesRevision
            )
        }
        return rules
    }
}
