internal import GateRules
internal import GateCrypto
internal import GatePolicy

extension RuleSetDefinition {
    /// The terms on which something is refused, by the id of the rule, or `unidentified` for the policy
    /// on clients that do not say who they are: what refuses nobody is not there.
    ///
    /// Words and links are no terms. A text stands for them that is the same for as long as they are, in this process
    /// and after it. Equal rules can have different texts, as with `3.0` and `3.0.0`: to take over that of an equal rule
    /// would be sooner done, and a restart would not find the trip that is remembered under it.
    var refusingTerms: [String: String] {
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

    /// The names of terms that are others than before, or that have another effect.
    ///
    /// `after`: `refusingTerms` of these rules; `before`: those of the old ones.
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

    /// The same, where some of the rules do but observe.
    func observing(_ names: Set<String>) -> RuleSetDefinition {
        var definition = self
        for index in definition.rules.indices where names.contains(definition.rules[index].id) {
            definition.rules[index].observe()
        }
        if names.contains(RuleExpectation.unidentified) { definition.unidentified.observe() }
        return definition
    }

    /// The seconds at which rules begin to refuse, or refuse more, each with its rule.
    var datesOfRefusals: [(time: Timestamp, rule: String)] {
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
    /// Those that are not as they are in a rule that says nothing of them, so that a newer gate which
    /// knows more of them takes the rule for the same.
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
    /// The terms in the format of earlier versions, so that an update of the gate does not rearm a tripped rule.
    fileprivate var terms: String {
        func text(_ time: Timestamp?) -> String { time.map { "\($0)" } ?? "nil" }
        let announceFrom = self.announceFrom.map { "Optional(\($0))" } ?? "nil"
        return "Optional(GatePolicy.MaintenanceWindow(from: \(text(self.from)), "
            + "until: \(text(self.until)), announceFrom: \(announceFrom)))"
    }
}

extension UnidentifiedPolicy {
    fileprivate var terms: [String] {
        var terms = [self.missing.rawValue, self.unreadable.rawValue]
        for path in self.paths {
            terms.append("\(path.request)")
            terms += [path.missing, path.unreadable].map { $0?.rawValue ?? "-" }
        }
        return terms
    }

    fileprivate mutating func observe() {
        func observed(_ action: Action) -> Action { action == .reject ? .observe : action }
        self.missing = observed(self.missing)
        self.unreadable = observed(self.unreadable)
        for index in self.paths.indices {
            self.paths[index].missing = self.paths[index].missing.map(observed)
            self.paths[index].unreadable = self.paths[index].unreadable.map(observed)
        }
    }
}
