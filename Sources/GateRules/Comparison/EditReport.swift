package import GatePolicy

/// A report on a change to rules, edit by edit: the changed settings and the affected clients.
///
/// The report omits client attributes that the rule itself shows, such as the platform;
/// `DifferenceReport` contains them.
package struct EditReport: Sendable {
    /// The changed settings.
    private let edits: RulesEdits
    /// The clients with a different decision.
    private let difference: RuleSetDifference
    private let new: RuleSetDefinition

    package init(_ edits: RulesEdits, _ difference: RuleSetDifference, new: RuleSetDefinition) {
        self.edits = edits
        self.difference = difference
        self.new = new
    }

    /// The maximum number of lines for the effects of an edit.
    private static let effectLimit = 4
    /// The maximum number of version ranges in a line.
    private static let rangeLimit = 4

    /// Clients that an edit affects in the same way.
    private struct Effect {
        let what: What
        var versions: [String]
        /// The start and the end of the effect; `until` is `nil` if the effect is permanent or recurs.
        let from: Timestamp
        var until: Timestamp?
        var spells = 1
        var share: ClosedRange<Double>

        /// The kind of effect on a client; moves to different backends are different effects.
        struct What: Hashable, Comparable {
            let kind: ComparedChange.Kind
            let words: String

            init(_ change: ComparedChange) {
                self.kind = change.kind
                self.words = change.effectWords
            }

            static func < (left: What, right: What) -> Bool {
                left.kind == right.kind
                    ? left.words < right.words : left.kind.order < right.kind.order
            }
        }
    }
}

extension EditReport: CustomStringConvertible {
    /// The summary, followed by the edits in file order, each with its effects.
    package var description: String {
        var lines = [DifferenceReport.summary(of: self.difference)]
        var effects = self.effects
        for edit in self.edits.all {
            lines += edit.lines
            lines += self.lines(of: effects.removeValue(forKey: edit.subject) ?? [])
        }
        // A global change, such as one to `exempt`, affects clients of every rule.
        let rest = effects.values.flatMap(\.self)
        if !rest.isEmpty {
            lines.append("combined effects of these changes:")
            lines += self.lines(of: rest)
        }
        lines += DifferenceReport.remarks(on: self.difference)
        if !self.difference.isEmpty { lines.append("--detail shows each group of clients") }
        return lines.joined(separator: "\n")
    }

    private func lines(of effects: [Effect]) -> [String] {
        let shown = effects.prefix(Self.effectLimit).map { "  => \(self.line(of: $0))" }
        let more = effects.count - shown.count
        return shown + (more > 0 ? ["  => \(more) more effects"] : [])
    }

    private func line(of effect: Effect) -> String {
        let isNow = effect.from == self.difference.periods.first?.from
        var when = isNow ? "now" : "from \(effect.from) on"
        if let until = effect.until {
            when = isNow ? "until \(until)" : "from \(effect.from) to \(until)"
        }
        if effect.spells > 1 { when += ", \(effect.spells) times" }
        let ranges = effect.versions.prefix(Self.rangeLimit).joined(separator: ", ")
        let more = effect.versions.count - Self.rangeLimit
        let versions = more > 0 ? "\(ranges) and \(more) more ranges" : ranges
        let isSame = effect.share.lowerBound == effect.share.upperBound
        let part = isSame ? DifferenceReport.percent(effect.share.lowerBound) : "some"
        let share =
            effect.share.lowerBound >= 1 || effect.what.kind == .answered
            ? "" : ", \(part) of them"
        return "\(when): \(versions)\(share): \(effect.what.words)"
    }

    /// The effects of each edit, in chronological order.
    private var effects: [RulesEdits.Subject: [Effect]] {
        var effects: [RulesEdits.Subject: [Effect]] = [:]
        var lasting: [RulesEdits.Subject: [Effect.What: [String]]] = [:]
        for (index, period) in self.difference.periods.enumerated() {
            let grouped = Dictionary(grouping: period.changes, by: self.subject(of:))
            for subject in Set(grouped.keys).union(lasting.keys) {
                let changes = grouped[subject] ?? []
                let kinds = Dictionary(grouping: changes, by: Effect.What.init)
                let known = lasting[subject]?.keys.map(\.self) ?? []
                for what in Set(kinds.keys).union(known).sorted() {
                    let versions = (kinds[what]?.map { Self.words($0.versions) } ?? []).uniqued()
                    let before = lasting[subject]?[what] ?? []
                    guard versions != before || index == 0 && !versions.isEmpty else { continue }
                    lasting[subject, default: [:]][what] = versions
                    if what.kind != .answered {
                        self.end(what, of: subject, at: period.from, in: &effects)
                    }
                    guard !versions.isEmpty else { continue }
                    // Changes to texts and URLs are reported once, because they do not affect which
                    // clients pass.
                    if what.kind == .answered,
                        Self.join(versions, to: &effects[subject, default: []])
                    {
                        continue
                    }
                    let shares = kinds[what]?.map(\.share) ?? []
                    let effect = Effect(
                        what: what,
                        versions: versions,
                        from: period.from,
                        share: (shares.min() ?? 1)...(shares.max() ?? 1)
                    )
                    Self.add(effect, to: &effects[subject, default: []])
                }
            }
        }
        return effects
    }

    /// Sets the end of an ongoing effect.
    private func end(
        _ what: Effect.What,
        of subject: RulesEdits.Subject,
        at time: Timestamp,
        in effects: inout [RulesEdits.Subject: [Effect]]
    ) {
        guard
            let index = effects[subject]?.lastIndex(where: { $0.what == what && $0.until == nil })
        else { return }
        effects[subject]?[index].until = time
    }

    /// Adds versions to the existing `answered` effect; returns `false` if there is none yet.
    private static func join(_ versions: [String], to effects: inout [Effect]) -> Bool {
        guard let known = effects.firstIndex(where: { $0.what.kind == .answered }) else {
            return false
        }
        effects[known].versions = (effects[known].versions + versions).uniqued()
        return true
    }

    /// Adds an effect, or counts another occurrence of a known effect, such as a brownout.
    private static func add(_ effect: Effect, to effects: inout [Effect]) {
        let known = effects.lastIndex {
            $0.what == effect.what && $0.versions == effect.versions && $0.share == effect.share
        }
        guard let known else { return effects.append(effect) }
        effects[known].spells += 1
        effects[known].until = nil
    }

    /// Returns the subject of the edit that causes a change.
    private func subject(of change: ComparedChange) -> RulesEdits.Subject {
        let edited = Set(self.edits.all.map(\.subject))
        let routes = [change.after.route?.ruleID, change.before.route?.ruleID]
        let rules = [change.after.rule, change.before.rule]
        // A change of backend is caused by a route, even if another rule made the decision.
        let causes = change.isAboutRoutes ? routes + rules : rules + routes
        for rule in causes.compactMap(\.self)
        where edited.contains(.rule(rule)) {
            return .rule(rule)
        }
        let rule = self.new.rules.first { $0.id == change.after.rule }
        for notice in [rule?.notice, rule?.recommendedNotice].compactMap(\.self)
        where edited.contains(.notice(notice)) {
            return .notice(notice)
        }
        let settings = self.edits.all.map(\.subject).filter { subject in
            if case .setting = subject { true } else { false }
        }
        // If several settings were edited, the cause is unknown.
        return settings.count == 1 ? settings[0] : .setting("")
    }

    private static func words(_ versions: String) -> String {
        switch versions {
        case "missing": "no version"
        case "unreadable": "an unreadable version"
        default: versions
        }
    }
}
