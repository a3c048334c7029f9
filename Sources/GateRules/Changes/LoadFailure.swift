package import GateCensus
package import GatePolicy

/// The reason for rejecting rules: they are invalid, or a finding rejects them.
package enum LoadFailure: Error, Sendable, Equatable {
    case unreadable(RulesFileErrors)
    /// The rules are valid, but findings reject them.
    ///
    /// - Parameters:
    ///   - revision: The revision of the rejected rules.
    ///   - files: The revision of the rules files, without feed values.
    case refused([Finding], revision: String, files: String)

    /// The errors in the rules, or the findings that reject the rules, as errors.
    package var errors: [RulesFileError] {
        switch self {
        case .unreadable(let errors): errors.errors
        case .refused(let findings, _, _): findings.map(\.asNamedError)
        }
    }

    /// The revision of the rules files, without feed values; `nil` if the files could not be read.
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
    /// Checks whether these rules can replace the active rules.
    ///
    /// - Parameters:
    ///   - old: The active rules; `nil` if there are none.
    ///   - isReturn: Whether the change restores rules that were active before.
    ///   - census: A function that returns the clients seen since a given time; `nil` if there is no census.
    ///   - now: The time of the change.
    /// - Returns: These rules with their findings, none of which rejects the rules.
    /// - Throws: `LoadFailure` if a finding rejects the rules.
    package func judged(
        against old: LoadedRules?,
        isReturn: Bool = false,
        census: ((Timestamp) -> [CensusRow])? = nil,
        at now: Timestamp
    ) throws(LoadFailure) -> LoadedRules {
        var rules = self
        // Unchanged rules keep their findings, including those about the last change, such as
        // `laxer`.
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
