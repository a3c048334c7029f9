internal import GatePolicy

/// An undo: earlier rules stay active until the undone change is no longer in the files.
///
/// An undo survives signals and restarts. Neither the same rules in other words nor a further change ends an undo, so
/// that a deployment does not revert it by accident.
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

    /// The meaning of files for the undo.
    enum Meaning {
        /// The files contain the undone rules, so the undo stays active.
        case same
        /// The files contain the whole undone change, and changes to other rules and settings.
        case repeated(change: RulesEdits)
        /// The undone change is not in the files, or was changed, so the undo ends.
        case other
    }

    /// Returns what files mean for the undo that has restored the files `restored`.
    func meaning(of sources: [RulesSource], restored: [RulesSource]) -> Meaning {
        if self.undone.contains(Revision(of: sources).text) { return .same }
        guard let files else { return .other }
        let change = RulesEdits(restored, files.asSources)
        let edits = RulesEdits(restored, sources)
        guard !change.all.isEmpty, edits.contains(change) else { return .other }
        return change.contains(edits) ? .same : .repeated(change: change)
    }

    /// Returns the error for files that repeat the undone change.
    func refusal(of change: RulesEdits, in rules: LoadedRules) -> RulesFileErrors {
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
        return RulesFileErrors([error], in: Revision(of: rules.sources))
    }
}
