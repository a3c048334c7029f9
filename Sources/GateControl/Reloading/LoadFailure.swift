package import GatePolicy

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
    /// Rules that may take the place of others: with their findings, none of which refuses them.
    ///
    /// - Parameters:
    ///   - old: The rules in force; `nil`: none.
    ///   - now: The second of the change.
    ///   - load: Reads the rules.
    /// - Returns: The rules, with their findings; `nil` if there is nothing to read yet.
    /// - Throws: `LoadFailure` if they may not.
    package static func judged(
        against old: LoadedRules?,
        at now: Timestamp,
        _ load: () throws(RulesFileErrors) -> LoadedRules?
    ) throws(LoadFailure) -> LoadedRules? {
        let read: LoadedRules?
        do throws(RulesFileErrors) {
            read = try load()
        } catch {
            throw .unreadable(error)
        }
        guard var rules = read else { return nil }
        // What has not changed has been judged.
        if rules.ruleSet === old?.ruleSet { return rules }
        rules.findings = RulesFindings(rules, against: old, at: now)
        guard rules.findings.refusals.isEmpty else { throw .refused(rules.findings.refusals) }
        return rules
    }
}
