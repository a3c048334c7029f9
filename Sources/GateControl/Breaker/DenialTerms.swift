internal import GateRules
internal import GateCrypto
internal import GatePolicy

extension RuleSetDefinition {
    /// The digests of the terms of all rules that can deny clients, by rule ID.
    ///
    /// The policy for unidentified clients has the ID `unidentified`. Texts and URLs are not part
    /// of the terms. A digest stays the same across restarts while the terms are unchanged. Equivalent rules can have
    /// different digests, for example with the minimums `3.0` and `3.0.0`. Reusing the digest of an equivalent rule
    /// would be faster, but a stored trip would not match after a restart.
    var denialTerms: [String: String] {
        guard self.mode == .enforce else { return [:] }
        var terms: [String: String] = [:]
        for rule in self.rules where rule.withNext.contains(where: { $0.mode == .enforce }) {
            terms[rule.id] = Self.digest(rule.terms)
        }
        if self.unidentified.rejects {
            terms[RuleExpectation.unidentified] = Self.digest(self.unidentified.terms)
        }
        return terms
    }

    /// Returns the IDs of rules whose terms have changed or might now have a different effect.
    ///
    /// `after` contains the `denialTerms` of these rules, and `before` the `denialTerms` of the old
    /// rules.
    func changedTerms(
        _ after: [String: String],
        since old: RuleSetDefinition,
        _ before: [String: String]
    ) -> Set<String> {
        let isAllChanged = old.identity != self.identity || old.exemptions != self.exemptions
        var changed = Set(after.keys.filter { isAllChanged || before[$0] != after[$0] })
        if old.releases != self.releases {
            let held = self.rules.filter { $0.withNext.contains { $0.holdUntilInStore != nil } }
            changed.formUnion(held.map(\.id).filter { after[$0] != nil })
        }
        return changed
    }

    /// The times at which rules start to deny clients, or start to deny more clients, each with its
    /// rule.
    var denialDates: [(time: Timestamp, rule: String)] {
        var dates: [(time: Timestamp, rule: String)] = []
        for rule in self.rules {
            for stage in rule.withNext where stage.mode == .enforce {
                let times =
                    [stage.schedule.enforceFrom, stage.maintenance?.from]
                    + stage.rollout.map(\.at) + stage.schedule.brownouts.map { Optional($0.from) }
                dates += times.compactMap(\.self).map { (time: $0, rule: rule.id) }
            }
        }
        return dates.sorted { $0.time < $1.time }
    }

    private static func digest(_ terms: [String]) -> String {
        var hash = SHA256()
        for term in terms { hash.update(Array("\(term.utf8.count):\(term)".utf8)) }
        return hash.digest.prefix(8).hexadecimal
    }
}

extension RuleDefinition {
    /// The terms that differ from the terms of an empty rule.
    ///
    /// Terms with default values are omitted, so that the digest does not change when a newer
    /// version of the gate adds terms.
    fileprivate var terms: [String] {
        let plain = RuleDefinition(id: self.id)
        func term<Value: Equatable>(
            _ name: String,
            _ path: KeyPath<RuleDefinition, Value>
        ) -> String? {
            let value = self[keyPath: path]
            return value == plain[keyPath: path] ? nil : "\(name): \(value)"
        }
        return [
            term("match", \.match), term("minimum", \.minimum),
            term("minimumBuild", \.minimumBuild), term("minimumBuildOf", \.minimumBuildOf),
            term("blocked", \.blocked), term("blockedBuilds", \.blockedBuilds),
            term("prerelease", \.prerelease), term("mode", \.mode),
            term("schedule", \.schedule), term("rollout", \.rollout),
            self.maintenance.map { "maintenance: \($0.terms)" }, term("hold", \.holdUntilInStore),
            term("requiresOS", \.requiresOS),
        ].compactMap(\.self) + self.next.flatMap { ["next"] + $0.terms }
    }
}

extension MaintenanceWindow {
    /// The terms in the format of earlier versions, so that an update of the gate does not end a
    /// trip.
    fileprivate var terms: String {
        func text(_ time: Timestamp?) -> String { time.map { "\($0)" } ?? "nil" }
        let announceFrom = self.announceFrom.map { "Optional(\($0))" } ?? "nil"
        return "Optional(GatePolicy.MaintenanceWindow(from: \(text(self.from)), "
            + "until: \(text(self.until)), announceFrom: \(announceFrom)))"
    }
}

extension UnidentifiedPolicy {
    fileprivate var terms: [String] {
        let paths = self.paths.flatMap { path in
            ["\(path.request)"] + [path.missing, path.unreadable].map { $0?.rawValue ?? "-" }
        }
        return [self.missing.rawValue, self.unreadable.rawValue] + paths
    }
}
