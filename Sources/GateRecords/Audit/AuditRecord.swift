private import FoundationEssentials
internal import GateCensus
internal import GatePolicy
package import GateRules

/// A change to the rules, or a rejected attempt to change them: the time, the source, the edits and
/// the predicted impact.
package struct AuditRecord: Sendable, Equatable, Codable {
    package struct Source: Sendable, Equatable, Codable {
        package enum Kind: String, Sendable, Codable {
            case start, signal, file, feed, admin, undo
        }

        package let kind: Kind
        /// The name of the feed or of the operator's token; missing for other sources.
        package let name: String?
    }

    package enum Outcome: String, Sendable, Codable {
        case applied, refused
    }

    package typealias Amount = ImpactReport.Amount

    /// The predicted impact, based on the clients from the last day.
    package struct Prediction: Sendable, Equatable, Codable {
        package let total: Amount
        package let denied: Amount
        package let passed: Amount
        /// The clients that the change sends to another backend; missing in records from earlier
        /// versions.
        package let moved: Amount?
        /// All clients that the new rules deny, newly or not; missing in records from earlier
        /// versions.
        package let refused: Amount?
    }

    /// The clients in the hour after the change, or until the next change within that hour.
    package struct Aftermath: Sendable, Equatable, Codable {
        package let since: String
        package let until: String
        package let total: Amount
        /// The clients denied by any rule.
        package let refused: Amount
    }

    /// The sequence number of the record; `nil` until it is stored.
    package internal(set) var id: Int64?
    package let at: String
    package let source: Source
    package let outcome: Outcome
    /// The active revision before the change.
    package let before: String?
    /// The revision that was applied or rejected; missing for rules that could not be parsed.
    package let after: String?
    /// The descriptions of the edits.
    package let changes: [String]
    /// The predicted impact of the change.
    ///
    /// It is missing if the rules were rejected, if the census is off, or if no rules were active
    /// before the change.
    package let predicted: Prediction?
    /// The clients counted after the change.
    ///
    /// They are missing until the period has ended, if there is no prediction, or if the next
    /// change followed immediately.
    package internal(set) var happened: Aftermath?
    /// The errors that caused the rules to be rejected, each with its location.
    package let reasons: [String]
}

extension AuditRecord {
    /// The maximum number of lines in a record; a rules file can produce 4 MiB of lines.
    static let wordLimit = 100
    private static let lineLimit = 400

    /// Creates a record of a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - before: The previous revision; at startup, the revision of the last record.
    ///   - rows: The clients from the last day; `nil` if the census is off.
    init(_ change: RulesChange, before: String?, _ rows: [CensusRow]?) {
        self.at = "\(change.time)"
        self.source = Source(change.origin)
        self.before = before
        switch change.outcome {
        case .applied(let rules):
            self.outcome = .applied
            self.after = rules.definition.revision
            self.reasons = []
            let edits = change.before.map { RulesEdits(from: $0, to: rules).words } ?? []
            let isSilent = edits.isEmpty && change.before != nil
            self.changes = Self.bounded(
                isSilent
                    ? ["no setting has changed, only comments, the order, or the state of a feed"]
                    : edits
            )
            self.predicted = change.before.flatMap { old in
                rows.map { Prediction($0, from: old.ruleSet, to: rules.ruleSet, at: change.time) }
            }
        case .refused(let failure):
            self.outcome = .refused
            self.after = failure.revision
            self.changes = []
            self.predicted = nil
            self.reasons = Self.bounded(failure.errors.map(\.description))
        }
    }

    /// Returns whether the record equals another one, except for its time.
    func repeats(_ other: AuditRecord) -> Bool {
        self.source == other.source && self.outcome == other.outcome
            && self.before == other.before && self.after == other.after
            && self.reasons == other.reasons
    }

    private static func bounded(_ lines: [String]) -> [String] {
        let shown = lines.prefix(self.wordLimit).map { line in
            line.count > self.lineLimit ? "\(line.prefix(self.lineLimit))…" : line
        }
        let more = lines.count - shown.count
        return more > 0 ? shown + ["… and \(more) more"] : shown
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Decodes a record; returns `nil` if the string is not a valid record.
    init?(json: String, id: Int64) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
            return nil
        }
        self = record
        self.id = id
    }
}

extension AuditRecord.Source {
    package init(_ origin: RulesChange.Origin) {
        switch origin.reason {
        case .start: self.kind = .start
        case .signal: self.kind = .signal
        case .fileChanged: self.kind = .file
        case .request: self.kind = .admin
        case .feed: self.kind = .feed
        case .undo: self.kind = .undo
        }
        self.name = origin.name
    }
}

extension AuditRecord.Prediction {
    fileprivate init(_ rows: [CensusRow], from old: RuleSet, to new: RuleSet, at now: Timestamp) {
        let impact = Impact(on: rows, from: old, to: new, at: now)
        self.total = AuditRecord.Amount(impact.total)
        self.denied = AuditRecord.Amount(impact.denied.amount)
        self.passed = AuditRecord.Amount(impact.passed.amount)
        self.moved = AuditRecord.Amount(impact.moved.amount)
        let nothing = RuleSet(
            RuleSetDefinition(revision: "", identity: new.definition.identity)
        )
        let refused = Impact(on: rows, from: nothing, to: new, at: now).denied.amount
        self.refused = AuditRecord.Amount(refused)
    }
}

extension LoadFailure {
    /// The revision of the rejected rules; `nil` if they could not be parsed.
    fileprivate var revision: String? {
        switch self {
        case .unreadable(let errors): errors.revision?.text
        case .refused(_, let revision, _): revision
        }
    }
}
