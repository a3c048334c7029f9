internal import GatePolicy

/// An undo: earlier rules stay active until the undone change is no longer in the files.
///
/// An undo survives signals and restarts. Deploying the same rules in other words, or together with other changes, does
/// not end an undo, so that a deployment does not revert it by accident.
package struct RulesPin: Sendable, Equatable, Codable {
    /// The revisions of the files, without feeds, that do not end the undo.
    package let undone: [String]
    /// The files that were undone; `nil` if an older version of the gate has stored the undo.
    package let files: RulesTexts?
    /// The time of the undo, in seconds since 1970.
    package let time: Int64
    /// The name of the operator's token; `nil` if tokens have no names.
    package let name: String?

    package init(undone: [String], files: RulesTexts?, time: Int64, name: String?) {
        self.undone = undone
        self.files = files
        self.time = time
        self.name = name
    }

    /// Whether the files are known to contain the undone rules.
    func holds(against sources: [RulesSource]) -> Bool {
        self.undone.contains(Revision(of: sources).text)
    }

    /// Returns the error for files that repeat the undone change.
    ///
    /// The error names no revision, because the files may become active once the undo is reverted.
    func refusal(of rules: LoadedRules, instead restored: LoadedRules) -> RulesFileErrors {
        let change = RulesEdits(restored.sources, self.files?.asSources ?? [])
        let place = change.all.lazy.compactMap { edit in
            if case .rule(let id) = edit.subject { rules.places.rules[id]?.id } else { nil }
        }.first
        let name = self.name.map { " by \($0)" } ?? ""
        let error = RulesFileError(
            place ?? rules.places.beginning,
            "this change was undone at \(Timestamp(secondsSinceEpoch: self.time))\(name): "
                + change.words.map { $0.drop { $0 == " " } }.joined(separator: " ")
                + "; correct or remove it. To make it active, run 'versiongate undo' first, which reverts the undo"
        )
        return RulesFileErrors(error)
    }
}

/// The change that an undo has reverted, by its effect, regardless of how the files state it.
struct UndoneChange {
    /// The meaning of rules for the undo.
    enum Meaning {
        /// They are the undone rules.
        case same
        /// They contain the whole undone change, and others.
        case repeated
        /// They do not contain the undone change, or only in part, so the undo ends.
        case other
    }

    private let restored: RuleSetDefinition
    private let undone: RuleSetDefinition

    init(from restored: RuleSetDefinition, to undone: RuleSetDefinition) {
        self.restored = restored
        self.undone = undone
    }

    func meaning(of rules: RuleSetDefinition) -> Meaning {
        if Self.effective(rules) == Self.effective(self.undone) { return .same }
        // Rules that deny no clients are always accepted.
        guard rules.mode == .enforce else { return .other }
        let before = Self.byID(self.restored)
        let change = Self.byID(self.undone)
        let after = Self.byID(rules)
        let changed = Set(before.keys).union(change.keys).filter { before[$0] != change[$0] }
        guard changed.isEmpty else {
            return changed.allSatisfy { after[$0] == change[$0] } ? .repeated : .other
        }
        return self.repeatsSettings(rules) ? .repeated : .other
    }

    /// Whether rules contain all settings that the undone change has changed, without any changed rule.
    private func repeatsSettings(_ rules: RuleSetDefinition) -> Bool {
        func state<Value: Equatable>(_ part: KeyPath<RuleSetDefinition, Value>) -> Bool? {
            guard self.restored[keyPath: part] != self.undone[keyPath: part] else { return nil }
            return rules[keyPath: part] == self.undone[keyPath: part]
        }
        let states = [
            state(\.identity), state(\.unidentified), state(\.exemptions), state(\.answer),
            state(\.mode),
        ].compactMap(\.self)
        return !states.isEmpty && !states.contains(false)
    }

    /// The rules without the parts that do not affect responses.
    private static func effective(_ rules: RuleSetDefinition) -> RuleSetDefinition {
        var rules = rules
        rules.revision = ""
        rules.tests = []
        return rules
    }

    private static func byID(_ rules: RuleSetDefinition) -> [String: RuleDefinition] {
        Dictionary(firstOf: rules.rules.map { ($0.id, $0) })
    }
}
